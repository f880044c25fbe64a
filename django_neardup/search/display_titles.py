"""Titles of posts, and other words by users, as one line inside our own text."""

from __future__ import annotations

import logging
import re

from django.db.models import Model
from django.utils.text import capfirst
from django.utils.translation import gettext

from ..text.normalization.normalize import INVISIBLE_RUN

logger = logging.getLogger(__name__)

DIRECTION_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that set the direction of the text after them, including our own words and numbers."""


def display_title(instance: Model, max_length: int) -> str:
    """Return a post's title on one line.

    If it has no visible character, return a text that says so: an invisible link cannot be clicked.
    """
    title = shorten(_object_name(instance), max_length)
    return title if has_visible_character(title) else gettext("without a title")


def _object_name(instance: Model) -> str:
    """Return ``str(instance)``.

    If that raises, log a warning and return the model's name and the primary key.
    """
    try:
        return str(instance)
    except Exception as error:
        label, name = instance._meta.label, type(error).__name__
        logger.warning("neardup: the name of %s %s cannot be read: %s", label, instance.pk, name)
        return f"{capfirst(instance._meta.verbose_name)} {instance.pk}"


def has_visible_character(text: str) -> bool:
    """Return whether a text has a visible character."""
    return bool(INVISIBLE_RUN.sub("", text).strip())


def shorten(text: str, max_length: int) -> str:
    """Return the beginning of a text on one line.

    The cut is between words if possible. Characters that would reverse the text after it are removed.
    """
    line = " ".join(DIRECTION_CONTROLS.sub("", text[: max_length * 4]).split())
    if len(line) <= max_length:
        return line
    return (line[:max_length].rsplit(" ", 1)[0] or line[:max_length]).rstrip(" ,.;:-–") + "…"
