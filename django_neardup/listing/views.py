"""Lists of a site's own views: a paginator and a mixin for class-based views, each over ``collapse()``."""

from __future__ import annotations

from functools import cached_property
from typing import Any

from django.core.paginator import Paginator
from django.db.models import QuerySet

from ..visibility import Querysets
from .collapse import Totals, collapse, load_totals, uncollapse


class CollapsedPaginator(Paginator):  # type: ignore[type-arg]
    """Pages of ``collapse(object_list, visible, by)``; of every post, where ``separate``.

    ``total``: how many posts the list has; ``hidden``: how many of them stand behind those that are shown, also where
    they are shown as well. Both and ``count`` come of one statement.
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
    """For ``ListView``, before it: one entry a cluster, and ``?similar=all`` shows each post by itself.

    Whatever ``get_queryset()`` gives is collapsed, before it is cut into pages. The context holds besides: ``separate``
    (each post is shown by itself), ``total`` (posts of the list), ``hidden`` (how many of them stand behind others).
    """

    similar_kwarg = "similar"
    """The parameter of the address; its value "all" asks for each post."""

    collapse_by: Any = None
    """What the best of a cluster is chosen by; None: by the order of the list."""

    request: Any
    object_list: Any

    def get_visible(self, queryset: QuerySet[Any]) -> Querysets | None:
        """All that this visitor may see; None: no more than the list itself holds."""
        return None

    def get_context_data(self, *, object_list: Any = None, **kwargs: Any) -> dict[str, Any]:
        view: Any = super()
        found = self.object_list if object_list is None else object_list
        self._pages = self._build_paginator(found)
        return {
            **view.get_context_data(object_list=self._pages.object_list, **kwargs),
            "separate": self._pages.separate,
            "total": self._pages.total,
            "hidden": self._pages.hidden,
        }

    def get_paginator(self, *args: Any, **kwargs: Any) -> CollapsedPaginator:
        """The pages that ``get_context_data()`` has made already."""
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
