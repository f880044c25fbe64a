"""What search engines are told, for the length of a test."""

from __future__ import annotations

from contextlib import AbstractContextManager

from django.conf import settings
from django.test import override_settings


def with_seo(*words: str) -> AbstractContextManager[None]:
    profile = {**settings.NEARDUP["default"], "SEO": words}
    return override_settings(NEARDUP={**settings.NEARDUP, "default": profile})
