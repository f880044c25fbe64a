"""What a process remembers of schemes and spaces, so that a turn need not read them. The fence of step A asks whether
it is so still, and a drain asks at its beginning whether the schemes are."""

from __future__ import annotations

from typing import Any

from django.db import models
from django.db.models.signals import post_migrate

from ..adapters import Adapter, Source
from ..conf import Profile
from ..models import Scheme
from .schemes import active_scheme, space_of
from .sql import named, rows

ROW = (
    "id", "profile", "generation", "algorithm", "options", "parameters", "canonisation", "language", "secret",
)  # fmt: skip
"""What makes a scheme another one."""
ACTIVE = f'SELECT {named(ROW)} FROM "neardup_scheme" WHERE "state" = \'active\' ORDER BY "generation", "id"'
MOST_SPACES = 10_000
"""Scopes that a process remembers."""

_remembered: dict[tuple[str, str], Scheme] = {}
_read: dict[str, tuple[list[tuple[Any, ...]], dict[str, Scheme]]] = {}
"""The rows of the active schemes, and the objects that were made of them."""
_spaces: dict[tuple[str, str, type[models.Model], tuple[str, ...]], tuple[int, str]] = {}
_silent: dict[tuple[str, str], bool] = {}


def remembered_scheme(profile: Profile, using: str) -> Scheme:
    """The active scheme as this process knows it; the fence of step A tells where it is another one by now."""
    found = _remembered.get((using, profile.alias))
    if found is None:
        found = _remembered[using, profile.alias] = active_scheme(profile, using)
    return found


def active_schemes(using: str) -> dict[str, Scheme]:
    """The active schemes by profile, as they are now; they are known from then on, and no others. Objects are made anew
    only where a row is another one than before."""
    found, read = rows(using, ACTIVE), _read.get(using)
    if read is None or read[0] != found:
        active = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE).defer("synonyms")
        read = found, {scheme.profile: scheme for scheme in active.order_by("generation", "pk")}
        _read[using] = read
    _drop(_remembered, using)
    _remembered.update({(using, profile): scheme for profile, scheme in read[1].items()})
    return read[1]


def forget(using: str) -> None:
    """Read schemes and spaces of that database again."""
    _read.pop(using, None)
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
