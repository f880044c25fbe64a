"""A proposal of the algorithm for articles and forums, where another word is an edit more often than another item."""

from __future__ import annotations

import re
from typing import Any

from django.conf import settings
from django.core.checks import CheckMessage
from django.db.models import Model

from ..adapters import registered_adapters
from .messages import check_message

ARTICLE_APPS = re.compile(r"forum|blog|news|wiki|article|magazine|comment|discussion|answers", re.I)
ARTICLE_MODELS = re.compile(
    r"(article|news|newsitem|story|blogpost|forumpost|topic|thread|reply|comment|question|answer|essay|column)",
    re.I,
)


def propose_articles(**kwargs: Any) -> list[CheckMessage]:
    configured = getattr(settings, "NEARDUP", {})
    # ``check_shape`` reports another shape.
    profiles = configured.items() if isinstance(configured, dict) else ()
    written = {alias for alias, values in profiles if isinstance(values, dict) and "ALGORITHM" in values}
    return [
        check_message(
            "I202",
            f"{type(adapter).__name__}: {model._meta.label} looks like articles or forum posts, but "
            f"{adapter.profile!r} compares adverts.",
            'Write "ALGORITHM": "neardup-articles" in the profile. In articles another word or number is more often an '
            'edit than another item. For adverts write "ALGORITHM": "neardup".',
            model,
        )
        for model, adapter in registered_adapters().items()
        if adapter.profile not in written and _looks_like_articles(model)
    ]


def _looks_like_articles(model: type[Model]) -> bool:
    names = model._meta
    return bool(ARTICLE_APPS.search(names.app_label) or ARTICLE_MODELS.fullmatch(names.object_name or ""))
