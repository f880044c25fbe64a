"""The NEARDUP setting: profiles by alias, read on first use, with defaults in one table."""

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
    "KEEPER": "first_seen",
    "PUBLICATION": None,
    "THROTTLE": "30/m",
    "SEO": ("canonical", "sitemap"),
    "MEMORY_DAYS": 0,
    "PROVE_UNDO": True,
    "PROVE_ROWS": 10_000,
    "LEASE_SECONDS": 120,
    "MAX_ATTEMPTS": 5,
    "POLL_SECONDS": 1.0,
    "LATE_SECONDS": 600,
}
BACKENDS = ("rq", "tasks", "inline", None)
KEEPER_POLICIES = ("first_seen", "newest", "most_visited", "most_linked", "longest")
"""Policies that propose the keeper of a merge. A site may name its own callable."""


class Profile(NamedTuple):
    """The settings of one alias in NEARDUP.

    These settings make the scheme:

    - ``language``, ``algorithm``, ``options``, ``secret``
    - ``synonyms``: the path of a file

    These settings are read from the profile "default" only:

    - ``backend`` and ``queue``: how the worker is notified.
    - ``storage``: how keys are stored: "rows", or "array" on PostgreSQL.

    - ``prove_undo``: whether a merge, a hide and a deletion are refused if an undo, tried at once, would not
      restore everything.

    These settings are limits:

    - ``min_words``: shorter texts are not compared.
    - ``max_aligned``: pairs that are aligned for one document.
    - ``bucket``: documents that are read of a bucket.
    - ``prove_rows``: changed rows above which an undo is not tried.
    - ``lease_seconds``: length of a lease.
    - ``max_attempts``: attempts before quarantine.
    - ``poll_seconds``: pause between two polls of ``neardup_worker``.
    - ``late_seconds``: waiting time after which a check warns.
    - ``throttle``: how often one visitor may look up a text while typing it ("30/m"). None is no limit.
    - ``memory_days``: how long a deleted post is remembered by its fingerprint, so that its repost is found.
      0 is not at all.

    The others are:

    - ``keeper``: the policy that proposes the keeper of a merge, or the dotted path of a callable that picks
      one of a list of posts.
    - ``publication``: the rules by which a post is accepted, warned about, held or refused before it is
      published. None is the rules of ``prepublication.rules``.
    - ``seo``: the offers to search engines: any of "canonical", "sitemap", "redirects".
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
    keeper: str
    publication: Sequence[Mapping[str, Any]] | None
    throttle: str | None
    seo: Sequence[str]
    memory_days: int
    prove_undo: bool
    prove_rows: int
    lease_seconds: int
    max_attempts: int
    poll_seconds: float
    late_seconds: int


@cache
def get_profile(alias: str = "default") -> Profile:
    """Return the profile of an alias.

    Raise ImproperlyConfigured if NEARDUP has no such profile or if the profile has an unknown key.
    """
    configured = getattr(settings, "NEARDUP", {})
    if alias not in configured and alias != "default":
        raise ImproperlyConfigured(
            f"NEARDUP has no profile {alias!r}: add it, or use one of {sorted(configured)}."
        )
    own_settings = configured.get(alias, {})
    unknown = sorted(set(own_settings) - set(DEFAULTS))
    if unknown:
        raise ImproperlyConfigured(f"NEARDUP[{alias!r}] holds unknown keys: {', '.join(unknown)}.")
    values = {**DEFAULTS, **own_settings}
    return Profile(alias, **{key.lower(): value for key, value in values.items()})


def get_aliases() -> list[str]:
    """Return every configured alias, including "default"."""
    return sorted({"default", *getattr(settings, "NEARDUP", {})})


def _on_setting_changed(*, setting: str, **kwargs: Any) -> None:
    if setting == "NEARDUP":
        get_profile.cache_clear()


# Tests override settings: the cached profiles must follow.
setting_changed.connect(_on_setting_changed, dispatch_uid="neardup.conf")
