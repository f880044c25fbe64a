"""Lists whose rows carry the objects that they speak of: fetched once for the page, not once for a row."""

from __future__ import annotations

from typing import Any

from django.contrib.admin.views.main import ChangeList
from django.http import HttpRequest


class ShownChangeList(ChangeList):
    """Hands the rows of the page to the ModelAdmin's ``attach`` before they are drawn."""

    def get_results(self, request: HttpRequest) -> None:
        super().get_results(request)
        self.result_list: Any = list(self.result_list)
        page: Any = self.model_admin
        page.attach(request, self.result_list, self.queryset.db)
