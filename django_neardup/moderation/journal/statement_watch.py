"""The rows that a block of code changes, with their values before the first change.

A plan knows what Django's deletion does. A model's own ``delete()``, listeners of signals and the database
itself may do more. They all end in statements, so the statements are watched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import cache
from typing import Any

from django.apps import apps
from django.db import connections, models
from django.utils.translation import gettext as _

from ...db.backends import get_backend
from ...db.own_effects import ForeignKeyAction, OwnEffects, TableState, read_table_state
from ...db.write_statements import WriteStatement, read_write_statement
from ...exceptions import MergeRefused
from ..relations import ModelType, rows_of
from .serialization import RowId, own_table_fields, read_queryset, stored_key

StoredRow = dict[str, Any]

OWN_APP = "neardup"
"""The tables of this app do not belong to the site: the worker writes them again."""

MAX_TABLE_ROWS = 10_000
"""Largest number of rows to read from a table if any of them may change."""


@dataclass
class Phase:
    """The work on one post. ``rows`` have the values before the first statement of this work that changed them."""

    post_number: int
    rows: dict[RowId, StoredRow] = field(default_factory=dict)
    whole_tables: set[str] = field(default_factory=set)


class StatementWatch:
    """The rows that statements have changed.

    - ``rows``: the former values of each row, by row id.
    - ``phases``: the work on one post after another. A post may have several.
    - ``named_row_ids``: the rows that a statement has named. The others stand in tables that were read whole.
    - ``inserted_models``: the models that rows were inserted of.
    - ``table_states``: the former states of large tables and tables without a model that may change in an unknown
      way, and of tables with deleted rows and columns without a field.
    - ``unread_tables``: tables with unknown changes.
    - ``post_number``: the number of the post that is being worked on. To set it begins a phase.
    """

    def __init__(
        self,
        using: str,
        ignored_models: Collection[ModelType],
        report_changed: Callable[[], set[str]],
    ) -> None:
        self.using = using
        self.rows: dict[RowId, StoredRow] = {}
        self.phases = [Phase(0)]
        self.named_row_ids: set[RowId] = set()
        self.inserted_models: set[ModelType] = set()
        self.table_states: dict[str, TableState] = {}
        self.unread_tables: set[str] = set()
        self._report_changed = report_changed
        self._ignored_tables = own_tables() | {model._meta.db_table for model in ignored_models}
        self._seen_tables: set[str] = set()
        self._effects = OwnEffects(using)
        self._is_reading = False

    @property
    def post_number(self) -> int:
        return self.phases[-1].post_number

    @post_number.setter
    def post_number(self, number: int) -> None:
        self.phases.append(Phase(number))

    def __call__(
        self, execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Mapping[str, Any]
    ) -> Any:
        """Run a statement for Django (see ``connection.execute_wrapper``)."""
        if not self._is_reading:
            self._is_reading = True
            try:
                # A generator can be read only once.
                parameters = list(parameters) if many else parameters
                # psycopg composes statements of objects.
                text = sql if isinstance(sql, str) else sql.as_string(context["cursor"].cursor)
                for values in parameters if many else [parameters]:
                    statement = read_write_statement(text, values)
                    if statement is not None:
                        self._read_before(statement)
            finally:
                self._is_reading = False
        return execute(sql, parameters, many, context)

    def unexplained_tables(self) -> set[str]:
        """Return the tables whose changes are unknown.

        A table also counts if the database reports a change in it and no seen statement explains the change.
        """
        unseen = self._report_changed() - self._seen_tables - self._ignored_tables
        return self.unread_tables | {name for name in unseen if not self._effects.is_part_of_virtual(name)}

    def _read_before(self, statement: WriteStatement) -> None:
        """Read the rows that a statement may change."""
        table = statement.table
        if table in self._ignored_tables:
            return
        self._see(table)
        # First the triggers: they show to which tables the next rows lead.
        self._read_triggered(table)
        model = models_by_table().get(table)
        if statement.operation in ("insert", "upsert"):
            self.inserted_models |= {model} if model is not None else set()
            if statement.operation == "upsert":
                self._read_whole(table)
        elif model is None:
            self._remember_table(table)
        elif statement.condition is not None:
            rows = rows_of(model, self.using)
            if statement.condition:
                # The condition of a statement that runs anyway, with its own parameters.
                rows = rows.extra(where=[statement.condition], params=list(statement.parameters))  # noqa: S610  # nosec B610
            self._remember(rows, are_deleted=statement.operation == "delete")
        elif is_large(rows_of(model, self.using)):
            self.unread_tables.add(table)
        else:
            self._remember(rows_of(model, self.using), are_deleted=statement.operation == "delete")

    def tables_with_losses(self) -> list[str]:
        """Return the tables of ``table_states`` that lack a row of before."""
        return [
            table
            for table, state in self.table_states.items()
            if read_table_state(self.using, table, MAX_TABLE_ROWS).lacks_rows_of(state)
        ]

    def _see(self, table: str) -> None:
        """Note that a table, and tables that change with it, may change. Raise MergeRefused if this cannot be
        undone.
        """
        tables = self._effects.changed_with(table)
        self._seen_tables |= tables
        message = _("The table %(table)s has no transactions: changes to it cannot be undone.")
        # Even if no row changes: after a statement on an Aria table MariaDB allows no savepoint.
        if concerned := self._effects.without_transactions & tables:
            raise MergeRefused([message % {"table": name} for name in sorted(concerned)])

    def _read_triggered(self, changed_table: str) -> None:
        """Read the tables that triggers of a table may change."""
        for table in sorted(self._effects.changed_by_triggers(changed_table) - self._ignored_tables):
            self._read_whole(table)

    def _read_whole(self, table: str) -> None:
        """Read a complete table, if any row may change, once for each post."""
        if table in self.phases[-1].whole_tables:
            return
        self.phases[-1].whole_tables.add(table)
        model = models_by_table().get(table)
        if model is None or is_large(rows_of(model, self.using)):
            self._remember_table(table)
        else:
            self._remember(rows_of(model, self.using), are_deleted=False, are_named=False)

    def _remember_table(self, table: str) -> None:
        if table not in self._effects.tables:
            self.unread_tables.add(table)
        elif table not in self.table_states:
            self.table_states[table] = read_table_state(self.using, table, MAX_TABLE_ROWS)

    def _remember(self, rows: models.QuerySet[Any], *, are_deleted: bool, are_named: bool = True) -> None:
        """Store the rows that are not stored yet, and the rows that the database changes with them."""
        table = rows.model._meta.db_table
        if table in self._ignored_tables:
            return
        label = rows.model._meta.label_lower
        found = read_queryset(self._locked(rows), own_table_fields(rows.model))
        self.named_row_ids |= {(label, key) for key in found} if are_named else set()
        for key, values in found.items():
            row = {"model": label, "pk": stored_key(key), "fields": values}
            self.rows.setdefault((label, key), row)
            self.phases[-1].rows.setdefault((label, key), row)
        if not found:
            return
        self._remember_counters(rows)
        if are_deleted:
            if self._effects.has_other_columns(table, {field.column for field in _columns_of(rows.model)}):
                # The journal has no values of these columns.
                self._remember_table(table)
            for action in self._effects.foreign_key_actions.get(table, ()):
                self._remember_referencing(rows, action)

    def _locked(self, rows: models.QuerySet[Any]) -> models.QuerySet[Any]:
        """Return the rows locked: what others change in them meanwhile is no change of this action."""
        features = connections[self.using].features
        return rows.order_by("pk").select_for_update(no_key=features.has_select_for_no_key_update)

    def _remember_counters(self, rows: models.QuerySet[Any]) -> None:
        """Store the rows of large tables that rows point at, if triggers may change them."""
        for column in rows.model._meta.local_concrete_fields:
            target: Any = column.related_model
            if target is not None and target._meta.concrete_model._meta.db_table in self.table_states:
                keys = rows.order_by().values_list(column.attname, flat=True)
                referenced = rows_of(target._meta.concrete_model, self.using)
                name = column.target_field.attname
                self._remember(referenced.filter(**{f"{name}__in": list(keys)}), are_deleted=False)

    def _remember_referencing(self, rows: models.QuerySet[Any], action: ForeignKeyAction) -> None:
        self._read_triggered(action.table)
        model = models_by_table().get(action.table)
        column = _field_of(model, action.column)
        target = _field_of(rows.model, action.target_column)
        if model is None or column is None or target is None:
            self._remember_table(action.table)
            return
        values = list(rows.values_list(target.attname, flat=True))
        referencing = rows_of(model, self.using).filter(**{f"{column.attname}__in": values})
        self._remember(referencing, are_deleted=action.is_cascade)


@contextmanager
def watch_statements(using: str, ignored_models: Collection[ModelType] = ()) -> Iterator[StatementWatch]:
    """Watch the statements of a block on a database, except on rows of ``ignored_models``."""
    with get_backend(using).report_changed_tables() as report_changed:
        watch = StatementWatch(using, ignored_models, report_changed)
        with connections[using].execute_wrapper(watch):
            yield watch


def is_large(rows: models.QuerySet[Any]) -> bool:
    return rows.order_by()[: MAX_TABLE_ROWS + 1].count() > MAX_TABLE_ROWS


def _field_of(model: ModelType | None, column: str) -> Any:
    fields = [] if model is None else _columns_of(model)
    return next((field for field in fields if field.column == column), None)


def _columns_of(model: ModelType) -> list[Any]:
    return list(model._meta.local_concrete_fields)


@cache
def models_by_table() -> dict[str, ModelType]:
    """Return the models of the site by their tables."""
    return {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.app_label != OWN_APP
    }


@cache
def own_tables() -> frozenset[str]:
    own_models = apps.get_app_config(OWN_APP).get_models(include_auto_created=True)
    return frozenset(model._meta.db_table for model in own_models)
