"""Schemes and spaces that a process caches, so that they are not read for every document.

The version guard of step A checks that they are still true. Every drain reads the active schemes when it
starts.
"""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.signals import post_migrate

from ..adapters import Adapter, Source
from ..conf import Profile
from ..db.queries import schemes as scheme_queries
from ..models import Scheme
from .schemes import active_scheme, get_or_create_space

MAX_SPACES = 10_000
"""Spaces that a process caches."""

_schemes: dict[tuple[str, str], Scheme] = {}
_active_rows: dict[str, tuple[list[tuple[Any, ...]], dict[str, Scheme]]] = {}
"""The rows of the active schemes, and the objects built from them."""
_spaces: dict[tuple[str, str, type[models.Model], tuple[str, ...]], tuple[int, str]] = {}
_no_key_phrases: dict[tuple[str, str], bool] = {}


def cached_scheme(profile: Profile, using: str) -> Scheme:
    """Return the active scheme as this process has cached it.

    The version guard of step A notices if another scheme has become active.
    """
    scheme = _schemes.get((using, profile.alias))
    if scheme is None:
        scheme = _schemes[using, profile.alias] = active_scheme(profile, using)
    return scheme


def read_active_schemes(using: str) -> dict[str, Scheme]:
    """Read the active schemes by profile, and cache them in place of all others.

    Objects are built again only if a row has changed.
    """
    rows, cached = scheme_queries.active(using), _active_rows.get(using)
    # A scheme object keeps its algorithm. A drain with unchanged rows goes on with the same objects.
    if cached is None or cached[0] != rows:
        active = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE).defer("synonyms")
        cached = rows, {scheme.profile: scheme for scheme in active.order_by("generation", "pk")}
        _active_rows[using] = cached
    _clear_entries(_schemes, using)
    _schemes.update({(using, profile): scheme for profile, scheme in cached[1].items()})
    return cached[1]


def clear_cache(using: str) -> None:
    """Clear the cached schemes, spaces and missing key phrases of a database."""
    _active_rows.pop(using, None)
    _clear_entries(_schemes, using)
    _clear_entries(_spaces, using)
    _clear_entries(_no_key_phrases, using)


def _clear_entries(cache: dict[Any, Any], using: str) -> None:
    for key in list(cache):  # a copy: other threads change the cache meanwhile
        if key[0] == using:
            cache.pop(key, None)


def cached_space(adapter: Adapter, source: Source, using: str) -> tuple[int, str]:
    """Return id and digest of the source's space. Each space is looked up once per process."""
    key = (using, adapter.profile, adapter.model, source.scope)
    space_values = _spaces.get(key)
    if space_values is None:
        if len(_spaces) >= MAX_SPACES:
            _clear_entries(_spaces, using)
        space = get_or_create_space(adapter, source.scope, using)
        space_values = _spaces[key] = space.pk, space.digest
    return space_values


def has_no_key_phrases(profile: str, using: str) -> bool:
    """Return whether there were no key phrases at the last read.

    The version guard of step A checks that this is still true.
    """
    return (using, profile) in _no_key_phrases


def cache_no_key_phrases(profile: str, using: str) -> None:
    """Remember that there are no key phrases."""
    _no_key_phrases[using, profile] = True


def _on_post_migrate(*, using: str, **kwargs: Any) -> None:
    """Clear the cache. After a flush the rows are other ones."""
    clear_cache(using)


post_migrate.connect(_on_post_migrate, dispatch_uid="neardup.remembering")
