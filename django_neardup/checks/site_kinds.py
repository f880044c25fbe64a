"""A proposal of the algorithm for articles and forums, where another word is an edit more often than another item."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.db.models import Model

from ..adapters import registered_adapters
from .messages import check_message
from .profiles import configured_profiles

ARTICLE_APPS = re.compile(r"forum|blog|news|wiki|article|magazine|comment|discussion|answers", re.I)
ARTICLE_MODELS = re.compile(
    r"(article|news|newsitem|story|blogpost|forumpost|topic|thread|reply|comment|question|answer|essay|column)",
    re.I,
)


def propose_articles(**kwargs: Any) -> list[CheckMessage]:
    written = {alias for alias, _ in configured_profiles() if _has_own_algorithm(alias)}
    return [
        check_message(
            "I202",
            f"{type(adapter).__name__}: {model._meta.label} looks like articles or forum posts, and "
            f"{adapter.profile!r} compares them as adverts.",
            'Write "ALGORITHM": "neardup-articles" in the profile: there another word or number is an edit more often '
            'than another item. Or write "ALGORITHM": "neardup" if they are adverts.',
            model,
        )
        for model, adapter in registered_adapters().items()
        if adapter.profile not in written and _looks_like_articles(model)
    ]


def _has_own_algorithm(alias: str) -> bool:
    """Return whether the site wrote down the algorithm of a profile."""
    configured = getattr(settings, "NEARDUP", {})
    values = configured.get(alias) if isinstance(configured, dict) else None
    return isinstance(values, dict) and "ALGORITHM" in values


def _looks_like_articles(model: type[Model]) -> bool:
    names = model._meta
    return bool(ARTICLE_APPS.search(names.app_label) or ARTICLE_MODELS.fullmatch(names.object_name or ""))
