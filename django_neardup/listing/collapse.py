"""Lists without repetitions, made by the database: totals, pages, filters and facets stay right."""

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
    """The queryset with the best of each cluster alone; still a queryset, to filter, order, slice, count and page.

    ``queryset``: what matches a search, whole: not sliced, no ``union()``, ``values()`` or ``extra()``. ``visible``:
    the queryset of all that this visitor may see, or several, one a model; without it ``queryset`` itself. Nothing
    outside it is shown or counted. ``by``: a name, an expression or a list of them, as ``order_by()`` takes them, whose
    first is the best; without it the queryset's own order. Primary keys break ties.

    A cluster is shown if any of its members matches, by its best *matching* member. What is filtered afterwards is
    those that are shown. Each instance has ``neardup``, a `grouping.Group`: object, count of the other members in
    ``visible``, others, label, url; read for all instances fetched together when first asked for.
    ``GroupingError`` says what cannot be collapsed.
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
    before = result.query.where.clone()
    if adapters_of(queryset.model):
        result = result.filter(shown_rows_q(_order_by_best(queryset, by), root))
    order = None if by is not None or is_random_order(queryset.query) else order_of(queryset.query)
    result.query.collapse = CollapseState(root, allowed, before, result.query.where.clone(), order)
    result._iterable_class = group_iterable(result._iterable_class)
    collapsed: QuerySet[M] = result
    return collapsed


def _check_collapsible(queryset: Any) -> None:
    if not isinstance(queryset, QuerySet):
        raise GroupingError(
            f"collapse() takes a queryset, not {type(queryset).__name__}: group() takes lists."
        )
    given: Any = queryset
    query = given.query
    reasons = {
        "is sliced: collapse it whole, then slice what comes of it": query.is_sliced,
        "comes of union() or the like, which cannot be filtered: use | or Q": query.combinator,
        "comes of values() or values_list(): collapse first, values() after it": given._fields is not None,
        "comes of extra(), whose SQL cannot be said of other rows: use annotate()": query.extra
        or query.extra_tables
        or query.extra_order_by
        or _has_extra(query.where),
        "comes of distinct() with names: filter(pk__in=...) another queryset by it": query.distinct_fields,
        "is collapsed already": hasattr(query, "collapse"),
    }
    for reason, holds in reasons.items():
        if holds:
            raise GroupingError(f"The queryset of {queryset.model._meta.label} {reason}.")


def _has_extra(where: Any) -> bool:
    return any(isinstance(each, ExtraWhere) or _has_extra(each) for each in getattr(where, "children", ()))


def _restrict_to(queryset: QuerySet[M], visible: QuerySet[Any] | None, root: type[Model]) -> QuerySet[M]:
    """What both hold; conditions on the table itself are joined, for a list of keys is dear to look up."""
    if visible is None:
        raise GroupingError(
            f"visible speaks of other models only: add the queryset of all {queryset.model._meta.label} that "
            "this visitor may see."
        )
    if not _has_own_conditions_only(visible, queryset.model):
        key = root._meta.pk.attname
        return queryset.filter(**{f"{key}__in": visible.values(key)})
    found = queryset.all()
    where: Any = found.query.where
    found.query.get_initial_alias()
    known = where.children if _is_conjunction(where) else []
    conditions: Any = visible.query.where
    for each in conditions.children if _is_conjunction(conditions) else [conditions]:
        if each not in known:
            where.add(each, AND)
    return found


def _is_conjunction(where: Any) -> bool:
    """Whether each of these conditions must be met, as after ``filter()``; not so after ``|``."""
    return bool(where.connector == AND and not where.negated)


def _has_own_conditions_only(queryset: QuerySet[Any], model: type[Model]) -> bool:
    """Whether nothing but conditions on the model's own table narrows it down."""
    query: Any = queryset.query
    return (
        queryset.model._meta.concrete_model is model._meta.concrete_model
        and type(query) is Query
        and set(query.alias_map) <= {model._meta.db_table}
        and not (query.annotations or query.extra_tables or query.distinct_fields or _has_extra(query.where))
    )


def _order_by_best(queryset: QuerySet[M], by: Any) -> QuerySet[M]:
    """The queryset in the order whose first is the best."""
    found = queryset.all()
    if by is not None:
        found = queryset.order_by(*(by if isinstance(by, list | tuple) else [by]))
        found.query.standard_ordering = True
    return found.order_by(*ordering_of(found), "pk")
