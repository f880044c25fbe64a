"""Checks of what sites say of their models."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.db import models, router

from ..adapters import QUOTES, Adapter, registered
from ..columns import key_field
from ..models import Document
from ..text.contrast import RANK
from .attributes import field_of, unreadable
from .profiles import in_words, is_language, is_number
from .table import problem

READ = ("fields", "contacts", "identity", "scope")
LISTS, SETS = (list, tuple), (list, tuple, set, frozenset)
"""A set has another order in every process: it serves only where no order is asked for."""
LONGEST_KEY = Document._meta.get_field("object_id").max_length or 0


def check_profile(**kwargs: Any) -> list[CheckMessage]:
    configured = getattr(settings, "NEARDUP", {})
    aliases = {"default", *configured} if isinstance(configured, dict) else {"default"}
    return [
        problem(
            "E001",
            f"{name_of(adapter)}: NEARDUP has no profile {adapter.profile!r}.",
            f"Add it to NEARDUP, or use one of {', '.join(sorted(map(str, aliases)))}.",
            model,
        )
        for model, adapter in registered().items()
        if adapter.profile not in aliases
    ]


def check_names(**kwargs: Any) -> list[CheckMessage]:
    found = []
    for model, adapter in registered().items():
        found += [
            problem("E004", f"{name_of(adapter)}.{attribute}: {why}.", hint, model)
            for attribute in (*READ, "watch")
            for why, hint in _unknown(model, attribute, getattr(adapter, attribute))
        ]
        if why := _unordered(model, adapter.order):
            found.append(
                problem("E004", f"{name_of(adapter)}.order: {why}.", 'Write "pk" or a field\'s name.', model)
            )
    return found


def check_text(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "E005",
            f"{name_of(adapter)} does not say what is compared.",
            'Name its fields, fields = ["title", "text"], or write a method text(self, instance).',
            model,
        )
        for model, adapter in registered().items()
        if not adapter.fields and type(adapter).text is Adapter.text
    ]


def check_key(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "E006",
            f"{model._meta.label} has {why}, by which no document can be kept.",
            f"Register a model with a key of one field: number, UUID, or text of at most {LONGEST_KEY} characters.",
            model,
        )
        for model in registered()
        if (why := _unfit(model))
    ]


def _unfit(model: type[models.Model]) -> str:
    """What its primary key is, where that can be no document's."""
    if len(model._meta.pk_fields) > 1:
        return "a composite primary key"
    key = key_field(model)
    if isinstance(key, models.TextField) or (isinstance(key, models.CharField) and key.max_length is None):
        return "a primary key of any length"
    if (key.max_length or 0) > LONGEST_KEY:
        return f"a primary key of up to {key.max_length} characters"
    return ""


def check_partners(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem("E007", f"{name_of(adapter)}.compare_with: {why}.", hint, model)
        for model, adapter in registered().items()
        for why, hint in _misfits(adapter)
    ]


def check_language(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "E010",
            f"{name_of(adapter)}: language {adapter.language!r} is no language code.",
            'Write a code such as "ru" or "en", or leave it out for that of NEARDUP.',
            model,
        )
        for model, adapter in registered().items()
        if adapter.language is not None and not is_language(adapter.language)
    ]


def check_numbers(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "E011", f"{name_of(adapter)}: min_words is {adapter.min_words!r}.", in_words("MIN_WORDS"), model
        )
        for model, adapter in registered().items()
        if adapter.min_words is not None and not is_number("MIN_WORDS", adapter.min_words)
    ]


def check_choices(**kwargs: Any) -> list[CheckMessage]:
    found = []
    for model, adapter in registered().items():
        if adapter.quotes not in QUOTES:
            found.append(
                problem(
                    "E012",
                    f"{name_of(adapter)}: quotes is {adapter.quotes!r}.",
                    'It is "keep", or "drop" for texts without what they quote.',
                    model,
                )
            )
        excused = adapter.excused if adapter.excused is not None else ()
        if not isinstance(excused, LISTS) or any(each not in RANK for each in excused):
            found.append(
                problem(
                    "E012",
                    f"{name_of(adapter)}: excused is {excused!r}.",
                    f"It is a list out of {', '.join(RANK)}.",
                    model,
                )
            )
    return found


def check_watch(**kwargs: Any) -> list[CheckMessage]:
    return [
        problem(
            "W101",
            f"{name_of(adapter)} overrides live() and watches no field.",
            'Name the fields that live() asks, watch = ["published"]: saved alone, they would '
            "not mark the post, and a hidden one would go on being counted.",
            model,
        )
        for model, adapter in registered().items()
        if type(adapter).live is not Adapter.live and not adapter.watch
    ]


def name_of(adapter: Adapter) -> str:
    return type(adapter).__name__


def _unknown(model: type[models.Model], attribute: str, names: Sequence[str]) -> Iterator[tuple[str, str]]:
    if not isinstance(names, SETS if attribute == "watch" else LISTS):
        yield f"{names!r} is no list", _as_list(attribute, names)
        return
    for name in names:
        why = _unwatched(model, name) if attribute == "watch" else unreadable(model, name)
        if why is not None:
            yield why


def _as_list(attribute: str, names: Any) -> str:
    """How to write what is no list."""
    if isinstance(names, SETS):
        return f"Write {attribute} = [...] in the order that is meant: a set has none."
    return f'Write {attribute} = ["{names}"].' if names else "Leave it out."


def _unwatched(model: type[models.Model], name: Any) -> tuple[str, str] | None:
    """Why no save tells of that name, and a hint; None where it is a column."""
    field = field_of(model, name)
    if field is not None and field.concrete and not field.many_to_many:
        return None
    return f"{model._meta.label} has no column {name!r}", "Name fields, as in save(update_fields=[...])."


def _unordered(model: type[models.Model], order: Any) -> str:
    if isinstance(order, str) and _is_column(model, order.removeprefix("-")):
        return ""
    return f"{model._meta.label} has no column {order!r}"


def _is_column(model: type[models.Model], path: str) -> bool:
    """Does the path, author__joined say, end at one column by way of single objects?"""
    name, _, rest = path.partition("__")
    field = field_of(model, name)
    if rest:
        single = field is not None and (field.many_to_one or field.one_to_one)
        return single and _is_column(field.related_model, rest)
    return name == "pk" or (field is not None and field.concrete and not field.many_to_many)


def _misfits(adapter: Adapter) -> Iterator[tuple[str, str]]:
    if not isinstance(adapter.compare_with, SETS):
        yield f"{adapter.compare_with!r} is no list", "Write compare_with = [Topic]: models with an adapter."
        return
    for partner in adapter.compare_with:
        yield from _unlike(adapter, partner)


def _unlike(adapter: Adapter, partner: Any) -> Iterator[tuple[str, str]]:
    model, meta = adapter.model, getattr(partner, "_meta", None)
    other = registered().get(meta.concrete_model) if meta is not None else None
    if other is None:
        yield f"{getattr(partner, '__name__', repr(partner))} has no adapter", "Register it, or leave it out."
        return
    both = f"{model._meta.label} and {other.model._meta.label}"
    if list(adapter.scope) != list(other.scope):
        yield f"{both} have unequal scopes", "Give both adapters the same scope."
    if adapter.profile != other.profile:
        yield f"{both} have unequal profiles", "Give both adapters the same profile."
    if router.db_for_write(model) != router.db_for_write(other.model):
        yield f"{both} live in unequal databases", "Clusters never cross databases: leave the model out."
    ours, theirs = _partners(adapter), _partners(other)
    if ours != theirs:
        names = ", ".join(sorted(each._meta.label for each in ours | theirs))
        yield f"{both} have unequal partners", f"Each of them must be compared with all the others: {names}."


def _partners(adapter: Adapter) -> frozenset[type[models.Model]]:
    """The models of its spaces; none where some compare_with is wrong in itself."""
    try:
        return frozenset(adapter.partners)
    except (AttributeError, TypeError):
        return frozenset()
