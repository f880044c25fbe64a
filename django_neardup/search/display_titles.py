"""Posts by their names, and other words of strangers, on one line among our own."""

from __future__ import annotations

import logging
import re

from django.db.models import Model
from django.utils.text import capfirst
from django.utils.translation import gettext

from ..text.normalization.normalize import INVISIBLE_RUN

logger = logging.getLogger(__name__)

DIRECTION_CONTROLS = re.compile("[\u202a-\u202e\u2066-\u2069]")
"""Characters that set the direction of all that follows, our own words and numbers included."""


def display_title(instance: Model, max_length: int) -> str:
    """A post's name on one line, or that it has none: what nobody sees, nobody can press."""
    title = shorten(_object_name(instance), max_length)
    return title if has_visible_character(title) else gettext("without a title")


def _object_name(instance: Model) -> str:
    """The object in words; what it is and its key, and a line in the log, where it cannot tell."""
    try:
        return str(instance)
    except Exception as error:
        label, name = instance._meta.label, type(error).__name__
        logger.warning("The name of %s %s cannot be told: %s", label, instance.pk, name)
        return f"{capfirst(instance._meta.verbose_name)} {instance.pk}"


def has_visible_character(text: str) -> bool:
    """Whether it has a character that is not invisible."""
    return bool(INVISIBLE_RUN.sub("", text).strip())


def shorten(text: str, max_length: int) -> str:
    """The beginning of a text on one line, cut between words where it can be, and without characters that would turn
    round what is written after it."""
    line = " ".join(DIRECTION_CONTROLS.sub("", text[: max_length * 4]).split())
    if len(line) <= max_length:
        return line
    return (line[:max_length].rsplit(" ", 1)[0] or line[:max_length]).rstrip(" ,.;:-–") + "…"
