"""Whose posts are looked at, and which of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldError, ValidationError
from django.db import models

from ..adapters import Adapter, adapter_for
from ..checks.attributes import unreadable
from ..exceptions import NotRegistered
from ..narrowing import narrowable

UNFIT = (FieldError, ValidationError, ValueError, TypeError, LookupError)
"""What a filter raises of names and values that it cannot take."""
SAMPLE = 5000
"""Posts that are read where nobody says how many."""


class PreviewError(ValueError):
    """What was asked for cannot be shown; the message says why."""


@dataclass(frozen=True)
class Choice:
    """Posts to look at: the last ``sample`` of ``adapter``'s posts by ``order`` (0: all of them).

    Neighbours in time are chosen, not posts at random: whoever posts an advert again does so soon, and of two copies a
    random sample of a tenth holds both but once in a hundred."""

    adapter: Adapter
    sample: int = SAMPLE
    order: str = "pk"
    where: tuple[tuple[str, str], ...] = ()
    using: str = "default"

    def rows(self) -> models.QuerySet[Any]:
        """All posts that may be chosen from, in no order."""
        every = narrowable(self.adapter.compared()).using(self.using).order_by()
        if not self.where:
            return every
        try:
            some = every.filter(**{name: _value(text) for name, text in self.where})
            found = every.filter(pk__in=some.values("pk"))
            str(found.query)  # what some lookups take is seen there alone
        except UNFIT as error:
            raise PreviewError(f"--where cannot be used: {_told(error)}") from error
        return found

    def chosen(self) -> list[Any]:
        """Primary keys of the posts, the oldest one first."""
        down = [_turned(self.order), *([] if self.order.lstrip("-") == "pk" else ["-pk"])]
        try:
            rows = self.rows().order_by(*down).values_list("pk", flat=True)
            keys = list(dict.fromkeys(rows[: self.sample] if self.sample else rows))
        except FieldError as error:
            raise PreviewError(f"--order cannot be used: {_told(error)}") from error
        keys.reverse()
        return keys

    def read(self, keys: Sequence[Any]) -> list[models.Model]:
        """The posts of those keys that are there still, in their order."""
        concrete = {field.name: field for field in self.adapter.model._meta.concrete_fields}
        related = [name for name in self.adapter.fields if name in concrete and concrete[name].is_relation]
        rows = self.rows().select_related(*related) if related else self.rows()
        found = {row.pk: row for row in rows.filter(pk__in=keys)}
        return [found[key] for key in keys if key in found]


def chosen_by(
    label: str,
    fields: Sequence[str] = (),
    *,
    sample: int = SAMPLE,
    order: str | None = None,
    where: Sequence[str] = (),
    language: str | None = None,
    using: str = "default",
) -> Choice:
    """The choice that those options make; ``PreviewError`` for a model or a field that there is not.

    ``fields``: the text, where no adapter is registered or another text is wanted; ``where``: "name=value" each, as
    ``filter`` takes them; ``order``: what tells the age of posts (None: the adapter's ``order``, the model's
    ``get_latest_by``, else the primary key); ``language``: of the texts."""
    adapter = _adapter(_model(label), [name for name in fields if name], language)
    conditions = tuple(_condition(each) for each in where)
    return Choice(adapter, sample, order or _age(adapter), conditions, using)


def _model(label: str) -> type[models.Model]:
    try:
        model = apps.get_model(label)
    except (LookupError, ValueError):
        known = {each._meta.label_lower: each._meta.label for each in apps.get_models()}
        near = [known[name] for name in get_close_matches(label.lower(), known)]
        told = f" Is it {' or '.join(near)}?" if near else ""
        raise PreviewError(f"There is no model {label!r}: write app.Model.{told}") from None
    return model


def _adapter(model: type[models.Model], fields: Sequence[str], language: str | None) -> Adapter:
    """The registered adapter, with the fields that are given in place of its text; else one of those fields."""
    try:
        known: Adapter | None = adapter_for(model)
    except NotRegistered:
        known = None
    if known is not None and fields and known.model is not model._meta.concrete_model:
        known = None  # a parent's, which knows nothing of the child's own fields
    for name in fields:
        if why := unreadable(model, name):
            raise PreviewError(f"{why[0]}. Its texts: {', '.join(_texts(model)) or 'none'}.")
    if known is None and not fields:
        named = ",".join(_texts(model)) or "..."
        raise PreviewError(
            f"{model._meta.label} has no adapter: say which fields are its text, --fields {named}."
        )
    changes: dict[str, Any] = {"fields": tuple(fields), "text": Adapter.text} if fields else {}
    if language:
        changes["language"] = language
    base = type(known) if known else Adapter
    made: Adapter = type(base.__name__, (base,), changes)(known.model if known else model)
    return made


def _texts(model: type[models.Model]) -> list[str]:
    """Names of the fields that hold text of people's own."""
    return [
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField) and not field.choices
    ]


def _age(adapter: Adapter) -> str:
    """What tells the age of a post."""
    if adapter.order != "pk":
        return adapter.order
    latest = adapter.model._meta.get_latest_by
    return (latest if isinstance(latest, str) else latest[0]) if latest else "pk"


def _condition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    if not equals or not name.strip() or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise PreviewError(f"--where {text!r} cannot be used: write name=value.")
    return name.strip(), value.strip()


def _value(text: str) -> Any:
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def _turned(order: str) -> str:
    return order[1:] if order.startswith("-") else f"-{order}"


def _told(error: Exception) -> str:
    return "; ".join(getattr(error, "messages", None) or [str(error)])
