"""Triggers: the tables that they and the functions that they call name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping

from .sql import fetch_all, vendor

_TRIGGERS = {
    "postgresql": """
        SELECT changed.relname, pg_get_triggerdef(tgr.oid)
        FROM pg_trigger tgr JOIN pg_class changed ON changed.oid = tgrelid
        WHERE NOT tgisinternal AND tgenabled <> 'D' AND pg_table_is_visible(changed.oid)
    """,
    "mysql": """
        SELECT EVENT_OBJECT_TABLE, ACTION_STATEMENT FROM information_schema.TRIGGERS
        WHERE TRIGGER_SCHEMA = DATABASE()
    """,
    "sqlite": "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'",
}
_ROUTINES = {
    "postgresql": """
        SELECT proname, pg_get_functiondef(pg_proc.oid)
        FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
        WHERE prokind IN ('f', 'p') AND nspname NOT IN ('pg_catalog', 'information_schema')
    """,
    "mysql": """
        SELECT ROUTINE_NAME, ROUTINE_DEFINITION FROM information_schema.ROUTINES
        WHERE ROUTINE_SCHEMA = DATABASE()
    """,
}
_WORD = re.compile(r"[\w$]+")


def words_of_triggers(using: str) -> Mapping[str, set[str]]:
    """Return, by the table that has triggers, every word in their code and in that of the functions they call.

    The names of the tables that they change are among them, in small letters, unless the code puts them together
    while it runs. The table itself is among them if the code names it, not only the head of the trigger.
    """
    triggers: defaultdict[str, set[str]] = defaultdict(set)
    for table, words in _named_words(using, _TRIGGERS[vendor(using)]):
        if vendor(using) != "mysql" and table.lower() in words:
            words.remove(table.lower())
        triggers[table].update(words)
    statement = _ROUTINES.get(vendor(using))
    routines = _words_by_name(using, statement) if triggers and statement else {}
    return {table: reachable(words, routines) for table, words in triggers.items()}


def reachable(names: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the names, and all names that edges lead to from them."""
    found: set[str] = set()
    pending = set(names)
    while pending:
        found |= pending
        pending = {target for name in pending for target in edges.get(name, ())} - found
    return found


def _words_by_name(using: str, statement: str) -> dict[str, set[str]]:
    words: defaultdict[str, set[str]] = defaultdict(set)
    for name, found in _named_words(using, statement):
        words[name].update(found)
    return words


def _named_words(using: str, statement: str) -> Iterator[tuple[str, list[str]]]:
    return ((name, _WORD.findall((code or "").lower())) for name, code in fetch_all(using, statement))
