"""Frozen statistics of a profile's posts: kept, named by their digest, loaded once a process."""

from __future__ import annotations

from functools import lru_cache

from django.db import transaction
from django.db.models import QuerySet

from ..models import Scheme
from ..models import TermStatistics as Snapshot
from ..signatures.statistics import StatisticsMissing, TermStatistics
from .locks import retrying

KEPT = 2
"""Snapshots of a profile that are kept whether a scheme works with them or not."""


def newest(profile: str, using: str) -> Snapshot | None:
    """The newest snapshot of that profile's posts, without what it holds."""
    return Snapshot.objects.using(using).filter(profile=profile).defer("packed").order_by("-number").first()


@lru_cache(maxsize=4)
def load(digest: str, using: str) -> TermStatistics:
    """The statistics of that digest; ``StatisticsMissing`` where they are gone."""
    rows = Snapshot.objects.using(using).filter(digest=digest).order_by("number")
    packed = rows.values_list("packed", flat=True).first()
    if packed is None:
        raise StatisticsMissing(f"the statistics {digest} are not in the database {using!r}")
    return TermStatistics.unpack(bytes(packed))


def keep(profile: str, statistics: TermStatistics, using: str) -> tuple[Snapshot, bool]:
    """Store statistics as the profile's newest, and whether they are others than the newest were.

    An active scheme that was made before there were any, and so has signed nothing yet, works with these from now
    on."""
    return retrying(_keep, profile, statistics, using)


def forget_unused(profile: str, using: str) -> int:
    """Delete the profile's ``unused`` snapshots; how many."""
    return unused(profile, using).delete()[0]


def unused(profile: str, using: str) -> QuerySet[Snapshot]:
    """The profile's snapshots but for the two newest and those of active schemes.

    A scheme that is begun at this moment is made with the newest that it saw: at most one has come since."""
    rows = Snapshot.objects.using(using).filter(profile=profile)
    used = {scheme.parameters.get("statistics") for scheme in _active(profile, using)}
    latest = list(rows.order_by("-number").values_list("number", flat=True)[:KEPT])
    return rows.exclude(number__in=latest).exclude(digest__in=[digest for digest in used if digest])


def _keep(profile: str, statistics: TermStatistics, using: str) -> tuple[Snapshot, bool]:
    with transaction.atomic(using=using):
        present = newest(profile, using)
        new = present is None or present.digest != statistics.digest
        if present is None or new:
            present = Snapshot.objects.using(using).create(
                profile=profile,
                number=present.number + 1 if present else 1,
                documents=statistics.documents,
                average_length=statistics.average_length,
                words=len(statistics.terms),
                digest=statistics.digest,
                packed=statistics.pack(),
            )
        for scheme in _active(profile, using):
            if scheme.parameters.get("statistics", "") is None:
                scheme.parameters["statistics"] = present.digest
                scheme.save(using=using, update_fields=["parameters"])
    return present, new


def _active(profile: str, using: str) -> list[Scheme]:
    rows = Scheme.objects.using(using).filter(profile=profile, state=Scheme.State.ACTIVE)
    return list(rows.only("profile", "parameters"))
