"""Lists whose rows carry the objects that they speak of: fetched once for the page, not once for a row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest

from .base import ReadOnlyAdmin


class PreparedChangeList(ChangeList):
    """Hands the rows of the page to the ``PreparedListAdmin`` before they are drawn."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        page: Any = self.model_admin
        page.prepare_rows(request, self.result_list, self.queryset.db)


class PreparedListAdmin(ReadOnlyAdmin):
    """Pages that begin with such a list."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[PreparedChangeList]:
        return PreparedChangeList

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Give every row of the page, read from that database, what it speaks of."""
        raise NotImplementedError
