"""Lists without duplicates, made by the database: totals, pages, filters and facets stay correct."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import Model, QuerySet
from django.db.models.sql import AND, Query
from django.db.models.sql.where import ExtraWhere

from ..adapters import adapters_of
from ..querysets import filterable
from ..visibility import GroupingError, Querysets, VisibilityFilter, registered_model
from .collapse_query import CollapsedQuery, CollapseState, Totals, load_totals, order_of, uncollapse
from .instances import group_iterable
from .representatives import is_random_order, ordering_of, shown_rows_q

__all__ = ["Totals", "collapse", "load_totals", "uncollapse"]

M = TypeVar("M", bound=Model)


def collapse(queryset: QuerySet[M], visible: Querysets | None = None, by: Any = None) -> QuerySet[M]:
    """Return the queryset with only the best post of each cluster.

    The result is still a queryset: filter, order, slice, count and page it. Parameters:

    - ``queryset``: all posts that match a search. It must not be sliced, and it must not use ``union()``,
      ``values()`` or ``extra()``.
    - ``visible``: the queryset of all posts that the visitor may see, or several, one for each model. None
      means ``queryset``. Posts outside it are neither shown nor counted.
    - ``by``: a name, an expression or a list of them, as in ``order_by()``. The first post in this order is
      the best. None means the order of the queryset. Primary keys break ties.

    A cluster is shown if any member matches. It is represented by its best *matching* member. Later filters
    apply to the shown posts. Each instance has ``neardup``, a ``listing.group.Group``: object, number of other
    visible members, others, label, URL. The groups are read at first access, for all instances that were
    fetched together.

    Raise ``GroupingError`` with the reason if the queryset cannot be collapsed.
    """
    _check_collapsible(queryset)
    queryset = filterable(queryset)
    root = registered_model(queryset.model)
    allowed = VisibilityFilter([queryset] if visible is None else visible)
    if visible is not None:
        queryset = _restrict_to(queryset, allowed.queryset_for(root), root)
    result: Any = queryset.all()
    if type(result.query) is Query:
        result.query = result.query.chain(CollapsedQuery)
    where_before = result.query.where.clone()
    if adapters_of(queryset.model):
        result = result.filter(shown_rows_q(_order_by_best(queryset, by), root))
    order = None if by is not None or is_random_order(queryset.query) else order_of(queryset.query)
    result.query.collapse = CollapseState(root, allowed, where_before, result.query.where.clone(), order)
    result._iterable_class = group_iterable(result._iterable_class)
    collapsed: QuerySet[M] = result
    return collapsed


def _check_collapsible(queryset: Any) -> None:
    if not isinstance(queryset, QuerySet):
        raise GroupingError(
            f"collapse() takes a queryset, not {type(queryset).__name__}. Use group() for lists."
        )
    given: Any = queryset
    query = given.query
    reasons = {
        "is sliced. Call collapse() first, then slice the result": query.is_sliced,
        "is a union() or similar, which cannot be filtered. Use | or Q": query.combinator,
        "uses values() or values_list(). Call them after collapse()": given._fields is not None,
        "uses extra(), whose SQL cannot be applied to other rows. Use annotate()": query.extra
        or query.extra_tables
        or query.extra_order_by
        or _has_extra(query.where),
        "uses distinct() with field names. Use filter(pk__in=...) on another queryset": query.distinct_fields,
        "is already collapsed": hasattr(query, "collapse"),
    }
    for reason, is_broken in reasons.items():
        if is_broken:
            raise GroupingError(f"The queryset of {queryset.model._meta.label} {reason}.")


def _has_extra(where: Any) -> bool:
    return any(
        isinstance(condition, ExtraWhere) or _has_extra(condition)
        for condition in getattr(where, "children", ())
    )


def _restrict_to(queryset: QuerySet[M], visible: QuerySet[Any] | None, root: type[Model]) -> QuerySet[M]:
    """Return the queryset restricted to the visible posts.

    Raise ``GroupingError`` if ``visible`` does not cover the model.
    """
    if visible is None:
        raise GroupingError(
            f"visible has only querysets of other models. Add the queryset of all {queryset.model._meta.label} that "
            "this visitor may see."
        )
    # Conditions on the table itself are merged, because looking up a list of keys is expensive.
    if not _has_own_conditions_only(visible, queryset.model):
        key = root._meta.pk.attname
        return queryset.filter(**{f"{key}__in": visible.values(key)})
    restricted = queryset.all()
    where: Any = restricted.query.where
    restricted.query.get_initial_alias()
    existing = where.children if _is_conjunction(where) else []
    conditions: Any = visible.query.where
    for condition in conditions.children if _is_conjunction(conditions) else [conditions]:
        if condition not in existing:
            where.add(condition, AND)
    return restricted


def _is_conjunction(where: Any) -> bool:
    """Return whether all conditions must be true, as after ``filter()``. Return False after ``|``."""
    return bool(where.connector == AND and not where.negated)


def _has_own_conditions_only(queryset: QuerySet[Any], model: type[Model]) -> bool:
    """Return whether only conditions on the model's own table restrict the queryset."""
    query: Any = queryset.query
    return (
        queryset.model._meta.concrete_model is model._meta.concrete_model
        and type(query) is Query
        and set(query.alias_map) <= {model._meta.db_table}
        and not (query.annotations or query.extra_tables or query.distinct_fields or _has_extra(query.where))
    )


def _order_by_best(queryset: QuerySet[M], by: Any) -> QuerySet[M]:
    """Return the queryset in the order that decides which post is the best. The best is first."""
    ordered = queryset.all()
    if by is not None:
        ordered = queryset.order_by(*(by if isinstance(by, list | tuple) else [by]))
        ordered.query.standard_ordering = True
    return ordered.order_by(*ordering_of(ordered), "pk")
