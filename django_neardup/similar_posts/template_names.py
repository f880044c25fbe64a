"""The names of the templates for a page or a part of it."""

from __future__ import annotations

from typing import ClassVar

from django.db.models import Model
from django.http import HttpRequest
from django.template.loader import render_to_string
from django.utils.safestring import SafeString

from ..visibility import registered_model


def template_names(model: type[Model], name: str) -> list[str]:
    """Return the template names for the model, for its app and for all models, in this order."""
    meta = registered_model(model)._meta
    return [
        f"neardup/{meta.app_label}/{meta.model_name}/{name}",
        f"neardup/{meta.app_label}/{name}",
        f"neardup/{name}",
    ]


class Renderable:
    """An object that renders itself with the template ``template_name``, in any template engine.

    In the template it has the name ``context_name``.
    """

    template_name: ClassVar[str]
    context_name: ClassVar[str]

    def __init__(self, model: type[Model], request: HttpRequest | None = None) -> None:
        self._model, self._request = model, request

    def __str__(self) -> SafeString:
        return render_to_string(
            template_names(self._model, self.template_name), {self.context_name: self}, self._request
        )

    __html__ = __str__
