"""PostgreSQL. Drivers need longer to write hundreds of parameters than it needs to run the statement: it gets one."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from typing import Any

from .base import LEASE, Backend, Row, placeholders, quoted_columns

ROW_COUNTS = """
    SELECT CASE WHEN pg_table_is_visible(known.oid) THEN relname ELSE nspname || '.' || relname END, sum(changes)
    FROM (
        SELECT coalesce(pg_partition_root(relid), relid) AS root, n_tup_upd + n_tup_del AS changes
        FROM pg_stat_xact_user_tables WHERE n_tup_upd + n_tup_del > 0
    ) counted
    JOIN pg_class known ON known.oid = root JOIN pg_namespace space ON space.oid = relnamespace
    GROUP BY 1
"""
TRIGGERS = """
    SELECT changed.relname, pg_get_triggerdef(tgr.oid)
    FROM pg_trigger tgr JOIN pg_class changed ON changed.oid = tgrelid
    WHERE NOT tgisinternal AND tgenabled <> 'D' AND pg_table_is_visible(changed.oid)
"""
ROUTINES = """
    SELECT proname, pg_get_functiondef(pg_proc.oid)
    FROM pg_proc JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE prokind IN ('f', 'p') AND nspname NOT IN ('pg_catalog', 'information_schema')
"""
FOREIGN_KEY_ACTIONS = """
    SELECT child.relname, child_column.attname, parent.relname, parent_column.attname, rule.confdeltype = 'c'
    FROM pg_constraint rule
    JOIN pg_class child ON child.oid = rule.conrelid
    JOIN pg_class parent ON parent.oid = rule.confrelid
    JOIN pg_attribute child_column ON child_column.attrelid = child.oid AND child_column.attnum = rule.conkey[1]
    JOIN pg_attribute parent_column ON parent_column.attrelid = parent.oid
        AND parent_column.attnum = rule.confkey[1]
    WHERE rule.contype = 'f' AND rule.confdeltype IN ('c', 'n', 'd') AND pg_table_is_visible(child.oid)
"""


class PostgreSQLBackend(Backend):
    # Not now(), which stands still during a transaction.
    clock = "CAST(EXTRACT(EPOCH FROM clock_timestamp()) * 1000 AS BIGINT)"
    triggers = TRIGGERS
    routines = ROUTINES
    key_actions = FOREIGN_KEY_ACTIONS
    has_arrays = True

    def with_list(self, statement: str, values: Sequence[int]) -> tuple[str, Sequence[Any]]:
        return statement.replace("IN ({})", "= ANY(%s::bigint[])"), [array_literal(values)]

    def is_in(self, values: Sequence[Any]) -> tuple[str, list[Any]]:
        return "= ANY(%s)", [list(values)]

    def is_in_subquery(self, subquery: str) -> str:
        # As an array: with a join, PostgreSQL reads all memberships of a site for fifty posts.
        return f"= ANY(ARRAY({subquery}))"

    def insert_rows(
        self,
        table: str,
        columns: Sequence[str],
        value_rows: Sequence[Sequence[Any]],
        json_columns: Collection[str] = (),
    ) -> None:
        if not value_rows:
            return
        # All rows are one JSON parameter; values that all rows share are sent once.
        shared = {name: values[0] for name, *values in zip(columns, *value_rows) if len({*values}) == 1}
        varying = [(position, name) for position, name in enumerate(columns) if name not in shared]
        rows = json.dumps(
            [{name: row[position] for position, name in varying} for row in value_rows], default=str
        )
        expressions = [
            f"(\"{name}\" #>> '{{}}')::jsonb" if name in json_columns else f'"{name}"' for _, name in varying
        ]
        self.execute(
            f'INSERT INTO "{table}" ({quoted_columns([*shared, *(name for _, name in varying)])}) '
            f"SELECT {', '.join(['%s'] * len(shared) + expressions)} "
            f'FROM jsonb_populate_recordset(NULL::"{table}", %s)',
            [*shared.values(), rows],
        )

    def insert_with_columns_of(
        self,
        table: str,
        columns: Sequence[str],
        value_rows: Sequence[Sequence[Any]],
        source: str,
        copied: Sequence[str],
    ) -> None:
        key, *others = columns
        values = ", ".join([f'm."{name}"' for name in others] + [f'd."{name}"' for name in copied])
        self.execute(
            f'INSERT INTO "{table}" ({quoted_columns([key, *others, *copied])}) SELECT d."id", {values} '
            f'FROM jsonb_populate_recordset(NULL::"{table}", %s) m JOIN "{source}" d ON d."id" = m."{key}"',
            [json.dumps([dict(zip(columns, row, strict=True)) for row in value_rows], default=str)],
        )

    def lease(self, table: str, columns: Sequence[str], ids: Sequence[int], milliseconds: int) -> list[Row]:
        available = (
            f'SELECT "id" FROM "{table}" WHERE "id" IN ({placeholders(len(ids))}) '
            f'AND {self.is_available} ORDER BY "id" FOR UPDATE SKIP LOCKED'
        )
        statement = LEASE.format(table=table, clock=self.clock, ids=available)
        return self.fetch_all(f"{statement} RETURNING {quoted_columns(columns)}", [milliseconds, *ids])

    def text_of_uuid(self, expression: str) -> str:
        return f"({expression})::text"

    @contextmanager
    def report_changed_tables(self) -> Iterator[Callable[[], set[str]]]:
        # PostgreSQL counts the rows of a transaction, which must be the same throughout.
        before = self._row_counts()
        yield lambda: {table for table, count in self._row_counts().items() if count > before.get(table, 0)}

    def _row_counts(self) -> dict[str, int]:
        return {table: int(count) for table, count in self.fetch_all(ROW_COUNTS)}


def array_literal(numbers: Sequence[int]) -> str:
    """Format numbers as an array. All drivers send text alike, and none is faster with a list."""
    return f"{{{str(list(numbers))[1:-1]}}}"
