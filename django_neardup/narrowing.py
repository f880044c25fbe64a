"""Querysets that can be narrowed down further and then hold nothing that they did not hold before."""

from __future__ import annotations

from collections.abc import Collection
from typing import Any, TypeVar

from django.db.models import Model, QuerySet

from .portions import portions

M = TypeVar("M", bound=Model)


def narrowable(queryset: QuerySet[M]) -> QuerySet[M]:
    """The same objects, to be filtered further: none comes in because others were left out.

    A window or ``distinct("author")`` chooses among rows, and Django filters before it lets them choose: without an
    author's newest post the next would be the newest. Where the queryset is cut like that, its keys are asked for by
    themselves; windows that are selected too are reckoned anew over what is left.
    """
    query: Any = queryset.query
    if not (query.distinct_fields or query.where.contains_over_clause):
        return queryset
    found = queryset.filter(pk__in=queryset.using(None).values("pk"))
    query = found.query
    query.distinct, query.distinct_fields = False, ()
    kept = [each for each in query.where.children if not each.contains_over_clause]
    query.where = query.where.create(kept, query.where.connector)
    return found


def object_in(queryset: QuerySet[M], key: Any, using: str) -> M | None:
    """The object of that primary key, where the queryset holds it in that database now."""
    return narrowable(queryset).using(using).filter(pk=key).first()


def keys_in(queryset: QuerySet[Any], keys: Collection[Any], using: str) -> set[Any]:
    """Those primary keys whose objects the queryset holds in that database now: of what is gone it holds nothing.

    It is always asked; whoever has just read the objects need not ask a plain ``all()``."""
    rows = narrowable(queryset).using(using).order_by()
    parts = (rows.filter(pk__in=some) for some in portions(list(keys)))
    return {key for part in parts for key in part.values_list("pk", flat=True)}
