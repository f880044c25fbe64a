"""Stored snapshots of a profile's posts, of any kind: the newest, one by its digest, and the unused ones."""

from __future__ import annotations

from typing import Any, TypeVar

from django.db.models import F, QuerySet

from ..models import Scheme
from ..models.index import Snapshot

Row = TypeVar("Row", bound=Snapshot)

MIN_KEPT = 2
"""Newest snapshots of a profile that are kept even if no scheme names them.

Two, not one: a scheme that is being created uses the newest snapshot that it has read, and at most one has been added
since.
"""


def newest_row(model: type[Row], profile: str, using: str) -> Row | None:
    """Return the newest snapshot of a profile, without its contents. Return None if there is none."""
    return _rows_of(model, profile, using).defer("packed").order_by("-number").first()


def packed_contents(model: type[Row], digest: str, using: str) -> bytes | None:
    """Return the contents of the snapshot with a digest. Return None if it is not stored."""
    rows = model._default_manager.using(using).filter(digest=digest).order_by("number")
    packed = rows.values_list("packed", flat=True).first()
    return None if packed is None else bytes(packed)


def store_next(
    model: type[Row], newest: Row | None, profile: str, digest: str, using: str, **columns: Any
) -> Row:
    """Store and return a snapshot that follows the newest one. Call it under the lock of ``lock_schemes``."""
    number = newest.number + 1 if newest else 1
    rows = model._default_manager.using(using)
    return rows.create(profile=profile, number=number, digest=digest, **columns)


def unused_rows(model: type[Row], profile: str, parameter: str, using: str) -> QuerySet[Row]:
    """Return the profile's snapshots except the newest ones and those of active schemes.

    ``parameter``: the key in ``Scheme.parameters`` by which a scheme names a snapshot.
    """
    rows = _rows_of(model, profile, using)
    used = [scheme.parameters.get(parameter) for scheme in active_schemes(profile, using)]
    latest = list(rows.order_by("-number").values_list("number", flat=True)[:MIN_KEPT])
    return rows.exclude(number__in=latest).exclude(digest__in=[digest for digest in used if digest])


def lock_schemes(profile: str, using: str) -> list[Scheme]:
    """Lock the schemes of a profile until the transaction ends. Return the active ones, oldest first."""
    # A write that changes nothing locks the rows on every database: ``parameters`` holds what others write, too.
    Scheme.objects.using(using).filter(profile=profile).update(generation=F("generation"))
    return active_schemes(profile, using)


def active_schemes(profile: str, using: str) -> list[Scheme]:
    """Return the active schemes of a profile, oldest first."""
    rows = Scheme.objects.using(using).filter(profile=profile, state=Scheme.State.ACTIVE)
    return list(rows.defer("synonyms").order_by("generation"))


def name_snapshot(scheme: Scheme, parameter: str, digest: str, using: str) -> None:
    """Let a locked scheme name a snapshot."""
    scheme.parameters[parameter] = digest
    scheme.save(using=using, update_fields=["parameters"])


def _rows_of(model: type[Row], profile: str, using: str) -> QuerySet[Row]:
    return model._default_manager.using(using).filter(profile=profile)
