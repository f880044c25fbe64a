"""Validator for one field of a plain form or a serializer: it refuses a text that is already on the site."""

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
from .prepublication.check import check_text
from .prepublication.text_facts import FACT_TEXTS, TOO_LONG
from .visibility import Querysets


@deconstructible
class NotNearDuplicate:
    """Refuses a text if the publication rules of the model decide for one of ``actions``.

    - ``model``: a class, or "app.Model".
    - ``visible``: the posts that may be named (None: ``live()``).
    - ``author``, ``trust`` and ``scope``: facts about the writer, for the rules.

    A text without a post has no author. So rules about an author's own posts apply only if you pass
    ``author``. It has no primary key either: exclude a post that is being edited from ``visible``.

    Raise ValidationError with the code "near_duplicate" and the params ``title``, ``url`` and ``value``.
    Errors of the search are logged, and the text is accepted.
    """

    message: str | Promise = _("This is already on the site: %(title)s")
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
        decision = check_text(
            text, adapter_for(model), self.visible, self.author, self.trust, self.scope
        ).decision
        if decision.action in self.actions and TOO_LONG in decision.facts:
            raise ValidationError(str(FACT_TEXTS[TOO_LONG]), code=TOO_LONG, params={"value": text})
        # A doubt never refuses a text.
        causes = [match for match in decision.causes if not match.doubtful]
        if decision.action in self.actions and causes:
            cause = causes[0]
            params = {"value": text, "title": cause.title, "url": cause.url}
            raise ValidationError(str(self.message), code=self.code, params=params)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, NotNearDuplicate) and self.__dict__ == other.__dict__
