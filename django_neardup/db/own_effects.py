"""What a database does by itself when rows of a table change."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

from django.db import connections

from .backends import get_backend
from .foreign_key_actions import ForeignKeyAction, foreign_key_actions
from .sql import fetch_all
from .triggers import reachable, words_of_triggers


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
        """Return whether a table has columns besides the known ones."""
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
