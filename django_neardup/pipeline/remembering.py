"""What a process remembers of schemes and spaces, so that a turn need not read them. The fence of step A asks whether
it is so still, and a drain reads the schemes at its beginning."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from django.db import models
from django.db.models.signals import post_migrate

from ..adapters import Adapter, Source
from ..conf import Profile
from ..models import Scheme
from .schemes import active_scheme, space_of

MOST_SPACES = 10_000
"""Scopes that a process remembers."""

_remembered: dict[tuple[str, str], Scheme] = {}
_spaces: dict[tuple[str, str, type[models.Model], tuple[str, ...]], tuple[int, str]] = {}
_silent: dict[tuple[str, str], bool] = {}


def remembered_scheme(profile: Profile, using: str) -> Scheme:
    """The active scheme as this process knows it; the fence of step A tells where it is another one by now."""
    found = _remembered.get((using, profile.alias))
    if found is None:
        found = _remembered[using, profile.alias] = active_scheme(profile, using)
    return found


def remember(schemes: Iterable[Scheme], using: str) -> None:
    """Know those active schemes, and no others, until they are read again."""
    _drop(_remembered, using)
    _remembered.update({(using, scheme.profile): scheme for scheme in schemes})


def forget(using: str) -> None:
    """Read schemes and spaces of that database again."""
    _drop(_remembered, using)
    _drop(_spaces, using)
    _drop(_silent, using)


def _drop(known: dict[Any, Any], using: str) -> None:
    for name in list(known):  # a copy: other threads remember and forget meanwhile
        if name[0] == using:
            known.pop(name, None)


def known_space(adapter: Adapter, source: Source, using: str) -> tuple[int, str]:
    """Number and digest of that space, looked up once a process."""
    name = (using, adapter.profile, adapter.model, source.scope)
    found = _spaces.get(name)
    if found is None:
        if len(_spaces) >= MOST_SPACES:
            _drop(_spaces, using)
        space = space_of(adapter, source, using)
        found = _spaces[name] = space.pk, space.digest
    return found


def is_silent(profile: str, using: str) -> bool:
    """Whether no key phrases were there when they were read last; the fence of step A asks whether it is so still."""
    return (using, profile) in _silent


def remember_silence(profile: str, using: str) -> None:
    """Know that there are no key phrases."""
    _silent[using, profile] = True


def _forget_flushed(*, using: str, **kwargs: Any) -> None:
    """Rows are others after a flush."""
    forget(using)


post_migrate.connect(_forget_flushed, dispatch_uid="neardup.remembering")
