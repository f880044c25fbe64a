"""Texts of posts that a package caches beside its rows. The rows move by statements that the package does not see."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import models

from ..db.transactions import call_after_commit


def drop_cached_texts(posts: Iterable[models.Model], using: str) -> None:
    """Drop the cached translations of posts of django-parler, after the commit.

    Not before: a proof has cached what its undo restored, and other processes still read the old rows.
    """
    for post in posts:
        if hasattr(post, "_parler_meta"):
            call_after_commit(using, _drop_cached_translations, post)


def _drop_cached_translations(post: Any) -> None:
    from parler.cache import get_translation_cache_key  # type: ignore[import-not-found]

    # The cache also holds which languages a post does not have.
    languages = {*dict(settings.LANGUAGES), *post.get_available_languages()}
    cache.delete_many(
        get_translation_cache_key(model, post.pk, language)
        for model in post._parler_meta.get_all_models()
        for language in languages
    )
