"""Checks of the adapters of a site."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.db import models, router

from ..adapters import MARKUPS, QUOTES, Adapter, registered_adapters
from ..conf import SETTINGS
from ..judge.word_classes import CLASS_PRIORITY
from ..models import Document
from ..querysets import pk_field
from .languages import is_known_language, is_language_code, suggest_language, unknown_language_message
from .messages import check_message, did_you_mean
from .text_attributes import find_field, text_attribute_problem

FIELD_LIST_ATTRIBUTES = ("fields", "heads", "contacts", "identity", "scope")
LIST_TYPES, COLLECTION_TYPES = (list, tuple), (list, tuple, set, frozenset)
"""A set has a different order in every process, so it is valid only if the order does not matter."""
MAX_KEY_LENGTH = Document._meta.get_field("object_id").max_length or 0


def check_profile(**kwargs: Any) -> list[CheckMessage]:
    configured = getattr(settings, "NEARDUP", {})
    aliases = {"default", *configured} if isinstance(configured, dict) else {"default"}
    return [
        check_message(
            "E001",
            f"{adapter_name(adapter)}: NEARDUP has no profile {adapter.profile!r}.",
            f"Add it to NEARDUP, or use one of {', '.join(sorted(map(str, aliases)))}.",
            model,
        )
        for model, adapter in registered_adapters().items()
        if adapter.profile not in aliases
    ]


def check_names(**kwargs: Any) -> list[CheckMessage]:
    messages = []
    for model, adapter in registered_adapters().items():
        messages += [
            check_message("E004", f"{adapter_name(adapter)}.{attribute}: {why}.", hint, model)
            for attribute in (*FIELD_LIST_ATTRIBUTES, "watch")
            for why, hint in _field_list_problems(model, attribute, getattr(adapter, attribute))
        ]
        if why := _order_problem(model, adapter.order):
            messages.append(
                check_message(
                    "E004", f"{adapter_name(adapter)}.order: {why}.", 'Write "pk" or a field\'s name.', model
                )
            )
    return messages


def check_text(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "E005",
            f"{adapter_name(adapter)} has no fields and no text().",
            'Write fields = ["title", "text"], or a method text(self, instance).',
            model,
        )
        for model, adapter in registered_adapters().items()
        if not adapter.fields and type(adapter).text is Adapter.text
    ]


def check_key(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "E006",
            f"{model._meta.label} has {why}, which documents cannot refer to.",
            f"The key must be one field: a number, a UUID, or text of at most {MAX_KEY_LENGTH} characters.",
            model,
        )
        for model in registered_adapters()
        if (why := _unusable_key_reason(model))
    ]


def _unusable_key_reason(model: type[models.Model]) -> str:
    """Describe the primary key, if no document can store it. Otherwise return an empty string."""
    if len(model._meta.pk_fields) > 1:
        return "a composite primary key"
    field = pk_field(model)
    if isinstance(field, models.TextField) or (
        isinstance(field, models.CharField) and field.max_length is None
    ):
        return "a primary key of any length"
    if (field.max_length or 0) > MAX_KEY_LENGTH:
        return f"a primary key of up to {field.max_length} characters"
    return ""


def check_partners(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message("E007", f"{adapter_name(adapter)}.compare_with: {why}.", hint, model)
        for model, adapter in registered_adapters().items()
        for why, hint in _partner_list_problems(adapter)
    ]


def check_language(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "E010",
            f"{adapter_name(adapter)}: language {adapter.language!r} is not a language code.",
            f'{suggest_language(adapter.language)}Write a code such as "ru" or "en", or omit it to use '
            "the one of NEARDUP.",
            model,
        )
        for model, adapter in registered_adapters().items()
        if adapter.language is not None and not is_language_code(adapter.language)
    ]


def check_unknown_language(**kwargs: Any) -> list[CheckMessage]:
    return [
        unknown_language_message(f"{adapter_name(adapter)}: language", adapter.language, model)
        for model, adapter in registered_adapters().items()
        if is_language_code(adapter.language) and not is_known_language(adapter.language)
    ]


def check_numbers(**kwargs: Any) -> list[CheckMessage]:
    min_words = SETTINGS["MIN_WORDS"].value_type
    return [
        check_message(
            "E011",
            f"{adapter_name(adapter)}: min_words is {adapter.min_words!r}.",
            f"Write {min_words.description}.",
            model,
        )
        for model, adapter in registered_adapters().items()
        if adapter.min_words is not None and not min_words.accepts(adapter.min_words)
    ]


def check_choices(**kwargs: Any) -> list[CheckMessage]:
    messages = []
    for model, adapter in registered_adapters().items():
        if adapter.quotes not in QUOTES:
            messages.append(
                check_message(
                    "E012",
                    f"{adapter_name(adapter)}: quotes is {adapter.quotes!r}.",
                    'Write "keep", or "drop" to leave quoted passages out of the text.',
                    model,
                )
            )
        if adapter.markup is not None and adapter.markup not in MARKUPS:
            messages.append(
                check_message(
                    "E012",
                    f"{adapter_name(adapter)}: markup is {adapter.markup!r}.",
                    f"{did_you_mean(str(adapter.markup), MARKUPS)}Write one of {', '.join(MARKUPS)}, or omit it "
                    "if you do not know.",
                    model,
                )
            )
        ignored = adapter.ignored_differences if adapter.ignored_differences is not None else ()
        if not isinstance(ignored, LIST_TYPES) or any(
            difference not in CLASS_PRIORITY for difference in ignored
        ):
            messages.append(
                check_message(
                    "E012",
                    f"{adapter_name(adapter)}: ignored_differences is {ignored!r}.",
                    f"Write a list of some of {', '.join(CLASS_PRIORITY)}.",
                    model,
                )
            )
    return messages


def check_watch(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "W101",
            f"{adapter_name(adapter)} overrides live(), but watch is empty.",
            'Name the fields that live() reads: watch = ["published"]. Otherwise save(update_fields=["published"]) '
            "does not mark the post, and a hidden post is still counted.",
            model,
        )
        for model, adapter in registered_adapters().items()
        if type(adapter).live is not Adapter.live and not adapter.watch
    ]


def adapter_name(adapter: Adapter) -> str:
    return type(adapter).__name__


def _field_list_problems(
    model: type[models.Model], attribute: str, names: Sequence[str]
) -> Iterator[tuple[str, str]]:
    if not isinstance(names, COLLECTION_TYPES if attribute == "watch" else LIST_TYPES):
        yield f"{names!r} is not a list", _list_hint(attribute, names)
        return
    for name in names:
        why = _watch_problem(model, name) if attribute == "watch" else text_attribute_problem(model, name)
        if why is not None:
            yield why


def _list_hint(attribute: str, names: Any) -> str:
    """Return a hint for a value that is not a list."""
    if isinstance(names, COLLECTION_TYPES):
        return f"Write {attribute} = [...] in the right order: a set has none."
    return f'Write {attribute} = ["{names}"].' if names else "Omit it."


def _watch_problem(model: type[models.Model], name: Any) -> tuple[str, str] | None:
    """Return why a save cannot report that name, and a hint. Return None if it is a column."""
    field = find_field(model, name)
    if field is not None and field.concrete and not field.many_to_many:
        return None
    return f"{model._meta.label} has no column {name!r}", "Name fields as in save(update_fields=[...])."


def _order_problem(model: type[models.Model], order: Any) -> str:
    if isinstance(order, str) and _is_column(model, order.removeprefix("-")):
        return ""
    return f"{model._meta.label} has no column {order!r}"


def _is_column(model: type[models.Model], path: str) -> bool:
    """Return whether a path such as ``author__joined`` ends at one column.

    Every relation on the path must lead to a single object.
    """
    name, _, rest = path.partition("__")
    field = find_field(model, name)
    if rest:
        is_to_one = field is not None and (field.many_to_one or field.one_to_one)
        return is_to_one and _is_column(field.related_model, rest)
    return name == "pk" or (field is not None and field.concrete and not field.many_to_many)


def _partner_list_problems(adapter: Adapter) -> Iterator[tuple[str, str]]:
    if not isinstance(adapter.compare_with, COLLECTION_TYPES):
        yield (
            f"{adapter.compare_with!r} is not a list",
            "Write compare_with = [Topic], a list of registered models.",
        )
        return
    for partner in adapter.compare_with:
        yield from _partner_problems(adapter, partner)


def _partner_problems(adapter: Adapter, partner: Any) -> Iterator[tuple[str, str]]:
    model, meta = adapter.model, getattr(partner, "_meta", None)
    other = registered_adapters().get(meta.concrete_model) if meta is not None else None
    if other is None:
        yield f"{getattr(partner, '__name__', repr(partner))} has no adapter", "Register it, or remove it."
        return
    pair_label = f"{model._meta.label} and {other.model._meta.label}"
    if list(adapter.scope) != list(other.scope):
        yield f"{pair_label} have different scopes", "Give both adapters the same scope."
    if adapter.profile != other.profile:
        yield f"{pair_label} have different profiles", "Give both adapters the same profile."
    if router.db_for_write(model) != router.db_for_write(other.model):
        yield (
            f"{pair_label} are in different databases",
            "A group never spans databases: remove the model.",
        )
    own_partners, other_partners = _partners_or_empty(adapter), _partners_or_empty(other)
    # Partners share their spaces, so each of them must have the same partners.
    if own_partners != other_partners:
        names = ", ".join(
            sorted(partner_model._meta.label for partner_model in own_partners | other_partners)
        )
        yield (
            f"{pair_label} have different partners",
            f"Compare each of these models with all others: {names}.",
        )


def _partners_or_empty(adapter: Adapter) -> frozenset[type[models.Model]]:
    """Return the adapter's partners. Return an empty set if some ``compare_with`` is malformed."""
    try:
        return frozenset(adapter.partners)
    except (AttributeError, TypeError):
        # ``_partner_list_problems`` reports the malformed one.
        return frozenset()
