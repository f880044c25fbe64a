"""Triggers: the tables that they name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Mapping

from .sql import fetch_all, vendor

_STATEMENTS = {
    "postgresql": """
        SELECT changed.relname, called.prosrc
        FROM pg_trigger JOIN pg_class changed ON changed.oid = tgrelid JOIN pg_proc called ON called.oid = tgfoid
        WHERE NOT tgisinternal AND tgenabled <> 'D'
    """,
    "mysql": """
        SELECT EVENT_OBJECT_TABLE, ACTION_STATEMENT FROM information_schema.TRIGGERS
        WHERE TRIGGER_SCHEMA = DATABASE()
    """,
    "sqlite": "SELECT tbl_name, sql FROM sqlite_master WHERE type = 'trigger'",
}
_WORD = re.compile(r"[\w$]+")


def words_of_triggers(using: str) -> Mapping[str, set[str]]:
    """Return, by the table that has triggers, every word of their code. The names of tables are among them."""
    words: defaultdict[str, set[str]] = defaultdict(set)
    for table, code in fetch_all(using, _STATEMENTS[vendor(using)]):
        words[table].update(_WORD.findall(code or ""))
    return words
