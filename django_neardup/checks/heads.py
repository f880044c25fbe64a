"""Checks of declared heads (titles), and a proposal to declare them."""

from __future__ import annotations

from typing import Any

from django.core.checks import CheckMessage
from django.db import models

from ..adapters import Adapter, registered_adapters
from .messages import check_message
from .text_attributes import find_field

TITLE_NAMES = frozenset({"title", "name", "headline", "subject"})
"""Names of fields that hold titles."""


def check_heads(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message("E021", f"{type(adapter).__name__}.heads: {problem[0]}.", problem[1], model)
        for model, adapter in registered_adapters().items()
        if (problem := _head_problem(adapter))
    ]


def propose_heads(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message(
            "I201",
            f"{type(adapter).__name__}: the field {adapter.fields[0]!r} looks like a title, but heads are missing.",
            f'Write heads = ["{adapter.fields[0]}"] if another word in the title means another item, even if the text '
            "is the same. Then run neardup_index --reconcile. Otherwise write heads = [].",
            model,
        )
        for model, adapter in registered_adapters().items()
        if not adapter.declares_heads and _begins_with_title(adapter)
    ]


def _head_problem(adapter: Adapter) -> tuple[str, str] | None:
    """Return why the heads cannot be used, and a hint. Return None if they can."""
    # ``check_names`` reports values that are not lists.
    if not isinstance(adapter.heads, list | tuple) or not adapter.heads:
        return None
    if type(adapter).head is not Adapter.head:
        return "head() is overridden, so heads have no effect", "Remove heads or head()."
    if type(adapter).text is not Adapter.text:
        return (
            "text() is overridden, so the text may begin with something else",
            "Remove heads, and write a method head(self, instance) that returns the beginning of text().",
        )
    if not isinstance(adapter.fields, list | tuple):
        return None
    count, fields = len(adapter.heads), list(adapter.fields)
    if list(adapter.heads) != fields[:count]:
        return (
            f"{list(adapter.heads)!r} are not the first fields",
            "Put the heads first in fields, in the same order: a head is the beginning of a text.",
        )
    if count == len(fields):
        return "all fields are heads, so no text is left", "Remove heads, or add the other fields."
    return None


def _begins_with_title(adapter: Adapter) -> bool:
    """Return whether the first field is a short text with a title's name, and the second one a long text."""
    if type(adapter).text is not Adapter.text or not isinstance(adapter.fields, list | tuple):
        return False
    first, second = (find_field(adapter.model, name) for name in (*adapter.fields, None, None)[:2])
    return (
        isinstance(first, models.CharField)
        and first.name in TITLE_NAMES
        and isinstance(second, models.TextField)
    )
