"""Snapshots of a profile's boilerplate. A digest names each.

No key depends on a snapshot. So an active scheme changes to a new one at once, and pairs that were judged with
another one are stale (``stale_pairs``).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save

from ..adapters import language_of, registered_adapters
from ..conf import get_aliases
from ..db.transactions import call_after_commit
from ..judge.boilerplate_snapshot import BoilerplateSnapshot, hash_runs
from ..models import Boilerplate, IgnoredPassage, Scheme
from ..text.canonical_text import CanonicalText as Text
from .locks import call_with_retries
from .snapshot_rows import lock_schemes, name_snapshot, newest_row, packed_contents, store_next, unused_rows
from .synonym_files import synonyms_of

logger = logging.getLogger(__name__)

PARAMETER = "boilerplate"
"""The key in ``Scheme.parameters`` that holds the digest."""

NO_BOILERPLATE = BoilerplateSnapshot.from_runs()


class BoilerplateMissing(LookupError):
    """A scheme names a snapshot that is not stored."""


def named_digest(scheme: Scheme) -> str:
    """Return the digest of the snapshot that the scheme names. Return an empty text if it names none."""
    return str(scheme.parameters.get(PARAMETER, ""))


def newest_boilerplate(profile: str, using: str) -> BoilerplateSnapshot:
    """Return the newest snapshot of a profile. It is empty if there is none."""
    row = newest_row(Boilerplate, profile, using)
    return load_boilerplate(row.digest, using) if row else NO_BOILERPLATE


@lru_cache(maxsize=2)
def load_boilerplate(digest: str, using: str) -> BoilerplateSnapshot:
    """Load the snapshot with a digest. Raise BoilerplateMissing if it is not in the database."""
    if not digest:
        return NO_BOILERPLATE
    packed = packed_contents(Boilerplate, digest, using)
    if packed is None:
        raise BoilerplateMissing(f"the boilerplate {digest} is not in the database {using!r}")
    return BoilerplateSnapshot.unpack(packed)


def boilerplate_of(scheme: Scheme) -> BoilerplateSnapshot | None:
    """Return the snapshot that the scheme names. Return None if it names none.

    If it is lost, log a warning and return None: nothing counts as boilerplate then.
    """
    digest = named_digest(scheme)
    try:
        return load_boilerplate(digest, scheme._state.db or "default") if digest else None
    except BoilerplateMissing as error:
        logger.warning("neardup: %s, so no passage counts as boilerplate", error)
        return None


def update_boilerplate(
    profile: str, using: str, found: Iterable[int] | None = None
) -> tuple[Boilerplate | None, bool]:
    """Store a snapshot of the found runs and of the staff's list, and let the active scheme name it.

    Return the newest row of the profile, and whether it is a new one. Return None if there is no boilerplate and
    never was. ``found``: None means the runs of the newest snapshot.
    """
    runs = None if found is None else list(found)
    try:
        return call_with_retries(_update, profile, using, runs)
    except IntegrityError:
        # Without an active scheme there is no row to lock, and another process was faster.
        return call_with_retries(_update, profile, using, runs)


def unused_boilerplate(profile: str, using: str) -> QuerySet[Boilerplate]:
    """Return the profile's snapshots except the two newest and the ones of active schemes."""
    return unused_rows(Boilerplate, profile, PARAMETER, using)


def listed_passages(profile: str, using: str) -> QuerySet[IgnoredPassage]:
    """Return the passages that staff have listed for a profile or for every profile."""
    return IgnoredPassage.objects.using(using).filter(profile__in=["", profile])


def hash_passages(scheme: Scheme, passages: Iterable[str]) -> set[int]:
    """Return the runs of words in passages, read as the scheme reads the posts of its profile."""
    adapters = [adapter for adapter in registered_adapters().values() if adapter.profile == scheme.profile]
    texts = list(passages)
    return {
        run
        for language in {scheme.language, *(language_of(adapter, scheme) for adapter in adapters)}
        for text in texts
        for run in hash_runs(Text(text, language=language, synonyms=synonyms_of(scheme, language))).tolist()
    }


def connect() -> None:
    """Let every change of the staff's list make a new snapshot."""
    for signal in (post_save, post_delete):
        signal.connect(_on_list_change, sender=IgnoredPassage, dispatch_uid="neardup.ignored_passages")


def _on_list_change(instance: IgnoredPassage, using: str, **kwargs: Any) -> None:
    call_after_commit(using, _update_all, using)


def _update_all(using: str) -> None:
    for alias in get_aliases():
        update_boilerplate(alias, using)


def _update(profile: str, using: str, found: list[int] | None) -> tuple[Boilerplate | None, bool]:
    with transaction.atomic(using=using):
        schemes = lock_schemes(profile, using)
        newest = newest_row(Boilerplate, profile, using)
        if not schemes:
            # Only a scheme says how posts are read. The first one hashes the list when it is created.
            return newest, False
        former = load_boilerplate(newest.digest, using) if newest else NO_BOILERPLATE
        passages = listed_passages(profile, using).values_list("text", flat=True)
        listed = hash_passages(schemes[-1], passages)
        snapshot = BoilerplateSnapshot.from_runs(former.found if found is None else found, listed)
        is_new = snapshot.digest != former.digest
        if is_new:
            newest = store_next(
                Boilerplate,
                newest,
                profile,
                snapshot.digest,
                using,
                runs=len(snapshot.found) + len(snapshot.listed),
                packed=snapshot.pack(),
            )
        for scheme in schemes:
            if named_digest(scheme) != snapshot.digest:
                name_snapshot(scheme, PARAMETER, snapshot.digest, using)
        unused_boilerplate(profile, using).delete()
    return newest, is_new
