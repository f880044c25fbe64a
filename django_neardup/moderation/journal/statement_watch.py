"""What a block of code changes: every row as it was before the first statement that changed it.

A plan knows what Django's deletion does. A model's own ``delete()``, listeners of signals and the database
itself may do more. They all end in statements, so the statements are watched.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cache, cached_property
from typing import Any

from django.apps import apps
from django.db import connections, models

from ...db.foreign_key_actions import ForeignKeyAction, foreign_key_actions
from ...db.triggers import words_of_triggers
from ...db.write_statements import WriteStatement, read_write_statement
from ..relations import ModelType, rows_of
from .serialization import RowId, own_table_fields, read_queryset, stored_key

StoredRow = dict[str, Any]
OWN_APP = "neardup"
"""The tables of this app are no rows of the site: the worker writes them anew."""

MAX_TABLE_ROWS = 10_000
"""Where it is not known which rows of a table may change, all are read, up to this number."""


class StatementWatch:
    """The rows that statements have changed.

    - ``rows``: each row as it was, by row id.
    - ``owners``: the number of the post that was being worked on when the row was first changed, by row id.
    - ``inserted_models``: the models that rows were inserted of.
    - ``row_counts``: the number of rows of large tables that a trigger may change, by model.
    - ``unread_tables``: tables of which it is not known what has changed in them.
    - ``post_number``: set by the caller.
    """

    def __init__(self, using: str, ignored_models: Collection[ModelType] = ()) -> None:
        self.using = using
        self.ignored_models = frozenset(ignored_models)
        self.rows: dict[RowId, StoredRow] = {}
        self.owners: dict[RowId, int] = {}
        self.inserted_models: set[ModelType] = set()
        self.row_counts: dict[ModelType, int] = {}
        self.unread_tables: set[str] = set()
        self.post_number = 0
        self._is_reading = False

    def __call__(
        self, execute: Callable[..., Any], sql: str, parameters: Any, many: bool, context: Mapping[str, Any]
    ) -> Any:
        """Run a statement for Django (see ``connection.execute_wrapper``)."""
        if not self._is_reading:
            self._is_reading = True
            try:
                for values in parameters if many else [parameters]:
                    statement = read_write_statement(sql, values)
                    if statement is not None:
                        self._read_before(statement)
            finally:
                self._is_reading = False
        return execute(sql, parameters, many, context)

    def _read_before(self, statement: WriteStatement) -> None:
        """Read the rows that a statement may change."""
        model = _models_by_table().get(statement.table)
        if model in self.ignored_models:
            return
        if model is not None:
            if statement.operation == "insert":
                self.inserted_models.add(model)
            else:
                self._read_changed(model, statement)
            self._read_triggered(model)
        elif statement.table not in _own_tables() and statement.operation != "insert":
            self.unread_tables.add(statement.table)

    def _read_changed(self, model: ModelType, statement: WriteStatement) -> None:
        rows = rows_of(model, self.using)
        if statement.condition:
            rows = rows.extra(where=[statement.condition], params=list(statement.parameters))
        if statement.condition is None and _is_large(rows):
            self.unread_tables.add(statement.table)
        else:
            self._remember(rows, are_deleted=statement.operation == "delete")

    def _read_triggered(self, changed_model: ModelType) -> None:
        """Read the rows that triggers of a table may change: those of all tables that they name."""
        words = self._trigger_words.pop(changed_model._meta.db_table, set())
        for table in words & _models_by_table().keys() - {changed_model._meta.db_table}:
            rows = rows_of(_models_by_table()[table], self.using)
            if _is_large(rows):
                self.row_counts.setdefault(rows.model, rows.count())
            else:
                self._remember(rows, are_deleted=False)

    def _remember(self, rows: models.QuerySet[Any], *, are_deleted: bool) -> None:
        """Store the rows that are not stored yet, and those that the database deletes with them."""
        if rows.model in self.ignored_models:
            return
        label = rows.model._meta.label_lower
        found = read_queryset(rows, own_table_fields(rows.model))
        for key, values in found.items():
            if (label, key) not in self.rows:
                self.rows[label, key] = {"model": label, "pk": stored_key(key), "fields": values}
                self.owners[label, key] = self.post_number
        if are_deleted and found:
            for action in self._foreign_key_actions.get(rows.model._meta.db_table, ()):
                self._remember_referencing(rows, action)

    def _remember_referencing(self, rows: models.QuerySet[Any], action: ForeignKeyAction) -> None:
        model = _models_by_table().get(action.table)
        column = _field_of(model, action.column)
        target = _field_of(rows.model, action.target_column)
        if model is None or column is None or target is None:
            self.unread_tables.add(action.table)
            return
        values = list(rows.values_list(target.attname, flat=True))
        referencing = rows_of(model, self.using).filter(**{f"{column.attname}__in": values})
        self._remember(referencing, are_deleted=action.is_cascade)

    @cached_property
    def _foreign_key_actions(self) -> Mapping[str, Iterable[ForeignKeyAction]]:
        return foreign_key_actions(self.using)

    @cached_property
    def _trigger_words(self) -> dict[str, set[str]]:
        return dict(words_of_triggers(self.using))


@contextmanager
def watch_statements(using: str, ignored_models: Collection[ModelType] = ()) -> Iterator[StatementWatch]:
    """Watch the statements of a block on a database, but for those on the rows of ``ignored_models``."""
    watch = StatementWatch(using, ignored_models)
    with connections[using].execute_wrapper(watch):
        yield watch


def _is_large(rows: models.QuerySet[Any]) -> bool:
    return rows.order_by()[: MAX_TABLE_ROWS + 1].count() > MAX_TABLE_ROWS


def _field_of(model: ModelType | None, column: str) -> Any:
    fields = [] if model is None else model._meta.local_concrete_fields
    return next((field for field in fields if field.column == column), None)


@cache
def _models_by_table() -> dict[str, ModelType]:
    """Return the models of the site by their tables."""
    return {
        model._meta.db_table: model
        for model in apps.get_models(include_auto_created=True)
        if not model._meta.proxy and model._meta.app_label != OWN_APP
    }


@cache
def _own_tables() -> frozenset[str]:
    own_models = apps.get_app_config(OWN_APP).get_models(include_auto_created=True)
    return frozenset(model._meta.db_table for model in own_models)
