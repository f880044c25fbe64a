"""What is said of a whole cluster: its size, its lowest score, its weakest pair. Under the space's lock."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from math import inf
from typing import Any

from django.db.models import Count, Min, Q

from ..models import Cluster, Membership
from .ledger import request
from .sql import execute, rows

logger = logging.getLogger(__name__)

ALARM = 200
"""Members at which a growing cluster is logged, and each time their number has doubled: so many copies of one post are
rather a template's."""

WITHIN = (
    'SELECT MIN(p."score") FROM "neardup_membership" a JOIN "neardup_pair" p ON p."a_id" = a."document_id" '
    'JOIN "neardup_membership" b ON b."document_id" = p."b_id" '
    'WHERE a."cluster_id" = %s AND b."cluster_id" = %s AND +p."space_id" = %s'
)
"""A plus keeps SQLite from reading all pairs of a space."""
GROWN = (
    'UPDATE "neardup_cluster" SET "size" = %s, "lowest" = %s, "weakest" = %s, "exact" = %s, "state" = %s '
    'WHERE "id" = %s'
)


def refresh(cluster: Cluster, using: str, grown: bool = False) -> set[int]:
    """Renew a cluster's figures; dissolve it where fewer than two are left; give it another representative where the
    old one has gone (a repair is then asked for). Who is freed by that before its repair: nobody else looks at them."""
    members = Membership.objects.using(using).filter(cluster=cluster)
    led = members.filter(document=cluster.representative_id).exists()
    promoted = not led and promote(cluster, using)
    figures = _figures(cluster, using)
    if figures["size"] < 2 or not (led or promoted):
        settled = led and cluster.wanted == cluster.done
        freed = set() if settled else {*members.values_list("document", flat=True)}
        members.delete()
        Cluster.objects.using(using).filter(pk=cluster.pk).delete()
        return freed
    if grown:
        _warn(cluster, figures["size"])
        figures["state"] = Cluster.State.OPEN
    _store(cluster, figures, _weakest(cluster, using), using)
    return set()


def reweigh(cluster: Cluster, scores: Collection[tuple[float, float]], using: str) -> None:
    """Renew the figures of a cluster that has kept its members, by those scores inside that have changed: as they
    were, and as they are. All its pairs are read only where the weakest may have risen."""
    risen = any(was <= cluster.weakest and was < now for was, now in scores)
    weakest = _weakest(cluster, using) if risen else min(cluster.weakest, *(now for _, now in scores))
    _store(cluster, _figures(cluster, using), weakest, using)


def grow(
    cluster: Cluster, coming: Collection[tuple[float, bool, str]], inside: Iterable[float], using: str
) -> None:
    """Renew the figures of a cluster that has lost nobody, by those who have come and their scores inside."""
    size = cluster.size + len(coming)
    lowest = min(cluster.lowest, *(score for score, _, _ in coming))
    weakest = min(cluster.weakest, lowest, *inside)
    exact = bool(cluster.exact) and all(own for _, own, _ in coming)
    _warn(cluster, size)
    execute(using, GROWN, [size, lowest, weakest, exact, Cluster.State.OPEN, cluster.pk])


def promote(cluster: Cluster, using: str) -> bool:
    """Let the first live member represent until the repair; False where there is none."""
    members = Membership.objects.using(using).filter(cluster=cluster, document__live=True)
    first = members.order_by("document__first_seen", "document").first()
    if first is None:
        return False
    Membership.objects.using(using).filter(pk=first.pk).update(
        reason=Membership.Reason.REPRESENTATIVE, score=1.0, exact=True
    )
    Cluster.objects.using(using).filter(pk=cluster.pk).update(representative=first.document_id)
    request(Cluster, cluster.pk, using)
    cluster.representative_id = first.document_id
    return True


def _figures(cluster: Cluster, using: str) -> dict[str, Any]:
    """What the members say."""
    members = Membership.objects.using(using).filter(cluster=cluster)
    found = members.aggregate(size=Count("pk"), lowest=Min("score"), odd=Count("pk", filter=Q(exact=False)))
    return {"exact": not found.pop("odd"), **found}


def _weakest(cluster: Cluster, using: str) -> float:
    """The score of the weakest pair that is stored."""
    ((weakest,),) = rows(using, WITHIN, [cluster.pk, cluster.pk, cluster.space_id])
    return inf if weakest is None else float(weakest)


def _store(cluster: Cluster, figures: dict[str, Any], weakest: float, using: str) -> None:
    figures = {**figures, "weakest": min(figures["lowest"], weakest)}
    Cluster.objects.using(using).filter(pk=cluster.pk).update(**figures)


def _warn(cluster: Cluster, size: int) -> None:
    if (size // ALARM).bit_length() > (cluster.size // ALARM).bit_length():
        logger.warning("neardup: cluster %s has grown to %s members", cluster.pk, size)
