"""A paginator and a view mixin over ``collapse()``."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

from ..visibility import Querysets
from .collapse import Totals, collapse, load_totals, uncollapse

# Django's class is generic for type checkers only.
if TYPE_CHECKING:
    PaginatorBase = Paginator[Any]
else:
    PaginatorBase = Paginator


class CollapsedPaginator(PaginatorBase):
    """Pages of ``collapse(object_list, visible, by)``, or of all posts if ``separate`` is set.

    ``total``: number of posts in the list. ``hidden``: number of posts behind the shown ones, the same with
    ``separate``. One statement yields ``total``, ``hidden`` and ``count``.
    """

    def __init__(
        self,
        object_list: QuerySet[Any],
        per_page: int,
        *args: Any,
        visible: Querysets | None = None,
        by: Any = None,
        separate: bool = False,
        **options: Any,
    ) -> None:
        self.separate = separate
        self._collapsed = collapse(object_list, visible, by)
        super().__init__(
            uncollapse(self._collapsed) if separate else self._collapsed, per_page, *args, **options
        )

    @cached_property
    def _list_totals(self) -> Totals:
        return load_totals(self._collapsed)

    @cached_property
    def count(self) -> int:
        return self.total if self.separate else self._list_totals.shown

    @property
    def total(self) -> int:
        return self._list_totals.total

    @property
    def hidden(self) -> int:
        return self._list_totals.hidden


class SimilarListMixin:
    """A mixin for ``ListView``, placed before it: one entry for each cluster.

    ``?similar=all`` shows each post separately. The result of ``get_queryset()`` is collapsed before it is
    cut into pages. The context also has ``separate`` (each post is shown separately), ``total`` (number of
    posts in the list) and ``hidden`` (number of posts behind others).
    """

    similar_kwarg = "similar"
    """The query parameter. Its value "all" shows each post separately."""

    collapse_by: Any = None
    """The order that chooses the best of a cluster. None means the order of the list."""

    request: Any
    object_list: Any

    def get_visible(self, queryset: QuerySet[Any]) -> Querysets | None:
        """Return all posts that the visitor may see. None means only the posts of the list."""
        return None

    def get_context_data(self, *, object_list: Any = None, **kwargs: Any) -> dict[str, Any]:
        view: Any = super()
        queryset = self.object_list if object_list is None else object_list
        self._pages = self._build_paginator(queryset)
        return {
            **view.get_context_data(object_list=self._pages.object_list, **kwargs),
            "separate": self._pages.separate,
            "total": self._pages.total,
            "hidden": self._pages.hidden,
        }

    def get_paginator(self, *args: Any, **kwargs: Any) -> CollapsedPaginator:
        """Return the paginator that ``get_context_data()`` has built."""
        return self._pages

    def _build_paginator(self, queryset: QuerySet[Any]) -> CollapsedPaginator:
        view: Any = self
        return CollapsedPaginator(
            queryset,
            view.get_paginate_by(queryset) or 1,
            orphans=view.get_paginate_orphans(),
            allow_empty_first_page=view.get_allow_empty(),
            visible=self.get_visible(queryset),
            by=self.collapse_by,
            separate=self.request.GET.get(self.similar_kwarg) == "all",
        )
