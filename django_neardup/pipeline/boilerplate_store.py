"""Snapshots of a profile's boilerplate. A digest names each; a process loads it once.

No key depends on a snapshot. So an active scheme changes to a new one at once, and pairs that were judged with
another one are stale (``stale_pairs``).
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from functools import lru_cache
from typing import Any

from django.db import transaction
from django.db.models import QuerySet
from django.db.models.signals import post_delete, post_save

from ..adapters import language_of, registered_adapters
from ..conf import Profile, get_aliases, get_profile
from ..db.transactions import call_after_commit
from ..judge.boilerplate_snapshot import BoilerplateSnapshot, hash_runs
from ..models import Boilerplate, IgnoredPassage, Scheme
from ..text.canonical_text import CanonicalText as Text
from ..text.tokens.synonyms import Synonyms
from .locks import call_with_retries
from .synonym_files import read_synonym_classes

logger = logging.getLogger(__name__)

MIN_KEPT = 2
"""Newest snapshots of a profile that are kept even if no scheme names them."""

PARAMETER = "boilerplate"
"""The key in ``Scheme.parameters`` that holds the digest."""

NO_BOILERPLATE = BoilerplateSnapshot.from_runs()


def newest_row(profile: str, using: str) -> Boilerplate | None:
    """Return the newest snapshot of a profile, without its contents. Return None if there is none."""
    rows = Boilerplate.objects.using(using).filter(profile=profile).defer("packed")
    return rows.order_by("-number").first()


def newest_boilerplate(profile: str, using: str) -> BoilerplateSnapshot:
    """Return the newest snapshot of a profile. It is empty if there is none."""
    row = newest_row(profile, using)
    return load_boilerplate(row.digest, using) if row else NO_BOILERPLATE


@lru_cache(maxsize=4)
def load_boilerplate(digest: str, using: str) -> BoilerplateSnapshot:
    """Load the snapshot with a digest. Without its row, log a warning and return an empty one."""
    if not digest:
        return NO_BOILERPLATE
    rows = Boilerplate.objects.using(using).filter(digest=digest).order_by("number")
    packed = rows.values_list("packed", flat=True).first()
    if packed is None:
        logger.warning("The boilerplate %s is not in the database %r: nothing counts as such", digest, using)
        return NO_BOILERPLATE
    return BoilerplateSnapshot.unpack(bytes(packed))


def use_boilerplate(profile: str, snapshot: BoilerplateSnapshot, using: str) -> tuple[Boilerplate, bool]:
    """Save a snapshot as the profile's newest, and let the active scheme name it.

    Return its row, and whether it differs from the newest so far.
    """
    return call_with_retries(_use_boilerplate, profile, snapshot, using)


def unused_boilerplate(profile: str, using: str) -> QuerySet[Boilerplate]:
    """Return the profile's snapshots except the two newest and the ones of active schemes."""
    rows = Boilerplate.objects.using(using).filter(profile=profile)
    used = [scheme.parameters.get(PARAMETER, "") for scheme in _active_schemes(profile, using)]
    latest = list(rows.order_by("-number").values_list("number", flat=True)[:MIN_KEPT])
    return rows.exclude(number__in=latest).exclude(digest__in=used)


def listed_passages(profile: str, using: str) -> QuerySet[IgnoredPassage]:
    """Return the passages that staff have listed for a profile or for every profile."""
    return IgnoredPassage.objects.using(using).filter(profile__in=["", profile])


def hash_passages(profile: Profile, passages: Iterable[str]) -> set[int]:
    """Return the runs of words in passages, read as the profile reads its posts."""
    texts = list(passages)
    classes = read_synonym_classes(profile) if texts else ()
    return {
        run
        for language in (_languages_of(profile) if texts else ())
        for text in texts
        for run in hash_runs(
            Text(
                text,
                language=language,
                synonyms=Synonyms.from_classes(classes, language) if classes else None,
            )
        ).tolist()
    }


def connect() -> None:
    """Let every change of the staff's list make a new snapshot."""
    for signal in (post_save, post_delete):
        signal.connect(_on_list_change, sender=IgnoredPassage, dispatch_uid="neardup.ignored_passages")


def _on_list_change(instance: IgnoredPassage, using: str, **kwargs: Any) -> None:
    call_after_commit(using, renew_listed, using)


def renew_listed(using: str) -> None:
    """Give every profile whose list has changed a new snapshot with the same found passages."""
    for alias in get_aliases():
        newest = newest_boilerplate(alias, using)
        passages = listed_passages(alias, using).values_list("text", flat=True)
        snapshot = newest.with_listed(hash_passages(get_profile(alias), passages))
        if snapshot.digest != newest.digest:
            use_boilerplate(alias, snapshot, using)


def _languages_of(profile: Profile) -> list[str]:
    adapters = [adapter for adapter in registered_adapters().values() if adapter.profile == profile.alias]
    return sorted({profile.language, *(language_of(adapter, profile) for adapter in adapters)})


def _use_boilerplate(profile: str, snapshot: BoilerplateSnapshot, using: str) -> tuple[Boilerplate, bool]:
    with transaction.atomic(using=using):
        newest = newest_row(profile, using)
        has_changed = newest is None or newest.digest != snapshot.digest
        if newest is None or has_changed:
            newest = Boilerplate.objects.using(using).create(
                profile=profile,
                number=newest.number + 1 if newest else 1,
                runs=len(snapshot.found) + len(snapshot.listed),
                digest=snapshot.digest,
                packed=snapshot.pack(),
            )
        for scheme in _active_schemes(profile, using):
            if scheme.parameters.get(PARAMETER, "") != newest.digest:
                scheme.parameters[PARAMETER] = newest.digest
                scheme.save(using=using, update_fields=["parameters"])
    return newest, has_changed


def _active_schemes(profile: str, using: str) -> list[Scheme]:
    rows = Scheme.objects.using(using).filter(profile=profile, state=Scheme.State.ACTIVE)
    return list(rows.only("profile", "parameters"))
