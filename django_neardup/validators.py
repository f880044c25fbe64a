"""A validator for one field of a plain form or a serializer: the text is on the site already."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db.models import Model
from django.utils.deconstruct import deconstructible
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from .adapters import adapter_for
from .publishing.looking import look_at_text
from .visible import Querysets


@deconstructible
class NotNearDuplicate:
    """Refuses a text for which the rules of that model's publication say one of ``actions``.

    ``model``: a class, or "app.Model". ``visible``: what may be told of (None: ``live()``). ``author``, ``trust`` and
    ``scope``: what the rules are told of whoever writes; a text alone has no author, so rules of one's own posts speak
    to it only with an ``author``, and no key: leave a post that is edited out of ``visible``. ``ValidationError`` with
    the code "near_duplicate" and in its params ``title``, ``url`` and ``value``. What fails while it looks is
    logged, and lets the text through."""

    message: str | Promise = _("This is on the site already: %(title)s")
    code = "near_duplicate"

    def __init__(
        self,
        model: type[Model] | str,
        actions: Collection[str] = ("block",),
        *,
        visible: Querysets | None = None,
        author: Any = None,
        trust: str = "",
        scope: Iterable[Any] = (),
        message: str | Promise | None = None,
    ) -> None:
        self.model, self.actions, self.visible = model, tuple(actions), visible
        self.author, self.trust, self.scope = author, trust, tuple(scope)
        if message is not None:
            self.message = message

    def __call__(self, value: Any) -> None:
        model = apps.get_model(self.model) if isinstance(self.model, str) else self.model
        text = str(value)
        found = look_at_text(
            text, adapter_for(model), self.visible, self.author, self.trust, self.scope
        ).decision
        if found.action in self.actions:
            told = found.causes[0]
            params = {"value": text, "title": told.title, "url": told.url}
            raise ValidationError(str(self.message), code=self.code, params=params)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotNearDuplicate) and self.__dict__ == other.__dict__
