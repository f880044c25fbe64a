"""Triggers: the tables that they and the functions that they call name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Mapping

from .backends import get_backend

_WORD = re.compile(r"[\w$]+")


def words_of_triggers(using: str) -> Mapping[str, set[str]]:
    """Return, by the table that has triggers, every word in their code and in that of the functions they call.

    The names of the tables that they change are among them, in small letters, unless the code puts them together
    while it runs. The table itself is among them if the code names it, not only the head of the trigger.
    """
    triggers: defaultdict[str, set[str]] = defaultdict(set)
    backend = get_backend(using)
    for table, code in backend.trigger_codes():
        words = _words(code)
        # MariaDB has the body without a head, which would name the table.
        if backend.heads_triggers and table.lower() in words:
            words.remove(table.lower())
        triggers[table].update(words)
    routines: defaultdict[str, set[str]] = defaultdict(set)
    for name, code in backend.routine_codes() if triggers else ():
        routines[name].update(_words(code))
    return {table: reachable(words, routines) for table, words in triggers.items()}


def reachable(names: Iterable[str], edges: Mapping[str, Iterable[str]]) -> set[str]:
    """Return the names, and all names that edges lead to from them."""
    found: set[str] = set()
    pending = set(names)
    while pending:
        found |= pending
        pending = {target for name in pending for target in edges.get(name, ())} - found
    return found


def _words(code: str | None) -> list[str]:
    return _WORD.findall((code or "").lower())
