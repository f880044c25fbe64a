"""Which rows are shown, as a condition on them: those alone, and the best of each cluster."""

from __future__ import annotations

from typing import Any

from django.db.models import BooleanField, Expression, F, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Random
from django.db.models.lookups import IsNull
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

from ..models import Cluster, Membership
from .key_expressions import ContentTypeId, Sql, membership_filter, post_key
from .sql_joins import can_order_in_window, first_per_cluster_statement

MAX_SMALL_CLUSTER = 16
"""A cluster of more members is settled once in a statement; in a smaller one each row looks at all others."""

MAX_ROW_BY_ROW = 5000
"""A slice that ends before this row is looked for row by row."""


def shown_rows_q(queryset: QuerySet[Any], root: type[Model]) -> Q:
    """The rows of an ordered queryset that stand in no cluster, or are the first of theirs.

    ``root``: the model whose keys documents know.
    """
    candidates = queryset.all()
    candidates.query.distinct = False
    candidates.query.select_for_update = False
    by_row = _row_by_row_q(candidates, root)
    return (
        Q(_AdaptiveCondition(by_row, candidates.query, root))
        if can_order_in_window(candidates.query)
        else by_row
    )


class _AdaptiveCondition(Expression):
    """Two conditions of one meaning: one for the first rows of a list, one for the whole of it."""

    conditional = True

    def __init__(self, row_condition: Q, candidates: Query, root: type[Model]) -> None:
        super().__init__(output_field=BooleanField())
        self.row_condition: Any = row_condition
        self.pk_expression: Any = F("pk")
        self.candidates, self.root = candidates, root

    def __getstate__(self) -> dict[str, Any]:
        """Without what it was made of: a pickle would read the querysets in that."""
        state: Any = super().__getstate__()
        state.pop("_constructor_args", None)
        kept: dict[str, Any] = state
        return kept

    @property
    def identity(self) -> tuple[Any, ...]:
        return type(self), id(self.candidates), self.root

    def get_source_expressions(self) -> list[Any]:
        return [self.row_condition, self.pk_expression]

    def set_source_expressions(self, expressions: Any) -> None:
        self.row_condition, self.pk_expression = expressions

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Sql:
        stop = compiler.query.high_mark
        if stop is not None and stop <= MAX_ROW_BY_ROW:
            sql, values = compiler.compile(self.row_condition)
            return f"({sql})", (*values,)
        key, values = compiler.compile(self.pk_expression)
        rows: QuerySet[Any] = QuerySet(model=self.candidates.model, query=self.candidates)
        found, more = first_per_cluster_statement(rows, self.root, connection)
        return f"{key} IN ({found})", (*values, *more)


def _row_by_row_q(candidates: QuerySet[Any], root: type[Model]) -> Q:
    """Of a row that stands alone nothing is asked but its cluster, and rows that are never reached cost nothing."""
    key = root._meta.pk.attname
    small = cluster_id_query(root, OuterRef(OuterRef(OuterRef(key)))).filter(
        cluster__size__lte=MAX_SMALL_CLUSTER
    )
    large = Cluster.objects.filter(size__gt=MAX_SMALL_CLUSTER)
    return (
        Q(IsNull(Subquery(cluster_id_query(root, OuterRef(key))), True))
        | Q(pk=_first_pk(candidates, root, Subquery(small[:1])))
        | Q(pk__in=large.values_list(_first_pk(candidates, root, OuterRef(OuterRef("pk"))), flat=True))
    )


def _first_pk(candidates: QuerySet[Any], root: type[Model], cluster: Any) -> Subquery:
    members = Membership.objects.filter(content_type_id=ContentTypeId(root), cluster_id=cluster)
    among = {f"{root._meta.pk.attname}__in": members.values_list(post_key(root), flat=True)}
    return Subquery(candidates.filter(**among).values("pk")[:1])


def cluster_id_query(root: type[Model], key: Any) -> QuerySet[Any, Any]:
    """The cluster, one column and a row at most, of the post with that key."""
    return Membership.objects.filter(**membership_filter(root, key)).values("cluster_id")


def ordering_of(queryset: QuerySet[Any]) -> tuple[Any, ...]:
    """What the queryset is ordered by; empty where it is not, or at random."""
    query: Any = queryset.query
    return () if is_random_order(query) else query.order_by or _default_ordering(query)


def is_random_order(query: Any) -> bool:
    """Whether every look at the queryset gives another order."""
    given = query.order_by or _default_ordering(query)
    return any(each == "?" or isinstance(getattr(each, "expression", each), Random) for each in given)


def _default_ordering(query: Any) -> tuple[Any, ...]:
    return tuple(query.get_meta().ordering) if query.default_ordering and query.group_by is None else ()
