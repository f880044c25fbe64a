"""Lists that load the objects of their rows once for each page, not once for each row."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest

from .base import ReadOnlyAdmin


class PreparedChangeList(ChangeList):
    """A change list that passes its rows to ``PreparedListAdmin.prepare_rows`` before they are rendered."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        model_admin: Any = self.model_admin
        model_admin.prepare_rows(request, self.result_list, self.queryset.db)


class PreparedListAdmin(ReadOnlyAdmin):
    """A ModelAdmin with a ``PreparedChangeList``."""

    def get_changelist(self, request: HttpRequest, **kwargs: Any) -> type[PreparedChangeList]:
        return PreparedChangeList

    def prepare_rows(self, request: HttpRequest, rows: Sequence[Any], using: str) -> None:
        """Attach the displayed objects to the rows of a page, read from the database ``using``."""
        raise NotImplementedError
