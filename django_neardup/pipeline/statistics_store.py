"""Snapshots of the statistics of a profile's posts. A digest names each; a process loads it once."""

from __future__ import annotations

from functools import lru_cache

from django.db import transaction
from django.db.models import QuerySet

from ..algorithms.statistics import StatisticsMissing, TermStatistics
from ..models import TermStatistics as Snapshot
from .locks import call_with_retries
from .snapshot_rows import lock_schemes, name_snapshot, newest_row, packed_contents, store_next, unused_rows

PARAMETER = "statistics"
"""The key in ``Scheme.parameters`` that holds the digest."""


def newest_snapshot(profile: str, using: str) -> Snapshot | None:
    """Return the newest snapshot of a profile's posts, without its contents. Return None if there is none."""
    return newest_row(Snapshot, profile, using)


@lru_cache(maxsize=4)
def load_statistics(digest: str, using: str) -> TermStatistics:
    """Load the statistics with a digest. Raise StatisticsMissing if they are gone."""
    packed = packed_contents(Snapshot, digest, using)
    if packed is None:
        raise StatisticsMissing(f"the statistics {digest} are not in the database {using!r}")
    return TermStatistics.unpack(packed)


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
    return unused_rows(Snapshot, profile, PARAMETER, using)


def _save_statistics(profile: str, statistics: TermStatistics, using: str) -> tuple[Snapshot, bool]:
    with transaction.atomic(using=using):
        schemes = lock_schemes(profile, using)
        newest = newest_snapshot(profile, using)
        has_changed = newest is None or newest.digest != statistics.digest
        if newest is None or has_changed:
            newest = store_next(
                Snapshot,
                newest,
                profile,
                statistics.digest,
                using,
                documents=statistics.text_count,
                average_length=statistics.average_length,
                words=len(statistics.terms),
                packed=statistics.pack(),
            )
        for scheme in schemes:
            # None, and not a missing value: the algorithm needs statistics, and the scheme has none.
            if scheme.parameters.get(PARAMETER, "") is None:
                name_snapshot(scheme, PARAMETER, newest.digest, using)
    return newest, has_changed
