"""Statements that join all rows of a list with their clusters.

Row-by-row subqueries would be expensive for these.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db.models import F, IntegerField, Model, QuerySet, Window
from django.db.models.functions import RowNumber

from ..db.document_key import Sql
from ..db.queries import collapsed_lists
from ..pipeline.content_objects import content_type_of
from .key_expressions import document_key, key_field_type


def count_statement(rows: QuerySet[Any], root: type[Model], connection: Any) -> Sql:
    """Return the statement that counts the rows, the rows in clusters, and the clusters.

    Raise ``EmptyResultSet`` if the queryset can match no row.
    """
    return _compile_statement(
        collapsed_lists.counts, rows.order_by().values(neardup_key=_document_key(root)), root, connection
    )


def first_per_cluster_statement(rows: QuerySet[Any], root: type[Model], connection: Any) -> Sql:
    """Return the statement for the primary keys of shown rows.

    They are the rows without a cluster and the first row of each cluster.
    """
    order: Any = rows.query.order_by
    position = Window(RowNumber(), order_by=list(order))
    numbered_rows = rows.order_by().values(
        neardup_pk=F("pk"), neardup_key=_document_key(root), neardup_place=position
    )
    return _compile_statement(collapsed_lists.firsts, numbered_rows, root, connection)


def can_order_in_window(query: Any) -> bool:
    """Return whether the query's order means the same inside a window.

    Names of relations do not, because their Meta.ordering may replace them. Values that are computed over a
    window do not either.
    """
    if not query.standard_ordering or query.group_by is not None or is_ordered_by_window(query):
        return False
    return not any(isinstance(term, str) and _is_relation(query, term.lstrip("-")) for term in query.order_by)


def is_ordered_by_window(query: Any) -> bool:
    """Return whether the order of the rows depends on the other rows."""
    return any(_contains_window(query, term) for term in query.order_by)


def _contains_window(query: Any, each: Any) -> bool:
    if isinstance(each, str):
        expression: Any = query.annotations.get(each.lstrip("-"))
    else:
        expression = each.resolve_expression(query.clone())
    return bool(expression is not None and expression.contains_over_clause)


def _is_relation(query: Any, name: str) -> bool:
    if name in query.annotations or name == "pk":
        return False
    parts = name.split("__")
    _, field, _, lookups = query.names_to_path(parts, query.get_meta())
    return bool(field.is_relation and not lookups and parts[-1] not in (getattr(field, "attname", ""), "pk"))


def _document_key(root: type[Model]) -> Any:
    return document_key(root, F(root._meta.pk.attname))


def _compile_statement(
    build: Callable[[str, str, str], str], matching: QuerySet[Any, Any], root: type[Model], connection: Any
) -> Sql:
    sql, values = matching.query.get_compiler(connection=connection).as_sql()
    column = "object_key" if key_field_type(root) is IntegerField else "object_id"
    return build(connection.alias, sql, column), (*values, content_type_of(root, connection.alias).pk)
