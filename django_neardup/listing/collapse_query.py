"""What need not be asked row by row, as long as nothing was filtered after the collapse: totals and pages."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple, TypeVar

from django.core.exceptions import EmptyResultSet
from django.db import connections
from django.db.models import ForeignKey, Model, OuterRef, QuerySet, Subquery
from django.db.models.sql import Query
from django.db.models.sql.datastructures import Join
from django.db.models.sql.where import WhereNode

from ..visibility import GroupingError, VisibilityFilter
from .representatives import cluster_id_query, ordering_of
from .sql_joins import count_statement, is_ordered_by_window

EXTRA_ROWS = 20
GROWTH_FACTOR = 4
MAX_ROWS_READ = 50_000
"""Rows of a list that are read for one of its pages, which takes some 10 MB; what lies farther the database finds."""

M = TypeVar("M", bound=Model)


@dataclass(frozen=True)
class CollapseState:
    """What ``collapse()`` was asked: kept by the query, and by all that is made of it.

    ``plain``: the conditions before it, ``where``: those after it. ``order``: that of the list, where the best was
    chosen by it; else None.
    """

    root: type[Model]
    visible: VisibilityFilter
    where_before: WhereNode
    where_after: WhereNode
    order: tuple[Any, ...] | None


class Totals(NamedTuple):
    """How many rows a list has with every member of its clusters (``total``), and with one of each (``shown``)."""

    total: int
    shown: int

    @property
    def hidden(self) -> int:
        """How many stand behind those that are shown."""
        return self.total - self.shown


class CollapsedQuery(Query):
    """Counts clusters without asking which row is shown of each."""

    collapse: CollapseState

    def get_count(self, using: str) -> int:
        found = _count_by_clusters(self, using)
        return super().get_count(using) if found is None else found.shown


def order_of(query: Query) -> tuple[Any, ...]:
    """All that the order of a query's rows depends on."""
    return query.order_by, query.default_ordering, query.standard_ordering, query.extra_order_by


def load_totals(queryset: QuerySet[Any]) -> Totals:
    """Both totals of a collapsed queryset, in one statement wherever clusters alone tell them."""
    found = _count_by_clusters(queryset.query, queryset.db)
    return found or Totals(uncollapse(queryset).count(), queryset.count())


def uncollapse(queryset: QuerySet[M]) -> QuerySet[M]:
    """A collapsed queryset with every member of its clusters again, as far as they may be seen."""
    found: Any = queryset.all()
    if found.query.where != found.query.collapse.where_after:
        raise GroupingError("The queryset was filtered after collapse(): what it leaves out cannot be told.")
    found.query = _uncollapse_query(found.query)
    found._iterable_class = found._iterable_class.base
    whole: QuerySet[M] = found
    return whole


def shown_keys_of_slice(queryset: QuerySet[Any]) -> list[Any] | None:
    """Primary keys of the slice's rows, read from the list as it was before the collapse: the row of a cluster that
    comes first there is the one that is shown. None where that cannot be said, or they lie too far."""
    query: Any = queryset.query
    if query.high_mark is None or query.collapse.order != order_of(query) or query.select_for_update:
        return None
    if (
        query.distinct
        or not (_is_unfiltered(query) and _has_unrepeated_rows(query))
        or _depends_on_other_rows(query)
    ):
        return None
    rows = uncollapse(queryset)
    rows.query.clear_limits()
    cluster = cluster_id_query(query.collapse.root, OuterRef(query.collapse.root._meta.pk.attname))
    ordered = rows.order_by(*ordering_of(rows), "pk").values_list("pk", Subquery(cluster))
    found = _read_first_keys(ordered, query.high_mark)
    return None if found is None else found[query.low_mark :]


def _read_first_keys(rows: QuerySet[Any, Any], stop: int) -> list[Any] | None:
    """Keys of the first rows until there are so many: one a cluster. None where that takes more than `MOST`."""
    found: dict[Any, Any] = {}
    start, size = 0, 2 * stop + EXTRA_ROWS
    while start + size <= MAX_ROWS_READ:
        part = list(rows[start : start + size])
        for pk, cluster in part:
            found.setdefault((cluster, None if cluster else pk), pk)
        if len(found) >= stop or len(part) < size:
            return list(found.values())[:stop]
        start, size = start + size, size * GROWTH_FACTOR
    return None


def _is_unfiltered(query: Any) -> bool:
    """Whether the rows, but for their order and slice, are those that the collapse has left."""
    extra = query.extra or query.extra_tables
    changed = extra or query.combinator or query.distinct_fields or query.group_by is not None
    return not changed and bool(query.where == query.collapse.where_after)


def _has_unrepeated_rows(query: Any) -> bool:
    """Whether no join repeats a row: all lead to the one row that a foreign key names."""
    joins = (join for alias, join in query.alias_map.items() if query.alias_refcount[alias])
    return all(isinstance(join.join_field, ForeignKey) for join in joins if isinstance(join, Join))


def _depends_on_other_rows(query: Any) -> bool:
    """Whether a value of a row, or its place, depends on which others there are: one of a window."""
    return is_ordered_by_window(query) or any(
        each.contains_over_clause for each in query.annotations.values()
    )


def _uncollapse_query(query: Any) -> Query:
    found: Any = query.clone()
    found.where = query.collapse.where_before.clone()
    del found.collapse
    if isinstance(query, CollapsedQuery):
        found.__class__ = Query
    plain_query: Query = found
    return plain_query


def _count_by_clusters(query: Any, using: str) -> Totals | None:
    """The totals as clusters alone tell them: however the best is chosen, a cluster that has matching rows is one
    entry. None where rows may be repeated or were filtered since."""
    if query.is_sliced or not _is_unfiltered(query):
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
        total, members, clusters = cursor.fetchone()
    return Totals(total, total - members + clusters)
