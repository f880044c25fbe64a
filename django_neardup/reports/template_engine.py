"""The HTML reports as Django templates, rendered by an engine that needs no settings."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from django.template import Engine

TEMPLATES_PATH = str(Path(__file__).with_name("templates"))


def render_template(name: str, context: dict[str, Any]) -> str:
    """Return a page from a template of ``templates/``. Values are escaped."""
    from django.template import Context

    # Localized numbers and times would need settings.
    return _engine().get_template(name).render(Context(context, use_l10n=False, use_tz=False))


@cache
def _engine() -> Engine:
    # Imported here, because the other formats work where Django is not installed.
    from django.template import Engine

    return Engine(dirs=[TEMPLATES_PATH], libraries={"i18n": "django.templatetags.i18n"})
