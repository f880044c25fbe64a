"""Automatic effects of a database when rows of a table change."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from django.db import connections

from .backends import get_backend
from .sql import fetch_all

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


class ForeignKeyAction(NamedTuple):
    """Rows of ``table`` are deleted (``is_cascade``) or lose their reference with the row that they point at."""

    table: str
    column: str
    target_column: str
    is_cascade: bool


def foreign_key_actions(using: str) -> Mapping[str, Sequence[ForeignKeyAction]]:
    """Return the actions by the tables that are pointed at."""
    actions: dict[str, list[ForeignKeyAction]] = defaultdict(list)
    for table, column, target_table, target_column, is_cascade in get_backend(using).foreign_key_actions():
        # SQLite leaves out the column of a key that points at the primary key.
        column_pointed_at = target_column or _primary_key_column(using, target_table)
        actions[target_table].append(ForeignKeyAction(table, column, column_pointed_at, bool(is_cascade)))
    return actions


def _primary_key_column(using: str, table: str) -> str:
    connection = connections[using]
    with connection.cursor() as cursor:
        return str(connection.introspection.get_primary_key_column(cursor, table) or "")


class OwnEffects:
    """The foreign keys with actions, the triggers, and the tables without transactions of a database.

    They are read once, when they are first asked for.
    """

    def __init__(self, using: str) -> None:
        self.using = using
        self._columns: dict[str, frozenset[str]] = {}

    @cached_property
    def tables(self) -> frozenset[str]:
        """Return all tables. Tables in which SQLite stores the rows of a virtual table are left out."""
        connection = connections[self.using]
        with connection.cursor() as cursor:
            names = frozenset(connection.introspection.table_names(cursor))
        return frozenset(name for name in names if not self.is_part_of_virtual(name))

    @cached_property
    def foreign_key_actions(self) -> Mapping[str, Sequence[ForeignKeyAction]]:
        return foreign_key_actions(self.using)

    @cached_property
    def behind_triggers(self) -> Mapping[str, set[str]]:
        """Return the tables that the triggers of a table name, whether they change or only read them."""
        words = words_of_triggers(self.using)
        tables = [*self.tables] if words else []
        return {table: {name for name in tables if name.lower() in found} for table, found in words.items()}

    @cached_property
    def without_transactions(self) -> frozenset[str]:
        return get_backend(self.using).tables_without_transactions()

    def changed_with(self, table: str) -> set[str]:
        """Return the table, and all tables that may change with it, step by step."""
        return reachable([table], self._edges)

    def changed_by_triggers(self, table: str) -> set[str]:
        """Return the tables that may change by triggers of a table, step by step."""
        return reachable(self.behind_triggers.get(table, ()), self._edges)

    def has_other_columns(self, table: str, known: Collection[str]) -> bool:
        """Return whether a table has other columns than the known ones."""
        if table not in self._columns:
            connection = connections[self.using]
            with connection.cursor() as cursor:
                cursor.execute(f"SELECT * FROM {connection.ops.quote_name(table)} WHERE 1 = 0")
                self._columns[table] = frozenset(column[0] for column in cursor.description or ())
        return bool(self._columns[table] - {*known})

    def is_part_of_virtual(self, table: str) -> bool:
        return any(table.startswith(f"{name}_") for name in self._virtual_tables)

    @cached_property
    def _edges(self) -> Mapping[str, Collection[str]]:
        by_key = {
            table: {action.table for action in actions} for table, actions in self.foreign_key_actions.items()
        }
        return {
            table: by_key.get(table, set()) | self.behind_triggers.get(table, set())
            for table in {*by_key, *self.behind_triggers}
        }

    @cached_property
    def _virtual_tables(self) -> frozenset[str]:
        return get_backend(self.using).virtual_tables()


class TableState(NamedTuple):
    """The rows of a table: how many there are, and a digest of each. No digests are read if there are too many."""

    row_count: int
    digests: Counter[bytes]

    def lacks_rows_of(self, earlier: TableState) -> bool:
        """Return whether an earlier row is missing or has changed. Without digests only their number can tell."""
        if self._has_digests and earlier._has_digests:
            return bool(earlier.digests - self.digests)
        return self.row_count < earlier.row_count

    @property
    def _has_digests(self) -> bool:
        return self.digests.total() == self.row_count


def read_table_state(using: str, table: str, max_rows: int) -> TableState:
    """Return the state of any table, whether a model has it or not."""
    name = connections[using].ops.quote_name(table)
    ((count,),) = fetch_all(using, f"SELECT count(*) FROM {name}")
    rows = fetch_all(using, f"SELECT * FROM {name}") if count <= max_rows else []
    return TableState(count, Counter(blake2b(_text_of(row), digest_size=16).digest() for row in rows))


def _text_of(row: Sequence[Any]) -> bytes:
    # The representation of a view on bytes is its address.
    values = [bytes(value) if isinstance(value, memoryview) else value for value in row]
    return repr(values).encode()
