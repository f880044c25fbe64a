"""Jinja2 for the pages that are printed."""

from __future__ import annotations

from typing import Any

from board.templatetags.board import rubles
from django.templatetags.static import static
from django.utils.translation import get_language, gettext, ngettext
from jinja2 import Environment

EXTENSIONS = ["jinja2.ext.i18n", "django_neardup.jinja2.Neardup"]


def environment(**options: Any) -> Environment:
    made = Environment(**{**options, "extensions": EXTENSIONS})
    made.install_gettext_callables(gettext, ngettext, newstyle=True)  # type: ignore[attr-defined]
    made.globals.update(static=static, language=get_language)
    made.filters["rubles"] = rubles
    return made
