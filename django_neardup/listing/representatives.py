"""The condition for the rows that are shown: rows without a cluster, and the best row of each cluster."""

from __future__ import annotations

from typing import Any

from django.core.exceptions import FullResultSet
from django.db.models import BooleanField, Expression, F, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Random
from django.db.models.lookups import IsNull
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

from ..db.document_key import Sql
from ..models import Cluster, Membership
from ..pipeline.availability import is_active
from .key_expressions import ContentTypeId, membership_filter, post_key
from .sql_joins import can_order_in_window, first_per_cluster_statement

MAX_SMALL_CLUSTER = 16
"""Size limit of a small cluster. Each of its rows is compared with all others. For a larger cluster,
the first row is computed once in a statement."""

MAX_ROW_BY_ROW = 5000
"""If a slice ends at this row or earlier, the row-by-row condition is used."""


def shown_rows_q(queryset: QuerySet[Any], root: type[Model]) -> Q:
    """Return the condition for the shown rows of an ordered queryset.

    A row is shown if it has no cluster or is the first of its cluster. If the app is not active when the
    statement runs, every row is shown. ``root``: the model under which documents store the keys.
    """
    candidates = queryset.all()
    candidates.query.distinct = False
    # A lock applies to the shown rows only.
    candidates.query.select_for_update = False
    numbered = candidates.query if can_order_in_window(candidates.query) else None
    return Q(_AdaptiveCondition(_row_by_row_q(candidates, root), numbered, root))


class _AdaptiveCondition(Expression):
    """Two equivalent conditions: one is fast for the first rows of a list, the other for the whole list.

    ``candidates``: the query that the second one numbers. None if only the first one is possible.
    """

    conditional = True

    def __init__(self, row_condition: Q, candidates: Query | None, root: type[Model]) -> None:
        super().__init__(output_field=BooleanField())
        self.row_condition: Any = row_condition
        self.pk_expression: Any = F("pk")
        self.candidates, self.root = candidates, root

    def __getstate__(self) -> dict[str, Any]:
        """Leave out the constructor arguments."""
        state: Any = super().__getstate__()
        # Pickling the querysets in them would read all their rows.
        state.pop("_constructor_args", None)
        result: dict[str, Any] = state
        return result

    @property
    def identity(self) -> tuple[Any, ...]:
        return type(self), id(self.candidates), self.root

    def get_source_expressions(self) -> list[Any]:
        return [self.row_condition, self.pk_expression]

    def set_source_expressions(self, expressions: Any) -> None:
        self.row_condition, self.pk_expression = expressions

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Sql:
        # Only here is the database known. A queryset may be older than the tables.
        if not is_active(connection.alias):
            raise FullResultSet
        stop = compiler.query.high_mark
        if self.candidates is None or (stop is not None and stop <= MAX_ROW_BY_ROW):
            sql, values = compiler.compile(self.row_condition)
            return f"({sql})", (*values,)
        key, values = compiler.compile(self.pk_expression)
        rows: QuerySet[Any] = QuerySet(model=self.candidates.model, query=self.candidates)
        statement, parameters = first_per_cluster_statement(rows, self.root, connection)
        return f"{key} IN ({statement})", (*values, *parameters)


def _row_by_row_q(candidates: QuerySet[Any], root: type[Model]) -> Q:
    """Return the condition that is checked for each row.

    For a row without a cluster only the cluster is looked up. Rows that are never reached cost nothing.
    """
    key = root._meta.pk.attname
    small_cluster = cluster_id_query(root, OuterRef(OuterRef(OuterRef(key)))).filter(
        cluster__size__lte=MAX_SMALL_CLUSTER
    )
    large_clusters = Cluster.objects.filter(size__gt=MAX_SMALL_CLUSTER)
    return (
        Q(IsNull(Subquery(cluster_id_query(root, OuterRef(key))), True))
        | Q(pk=_first_pk(candidates, root, Subquery(small_cluster[:1])))
        | Q(
            pk__in=large_clusters.values_list(
                _first_pk(candidates, root, OuterRef(OuterRef("pk"))), flat=True
            )
        )
    )


def _first_pk(candidates: QuerySet[Any], root: type[Model], cluster: Any) -> Subquery:
    members = Membership.objects.filter(content_type_id=ContentTypeId(root), cluster_id=cluster)
    member_filter = {f"{root._meta.pk.attname}__in": members.values_list(post_key(root), flat=True)}
    return Subquery(candidates.filter(**member_filter).values("pk")[:1])


def cluster_id_query(root: type[Model], key: Any) -> QuerySet[Any, Any]:
    """Return a query for the cluster of the post with that key: one column, at most one row."""
    return Membership.objects.filter(**membership_filter(root, key)).values("cluster_id")


def ordering_of(queryset: QuerySet[Any]) -> tuple[Any, ...]:
    """Return the ordering of the queryset. Return () if it has none or is in random order."""
    query: Any = queryset.query
    return () if is_random_order(query) else query.order_by or _default_ordering(query)


def is_random_order(query: Any) -> bool:
    """Return whether each evaluation of the queryset has another order."""
    ordering = query.order_by or _default_ordering(query)
    return any(term == "?" or isinstance(getattr(term, "expression", term), Random) for term in ordering)


def _default_ordering(query: Any) -> tuple[Any, ...]:
    return tuple(query.get_meta().ordering) if query.default_ordering and query.group_by is None else ()
