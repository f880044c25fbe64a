"""Snapshots of the statistics of a profile's posts. A digest names each; a process loads it once."""

from __future__ import annotations

from functools import lru_cache

from django.db import transaction
from django.db.models import F, QuerySet

from ..algorithms.statistics import StatisticsMissing, TermStatistics
from ..models import Scheme
from ..models import TermStatistics as Snapshot
from .locks import call_with_retries

MIN_KEPT = 2
"""Newest snapshots of a profile that are kept even if no scheme uses them."""


def newest_snapshot(profile: str, using: str) -> Snapshot | None:
    """Return the newest snapshot of a profile's posts, without its contents. Return None if there is none."""
    return Snapshot.objects.using(using).filter(profile=profile).defer("packed").order_by("-number").first()


@lru_cache(maxsize=4)
def load_statistics(digest: str, using: str) -> TermStatistics:
    """Load the statistics with a digest. Raise StatisticsMissing if they are gone."""
    rows = Snapshot.objects.using(using).filter(digest=digest).order_by("number")
    packed = rows.values_list("packed", flat=True).first()
    if packed is None:
        raise StatisticsMissing(f"the statistics {digest} are not in the database {using!r}")
    return TermStatistics.unpack(bytes(packed))


def save_statistics(profile: str, statistics: TermStatistics, using: str) -> tuple[Snapshot, bool]:
    """Save statistics as the profile's newest.

    Return them, and whether they differ from the newest so far.

    An active scheme that was created before there were any statistics has signed nothing yet. It uses these
    from now on.
    """
    return call_with_retries(_save_statistics, profile, statistics, using)


def delete_unused(profile: str, using: str) -> int:
    """Delete the profile's unused snapshots, and return their number."""
    return unused_snapshots(profile, using).delete()[0]


def unused_snapshots(profile: str, using: str) -> QuerySet[Snapshot]:
    """Return the profile's snapshots except the two newest and the ones of active schemes."""
    rows = Snapshot.objects.using(using).filter(profile=profile)
    used = {scheme.parameters.get("statistics") for scheme in _active_schemes(profile, using)}
    # Two, not one: a scheme that is being created uses the newest snapshot that it has read, and at most one
    # has been added since.
    latest = list(rows.order_by("-number").values_list("number", flat=True)[:MIN_KEPT])
    return rows.exclude(number__in=latest).exclude(digest__in=[digest for digest in used if digest])


def _save_statistics(profile: str, statistics: TermStatistics, using: str) -> tuple[Snapshot, bool]:
    with transaction.atomic(using=using):
        # A write that changes nothing locks the rows: ``parameters`` holds what others write too.
        Scheme.objects.using(using).filter(profile=profile).update(generation=F("generation"))
        newest = newest_snapshot(profile, using)
        has_changed = newest is None or newest.digest != statistics.digest
        if newest is None or has_changed:
            newest = Snapshot.objects.using(using).create(
                profile=profile,
                number=newest.number + 1 if newest else 1,
                documents=statistics.text_count,
                average_length=statistics.average_length,
                words=len(statistics.terms),
                digest=statistics.digest,
                packed=statistics.pack(),
            )
        for scheme in _active_schemes(profile, using):
            # None, and not a missing value: the algorithm needs statistics, and the scheme has none.
            if scheme.parameters.get("statistics", "") is None:
                scheme.parameters["statistics"] = newest.digest
                scheme.save(using=using, update_fields=["parameters"])
    return newest, has_changed


def _active_schemes(profile: str, using: str) -> list[Scheme]:
    rows = Scheme.objects.using(using).filter(profile=profile, state=Scheme.State.ACTIVE)
    return list(rows.only("profile", "parameters"))
