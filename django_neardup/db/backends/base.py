"""The operations that databases write differently, in standard SQL where that exists.

Statements quote names with double quotes, and have ``%s`` for each parameter.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, ClassVar

from django.db import connections, models
from django.db.backends.base.base import BaseDatabaseWrapper

from ...conf import get_site_settings
from .key_table import KeyTable

Row = tuple[Any, ...]

IS_AVAILABLE = (
    '"pending_since" IS NOT NULL AND ("leased_until" IS NULL OR "leased_until" <= {clock} '
    'OR "leased_until" > {clock} + {max_lease})'
)
"""Pending, and not leased by another worker. A lease that ends too far ahead is none: the clock was set back."""
LEASE = (
    'UPDATE "{table}" SET "leased_until" = {clock} + %s, "attempts" = "attempts" + 1 WHERE "id" IN ({ids})'
)
COLUMNS = "SELECT table_name, column_name FROM information_schema.columns WHERE table_name {}"


class Backend:
    """One database. The attributes are SQL.

    - ``clock``: the milliseconds since 1970, by the clock of the database.
    - ``binary``: the placeholder of a parameter of bytes.
    - ``inserted``: the value that an upsert would have inserted into a column.
    - ``ignored``: the two parts around the values of an INSERT that leave out rows that exist.
    - ``columns``: the statement of ``columns_of()``, with the condition on the names of the tables left open.
    - ``triggers``, ``routines``, ``key_actions``: the statements of ``trigger_codes()``, ``routine_codes()`` and
      ``foreign_key_actions()``. Without one, nothing is listed.

    ``has_one_writer``: a transaction that has begun to write finds no row locked. ``has_arrays``: a parameter may
    be a list. ``heads_triggers``: the code of a trigger begins with the name of its table. ``key_table``: None
    if the database cannot store keys.
    """

    clock: ClassVar[str] = "NULL"
    binary: ClassVar[str] = "%s"
    inserted: ClassVar[str] = "excluded.{}"
    ignored: ClassVar[tuple[str, str]] = ("", " ON CONFLICT DO NOTHING")
    columns: ClassVar[str] = COLUMNS
    triggers: ClassVar[str] = ""
    routines: ClassVar[str] = ""
    key_actions: ClassVar[str] = ""
    has_one_writer: ClassVar[bool] = False
    has_arrays: ClassVar[bool] = False
    heads_triggers: ClassVar[bool] = True
    key_table: ClassVar[type[KeyTable] | None] = None

    def __init__(self, using: str) -> None:
        self.using = using

    @property
    def connection(self) -> BaseDatabaseWrapper:
        return connections[self.using]

    @property
    def can_skip_locked(self) -> bool:
        """Return whether a statement can leave out rows that are locked elsewhere."""
        return bool(self.connection.features.has_select_for_update_skip_locked)

    @property
    def can_take_free_rows(self) -> bool:
        """Return whether a transaction can change the free ones among many rows without waiting."""
        return self.can_skip_locked or self.has_one_writer

    def with_quotes(self, statement: str) -> str:
        """Return the statement with names in the quotes of the database."""
        return statement

    def fetch_all(self, statement: str, parameters: Sequence[Any] = ()) -> list[Row]:
        """Run a statement and return its rows."""
        with self.connection.cursor() as cursor:
            cursor.execute(self.with_quotes(statement), parameters)
            return list(cursor.fetchall())

    def execute(self, statement: str, parameters: Sequence[Any] = ()) -> int:
        """Run a statement and return the number of affected rows."""
        with self.connection.cursor() as cursor:
            cursor.execute(self.with_quotes(statement), parameters)
            return cursor.rowcount  # type: ignore[no-any-return]

    def execute_many(self, statement: str, parameter_sets: Sequence[Sequence[Any]]) -> None:
        """Run a statement once for each set of parameters."""
        if len(parameter_sets) == 1:
            self.execute(statement, parameter_sets[0])
        elif parameter_sets:
            with self.connection.cursor() as cursor:
                cursor.executemany(self.with_quotes(statement), parameter_sets)

    def with_list(self, statement: str, values: Sequence[int]) -> tuple[str, Sequence[Any]]:
        """Return the statement with the numbers in place of every ``IN ({})``, and the parameters of one list."""
        return statement.replace("{}", placeholders(len(values))), values

    def is_in(self, values: Sequence[Any]) -> tuple[str, list[Any]]:
        """Return a condition on a column of texts, to be written after its name, and its parameters."""
        return f"IN ({placeholders(len(values))})", list(values)

    def is_in_subquery(self, subquery: str) -> str:
        """Return a condition on a column, to be written after its name."""
        return f"IN ({subquery})"

    def on_conflict(self, columns: Iterable[str], changes: Mapping[str, str]) -> str:
        """Return the clause of an INSERT that updates columns of rows that exist.

        ``columns`` are those of the unique index. ``changes`` are expressions by column.
        """
        return f"ON CONFLICT ({quoted_columns(columns)}) DO UPDATE SET {assignments(changes)}"

    def insert_rows(
        self,
        table: str,
        columns: Sequence[str],
        value_rows: Sequence[Sequence[Any]],
        json_columns: Collection[str] = (),
    ) -> None:
        """Insert rows. Values of ``json_columns`` are JSON as text."""
        self.execute_many(
            f'INSERT INTO "{table}" ({quoted_columns(columns)}) VALUES ({placeholders(len(columns))})',
            value_rows,
        )

    def insert_with_columns_of(
        self,
        table: str,
        columns: Sequence[str],
        value_rows: Sequence[Sequence[Any]],
        source: str,
        copied: Sequence[str],
    ) -> None:
        """Insert rows with the ``copied`` columns of a row in the table ``source``.

        The first of the ``columns`` is the id of that row.
        """
        key, *others = columns
        copies = ", ".join(f'd."{name}"' for name in copied)
        self.execute_many(
            f'INSERT INTO "{table}" ({quoted_columns([key, *others, *copied])}) '
            f'SELECT d."id", {placeholders(len(others))}, {copies} FROM "{source}" d WHERE d."id" = %s',
            [[*row[1:], row[0]] for row in value_rows],
        )

    def lease(self, table: str, columns: Sequence[str], ids: Sequence[int], milliseconds: int) -> list[Row]:
        """Lease the available rows among ``ids``, and return them. Rows that are locked elsewhere are left out.

        ``columns`` are those to read. "attempts" is the number after the lease.
        """
        statement = f"{LEASE.format(table=table, clock=self.clock, ids='%s')} AND {self.is_available}"
        leased = [row_id for row_id in ids if self.execute(statement, [milliseconds, row_id])]
        if not leased:
            return []
        select = f'SELECT {quoted_columns(columns)} FROM "{table}" WHERE "id" IN ({{}})'
        return self.fetch_all(*self.with_list(select, leased))

    @property
    def is_available(self) -> str:
        """Return the condition that a row of the work queue is pending and not leased."""
        return IS_AVAILABLE.format(clock=self.clock, max_lease=get_site_settings().max_lease_milliseconds)

    def begin_writing(self) -> None:
        """Take the lock of the only writer, if the database has one, in a transaction that has just begun."""

    def defer_foreign_keys(self) -> None:
        """Let the transaction check foreign keys at its commit, if this is not the default."""

    def stream(self, queryset: models.QuerySet[Any], size: int) -> Iterable[Any]:
        """Read a queryset in chunks of ``size`` rows, for a caller that writes at the same time."""
        return queryset.iterator(chunk_size=size)

    def binary_parameter(self, data: bytes) -> Any:
        """Wrap bytes as a parameter."""
        return self.connection.Database.Binary(data)  # type: ignore[attr-defined]

    def exact_text_type(self, column_type: str) -> str:
        """Return the type of a text column that is compared byte by byte."""
        return column_type

    def exact_text(self, expression: str) -> str:
        """Return a text so that it is compared byte by byte."""
        return expression

    def text_of_uuid(self, expression: str) -> str:
        """Return a value of the type UUID as text."""
        return f"CAST({expression} AS CHAR(36))"

    def joined(self, parts: Sequence[str], separator: str) -> str:
        """Return texts joined by a separator."""
        return f" || '{separator}' || ".join(parts)

    def like_column(self, expression: str, table: str, column: str | None) -> str:
        """Return a text in the character set and collation of a column."""
        return expression

    def needs_immediate_transactions(self) -> bool:
        """Return whether a request that reads before it writes may fail, by the settings of the database."""
        return False

    @contextmanager
    def report_changed_tables(self) -> Iterator[Callable[[], set[str]]]:
        """Yield a function that returns the tables with rows that were updated or deleted since the block began.

        The set is empty if the database does not tell.
        """
        yield set

    def columns_of(self, tables: Collection[str]) -> set[tuple[str, str]]:
        """Return table and column of every column of these tables. Tables that do not exist have none."""
        condition, parameters = self.is_in(sorted(tables))
        return {
            (table, column) for table, column in self.fetch_all(self.columns.format(condition), parameters)
        }

    def tables_without_transactions(self) -> frozenset[str]:
        """Return the tables whose changes the database cannot take back."""
        return frozenset()

    def virtual_tables(self) -> frozenset[str]:
        """Return the tables whose rows are stored in other tables."""
        return frozenset()

    def trigger_codes(self) -> list[Row]:
        """Return the code of each trigger, after its table."""
        return self._fetch_listing(self.triggers)

    def routine_codes(self) -> list[Row]:
        """Return the code of each function that a trigger may call, after its name."""
        return self._fetch_listing(self.routines)

    def foreign_key_actions(self) -> list[Row]:
        """Return the foreign keys that change rows when the row that they point at is deleted.

        Each has table, column, the table and column pointed at, and whether rows are deleted.
        """
        return self._fetch_listing(self.key_actions)

    def _fetch_listing(self, statement: str) -> list[Row]:
        return self.fetch_all(statement) if statement else []


def quoted_columns(names: Iterable[str]) -> str:
    """Return column names, quoted and separated by commas."""
    return ", ".join(f'"{name}"' for name in names)


def assignments(changes: Mapping[str, str]) -> str:
    """Return the assignments of an UPDATE: expressions by column."""
    return ", ".join(f'"{name}" = {value}' for name, value in changes.items())


def placeholders(count: int) -> str:
    """Return placeholders for a list of ``count`` values."""
    return ", ".join(["%s"] * count)
