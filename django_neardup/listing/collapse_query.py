"""Shortcuts for collapsed querysets that were not filtered after ``collapse()``: totals and pages.

They avoid the check of each row whether it is the best of its cluster.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import ForeignKey, Model, OuterRef, QuerySet, Subquery
from django.db.models.sql import Query
from django.db.models.sql.datastructures import Join
from django.db.models.sql.where import WhereNode

from ..pipeline.availability import is_active
from ..visibility import GroupingError, VisibilityFilter
from .representatives import cluster_id_query, ordering_of
from .sql_joins import count_statement, is_ordered_by_window

EXTRA_ROWS = 20
GROWTH_FACTOR = 4
MAX_ROWS_READ = 50_000
"""Maximum number of rows read for one page, about 10 MB. The database finds pages farther down the list."""

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class CollapseState:
    """The arguments of ``collapse()``. The query and all queries derived from it keep them.

    ``where_before``: the conditions before the collapse. ``where_after``: the conditions after it.
    ``order``: the order of the list if the best was chosen by it, otherwise None.
    """

    root: type[Model]
    visible: VisibilityFilter
    where_before: WhereNode
    where_after: WhereNode
    order: tuple[Any, ...] | None


class Totals(NamedTuple):
    """Number of rows in a list.

    ``total`` counts every member of the clusters. ``shown`` counts one row for each cluster.
    """

    total: int
    shown: int

    @property
    def hidden(self) -> int:
        """Number of rows behind the shown ones."""
        return self.total - self.shown


class CollapsedQuery(Query):
    """A query that counts clusters without finding the shown row of each."""

    collapse: CollapseState

    def get_count(self, using: str) -> int:
        totals = _count_by_clusters(self, using)
        return super().get_count(using) if totals is None else totals.shown


def order_of(query: Query) -> tuple[Any, ...]:
    """Return everything that the order of a query's rows depends on."""
    return query.order_by, query.default_ordering, query.standard_ordering, query.extra_order_by


def load_totals(queryset: QuerySet[Any]) -> Totals:
    """Return both totals of a collapsed queryset.

    If the clusters are enough to count, this takes one statement.
    """
    totals = _count_by_clusters(queryset.query, queryset.db)
    return totals or Totals(uncollapse(queryset).count(), queryset.count())


def uncollapse(queryset: QuerySet[M]) -> QuerySet[M]:
    """Return a collapsed queryset with all visible members of its clusters again.

    Raise ``GroupingError`` if the queryset was filtered after ``collapse()``.
    """
    uncollapsed: Any = queryset.all()
    if uncollapsed.query.where != uncollapsed.query.collapse.where_after:
        raise GroupingError("The queryset was filtered after collapse(). Filter it before collapse().")
    uncollapsed.query = _uncollapse_query(uncollapsed.query)
    uncollapsed._iterable_class = uncollapsed._iterable_class.base
    result: QuerySet[M] = uncollapsed
    return result


def shown_keys_of_slice(queryset: QuerySet[Any]) -> list[Any] | None:
    """Return the primary keys of the slice's rows, in order.

    They are read from the list before the collapse. There, the first row of a cluster is the shown row.
    Return None if this does not hold for the query, if the rows are too far down the list, or if the app is not
    active.
    """
    query: Any = queryset.query
    if not is_active(queryset.db):
        return None
    if query.high_mark is None or query.collapse.order != order_of(query) or query.select_for_update:
        return None
    # A window over a page would have other values than the window over the list.
    if (
        query.distinct
        or not (_is_unfiltered(query) and _has_unrepeated_rows(query))
        or _depends_on_other_rows(query)
    ):
        return None
    uncollapsed = uncollapse(queryset)
    uncollapsed.query.clear_limits()
    cluster_query = cluster_id_query(query.collapse.root, OuterRef(query.collapse.root._meta.pk.attname))
    ordered_rows = uncollapsed.order_by(*ordering_of(uncollapsed), "pk").values_list(
        "pk", Subquery(cluster_query)
    )
    keys = _read_first_keys(ordered_rows, query.high_mark)
    return None if keys is None else keys[query.low_mark :]


def _read_first_keys(rows: QuerySet[Any, Any], stop: int) -> list[Any] | None:
    """Return the keys of the first ``stop`` shown rows, one for each cluster.

    Return None if this takes more than ``MAX_ROWS_READ`` rows.
    """
    key_by_entry: dict[Any, Any] = {}
    start, batch_size = 0, 2 * stop + EXTRA_ROWS
    while start + batch_size <= MAX_ROWS_READ:
        batch = list(rows[start : start + batch_size])
        for pk, cluster_id in batch:
            key_by_entry.setdefault((cluster_id, None if cluster_id else pk), pk)
        if len(key_by_entry) >= stop or len(batch) < batch_size:
            return list(key_by_entry.values())[:stop]
        start, batch_size = start + batch_size, batch_size * GROWTH_FACTOR
    return None


def _is_unfiltered(query: Any) -> bool:
    """Return whether the collapse left the same rows, apart from their order and the slice."""
    has_extra = query.extra or query.extra_tables
    is_changed = has_extra or query.combinator or query.distinct_fields or query.group_by is not None
    return not is_changed and bool(query.where == query.collapse.where_after)


def _has_unrepeated_rows(query: Any) -> bool:
    """Return whether no join repeats a row."""
    # A foreign key leads to one row, so only other joins repeat rows.
    joins = (join for alias, join in query.alias_map.items() if query.alias_refcount[alias])
    return all(isinstance(join.join_field, ForeignKey) for join in joins if isinstance(join, Join))


def _depends_on_other_rows(query: Any) -> bool:
    """Return whether a value or the position of a row depends on the other rows, because of a window."""
    return is_ordered_by_window(query) or any(
        annotation.contains_over_clause for annotation in query.annotations.values()
    )


def _uncollapse_query(query: Any) -> Query:
    uncollapsed: Any = query.clone()
    uncollapsed.where = query.collapse.where_before.clone()
    del uncollapsed.collapse
    if isinstance(query, CollapsedQuery):
        uncollapsed.__class__ = Query
    plain_query: Query = uncollapsed
    return plain_query


def _count_by_clusters(query: Any, using: str) -> Totals | None:
    """Return the totals, counted by clusters only.

    A cluster with matching rows is one entry, and the choice of the best row does not matter. Return None if
    rows may be repeated or were filtered after the collapse, or if the app is not active.
    """
    if query.is_sliced or not _is_unfiltered(query) or not is_active(using):
        return None
    if not (_has_unrepeated_rows(query) or (query.distinct and not query.annotations)):
        return None
    rows: QuerySet[Any] = QuerySet(model=query.model, query=_uncollapse_query(query), using=using)
    rows.query.select_for_update = False
    connection = connections[using]
    try:
        sql, values = count_statement(rows, query.collapse.root, connection)
    except EmptyResultSet:
        return Totals(0, 0)
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        total, in_clusters, clusters = cursor.fetchone()
    return Totals(total, total - in_clusters + clusters)
