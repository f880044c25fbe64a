"""Which templates a page or a part of one is looked for in."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import Model
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from .visible import root_of


def template_names(model: type[Model], name: str) -> list[str]:
    """The most specific template first: the model's, its app's, ours."""
    meta = root_of(model)._meta
    return [
        f"neardup/{meta.app_label}/{meta.model_name}/{name}",
        f"neardup/{meta.app_label}/{name}",
        f"neardup/{name}",
    ]


class Rendered:
    """Something that is printed by the template ``template``, where it stands under ``name``; in any engine."""

    template: ClassVar[str]
    name: ClassVar[str]

    def __init__(self, model: type[Model], request: HttpRequest | None = None) -> None:
        self._model, self._request = model, request

    def __str__(self) -> SafeString:
        return render_to_string(template_names(self._model, self.template), {self.name: self}, self._request)

    __html__ = __str__
