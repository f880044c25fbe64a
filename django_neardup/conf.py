"""The NEARDUP setting: profiles by alias, read late, defaults in one table."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any, NamedTuple

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed

DEFAULTS: dict[str, Any] = {
    "LANGUAGE": "ru",
    "BACKEND": None,
    "QUEUE": "default",
    "ALGORITHM": "neardup",
    "OPTIONS": {},
    "SECRET": None,
    "SYNONYMS": None,
    "MIN_WORDS": 4,
    "MAX_ALIGNED": 32,
    "BUCKET": 64,
    "STORAGE": "rows",
    "CACHE": True,
    "KEEPER": "first_seen",
    "PUBLICATION": None,
    "THROTTLE": "30/m",
    "SEO": ("canonical", "sitemap"),
    "MEMORY_DAYS": 0,
    "LEASE_SECONDS": 120,
    "MAX_ATTEMPTS": 5,
    "POLL_SECONDS": 1.0,
    "LATE_SECONDS": 600,
}
BACKENDS = ("rq", "tasks", "inline", None)
KEEPERS = ("first_seen", "newest", "most_visited", "most_linked", "longest")
"""Policies by which the post that stays is proposed; a site may name a callable of its own."""


class Profile(NamedTuple):
    """One alias of NEARDUP.

    ``language``, ``algorithm``, ``options``, ``secret`` and ``synonyms`` (the path of a file) make the scheme;
    ``backend`` and ``queue`` (read from the profile "default" alone) say who rings the worker; the rest are limits:
    words below which a text is not compared, pairs aligned in a turn, documents read of a bucket, seconds of a lease,
    attempts before quarantine, seconds between two polls of ``neardup_worker``, seconds of waiting after which a
    check warns. ``storage`` (of "default" alone) is how keys are stored: "rows", or "array" on PostgreSQL; ``cache``
    (of "default" alone) the folder where workers share what they have learnt of words: True for one of the user's own
    among the temporary files, None for none. ``keeper`` is the policy by which the post that stays is proposed, or the
    dotted path of a callable that picks one of a list of posts. ``publication`` is the table of rules by which a post
    is let through, warned of, held or refused before it is published (None: the rules of ``publishing.rules``);
    ``throttle`` how often one visitor may ask what a text being typed is like ("30/m"; None: as often as he likes);
    ``seo`` what search engines are told: any of "canonical", "sitemap", "redirects"; ``memory_days`` how long a deleted
    post is remembered by its fingerprint, so that its repost is noticed (0: not at all).
    """

    alias: str
    language: str
    backend: str | None
    queue: str
    algorithm: str
    options: dict[str, Any]
    secret: str | None
    synonyms: str | os.PathLike[str] | None
    min_words: int
    max_aligned: int
    bucket: int
    storage: str
    cache: str | os.PathLike[str] | bool | None
    keeper: str
    publication: Sequence[Mapping[str, Any]] | None
    throttle: str | None
    seo: Sequence[str]
    memory_days: int
    lease_seconds: int
    max_attempts: int
    poll_seconds: float
    late_seconds: int


@cache
def get_profile(alias: str = "default") -> Profile:
    """The profile of that alias; ``ImproperlyConfigured`` where NEARDUP has none or holds an unknown key."""
    configured = getattr(settings, "NEARDUP", {})
    if alias not in configured and alias != "default":
        raise ImproperlyConfigured(
            f"NEARDUP has no profile {alias!r}: add it, or use one of {sorted(configured)}."
        )
    chosen = configured.get(alias, {})
    unknown = sorted(set(chosen) - set(DEFAULTS))
    if unknown:
        raise ImproperlyConfigured(f"NEARDUP[{alias!r}] holds unknown keys: {', '.join(unknown)}.")
    values = {**DEFAULTS, **chosen}
    return Profile(alias, **{key.lower(): value for key, value in values.items()})


def get_aliases() -> list[str]:
    """Every configured alias, "default" among them."""
    return sorted({"default", *getattr(settings, "NEARDUP", {})})


def _forget(*, setting: str, **kwargs: Any) -> None:
    if setting == "NEARDUP":
        get_profile.cache_clear()


setting_changed.connect(_forget, dispatch_uid="neardup.conf")
