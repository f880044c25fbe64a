"""Figures of a whole cluster: size, lowest score, weakest pair. The caller holds the lock of the space."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable
from math import inf
from typing import Any

from django.db.models import Count, Min, Q

from ...db.queries import clusters as cluster_queries
from ...models import Cluster, Membership
from ..open_items.changes import log_changed_documents
from ..work_queue import request_processing
from .memberships import delete_memberships

logger = logging.getLogger(__name__)

WARN_SIZE = 200
"""Size at which a growing cluster is logged for the first time.

It is logged again each time the size has doubled.

So many copies of one post rather point to a template.
"""


def refresh_cluster(cluster: Cluster, using: str, has_grown: bool = False) -> set[int]:
    """Compute the figures of a cluster again, or dissolve the cluster if fewer than two members are left.

    If the leader has left, promote another member and request a repair. Return the members that lose their
    place before a pending repair: the caller must place them, since that repair no longer sees them.
    """
    log_changed_documents([cluster.leader_id], using)
    members = Membership.objects.using(using).filter(cluster=cluster)
    led = members.filter(document=cluster.leader_id).exists()
    promoted = not led and promote_leader(cluster, using)
    figures = _member_statistics(cluster, using)
    if figures["size"] < 2 or not (led or promoted):
        # The deleted row takes its pending repair along, so the caller has to place its members.
        settled = led and cluster.wanted == cluster.done
        freed = set() if settled else {*members.values_list("document", flat=True)}
        delete_memberships(members, using)
        Cluster.objects.using(using).filter(pk=cluster.pk).delete()
        return freed
    if has_grown:
        _warn_if_large(cluster, figures["size"])
        # A resolved cluster is opened again when it grows.
        figures["state"] = Cluster.State.OPEN
    _save_statistics(cluster, figures, _weakest_score(cluster, using), using)
    return set()


def update_scores(cluster: Cluster, score_changes: Collection[tuple[float, float]], using: str) -> None:
    """Update the figures of a cluster that kept its members.

    ``score_changes`` holds the old and the new score of each changed pair inside the cluster. All its pairs
    are read only if the weakest score may have risen.
    """
    risen = any(
        old_score <= cluster.weakest and old_score < new_score for old_score, new_score in score_changes
    )
    weakest = (
        _weakest_score(cluster, using)
        if risen
        else min(cluster.weakest, *(new_score for _, new_score in score_changes))
    )
    _save_statistics(cluster, _member_statistics(cluster, using), weakest, using)


def add_member_statistics(
    cluster: Cluster,
    new_members: Collection[tuple[float, bool, str]],
    inner_scores: Iterable[float],
    using: str,
) -> None:
    """Update the figures of a cluster that gained members and lost none.

    The new figures follow from the old ones, from the new members and from the scores of their pairs inside
    the cluster.
    """
    size = cluster.size + len(new_members)
    lowest = min(cluster.lowest, *(score for score, _, _ in new_members))
    weakest = min(cluster.weakest, lowest, *inner_scores)
    exact = bool(cluster.exact) and all(is_exact for _, is_exact, _ in new_members)
    _warn_if_large(cluster, size)
    cluster_queries.update_statistics(using, cluster.pk, size, lowest, weakest, exact, Cluster.State.OPEN)


def promote_leader(cluster: Cluster, using: str) -> bool:
    """Make the first live member the leader until the repair, and request that repair.

    Return False if no member is live.
    """
    members = Membership.objects.using(using).filter(cluster=cluster, document__live=True)
    new_leader = members.order_by("document__text_since", "document__first_seen", "document").first()
    if new_leader is None:
        return False
    Membership.objects.using(using).filter(pk=new_leader.pk).update(
        reason=Membership.Reason.LEADER, score=1.0, exact=True
    )
    Cluster.objects.using(using).filter(pk=cluster.pk).update(leader=new_leader.document_id)
    request_processing(Cluster, cluster.pk, using)
    cluster.leader_id = new_leader.document_id
    log_changed_documents([cluster.leader_id], using)
    return True


def _member_statistics(cluster: Cluster, using: str) -> dict[str, Any]:
    """Return size, lowest score and exactness, computed from the memberships."""
    members = Membership.objects.using(using).filter(cluster=cluster)
    statistics = members.aggregate(
        size=Count("pk"), lowest=Min("score"), odd=Count("pk", filter=Q(exact=False))
    )
    return {"exact": not statistics.pop("odd"), **statistics}


def _weakest_score(cluster: Cluster, using: str) -> float:
    """Return the lowest score of the stored pairs inside the cluster.

    Return infinity if no pair is stored.
    """
    weakest = cluster_queries.lowest_inner_score(using, cluster.pk, cluster.space_id)
    return inf if weakest is None else weakest


def _save_statistics(cluster: Cluster, statistics: dict[str, Any], weakest: float, using: str) -> None:
    statistics = {**statistics, "weakest": min(statistics["lowest"], weakest)}
    Cluster.objects.using(using).filter(pk=cluster.pk).update(**statistics)


def _warn_if_large(cluster: Cluster, size: int) -> None:
    if (size // WARN_SIZE).bit_length() > (cluster.size // WARN_SIZE).bit_length():
        logger.warning("neardup: the group %s has grown to %s posts", cluster.pk, size)
