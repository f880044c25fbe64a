"""Which rows are shown, as a condition on them: those alone, and the best of each cluster."""

from __future__ import annotations

from typing import Any

from django.db.models import BooleanField, Expression, F, Model, OuterRef, Q, QuerySet, Subquery
from django.db.models.functions import Random
from django.db.models.lookups import IsNull
from django.db.models.sql import Query
from django.db.models.sql.compiler import SQLCompiler

from ..models import Cluster, Membership
from .joined import first_of_all, fits_a_window
from .keys import Kind, Sql, of_membership, of_post

LARGE = 16
"""A cluster of more members is settled once in a statement; in a smaller one each row looks at all others."""

FEW = 5000
"""A slice that ends before this row is looked for row by row."""


def shown(queryset: QuerySet[Any], root: type[Model]) -> Q:
    """The rows of an ordered queryset that stand in no cluster, or are the first of theirs.

    ``root``: the model whose keys documents know.
    """
    candidates = queryset.all()
    candidates.query.distinct = False
    candidates.query.select_for_update = False
    by_row = _row_by_row(candidates, root)
    return Q(_Either(by_row, candidates.query, root)) if fits_a_window(candidates.query) else by_row


class _Either(Expression):
    """Two conditions of one meaning: one for the first rows of a list, one for the whole of it."""

    conditional = True

    def __init__(self, by_row: Q, candidates: Query, root: type[Model]) -> None:
        super().__init__(output_field=BooleanField())
        self.by_row: Any = by_row
        self.key: Any = F("pk")
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
        return [self.by_row, self.key]

    def set_source_expressions(self, expressions: Any) -> None:
        self.by_row, self.key = expressions

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> Sql:
        stop = compiler.query.high_mark
        if stop is not None and stop <= FEW:
            sql, values = compiler.compile(self.by_row)
            return f"({sql})", (*values,)
        key, values = compiler.compile(self.key)
        rows: QuerySet[Any] = QuerySet(model=self.candidates.model, query=self.candidates)
        found, more = first_of_all(rows, self.root, connection)
        return f"{key} IN ({found})", (*values, *more)


def _row_by_row(candidates: QuerySet[Any], root: type[Model]) -> Q:
    """Of a row that stands alone nothing is asked but its cluster, and rows that are never reached cost nothing."""
    key = root._meta.pk.attname
    small = cluster_of(root, OuterRef(OuterRef(OuterRef(key)))).filter(cluster__size__lte=LARGE)
    large = Cluster.objects.filter(size__gt=LARGE)
    return (
        Q(IsNull(Subquery(cluster_of(root, OuterRef(key))), True))
        | Q(pk=_first(candidates, root, Subquery(small[:1])))
        | Q(pk__in=large.values_list(_first(candidates, root, OuterRef(OuterRef("pk"))), flat=True))
    )


def _first(candidates: QuerySet[Any], root: type[Model], cluster: Any) -> Subquery:
    members = Membership.objects.filter(content_type_id=Kind(root), cluster_id=cluster)
    among = {f"{root._meta.pk.attname}__in": members.values_list(of_post(root), flat=True)}
    return Subquery(candidates.filter(**among).values("pk")[:1])


def cluster_of(root: type[Model], key: Any) -> QuerySet[Any, Any]:
    """The cluster, one column and a row at most, of the post with that key."""
    return Membership.objects.filter(**of_membership(root, key)).values("cluster_id")


def ordering_of(queryset: QuerySet[Any]) -> tuple[Any, ...]:
    """What the queryset is ordered by; empty where it is not, or at random."""
    query: Any = queryset.query
    return () if at_random(query) else query.order_by or _default(query)


def at_random(query: Any) -> bool:
    """Whether every look at the queryset gives another order."""
    given = query.order_by or _default(query)
    return any(each == "?" or isinstance(getattr(each, "expression", each), Random) for each in given)


def _default(query: Any) -> tuple[Any, ...]:
    return tuple(query.get_meta().ordering) if query.default_ordering and query.group_by is None else ()
