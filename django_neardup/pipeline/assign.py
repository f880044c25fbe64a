"""Clusters follow the leaders: memberships move, rows are made, renewed and dissolved. Under the space's lock."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Count, Min, Q

from ..clustering import settle
from ..models import Cluster, Document, Membership, Pair, Scheme, Space
from .graph import StoredGraph
from .ledger import request

logger = logging.getLogger(__name__)

ALARM = 200
"""Members from which on a growing cluster is logged: so many copies of one post are rather a template's."""

RENEWED = ("score", "exact", "reason")


def recluster(scheme: Scheme, seeds: Iterable[int], using: str, frozen: Collection[int] = ()) -> set[int]:
    """Decide anew on the seeds and all that depends on them, and store it; the documents whose leader changed."""
    graph, seeds = StoredGraph(scheme.pk, using), set(seeds)
    changed = settle(graph, seeds, frozen)
    before = {node: graph.leader(node) for node in changed}
    stale = _leave(changed, using)
    _join(changed, before, graph, scheme, using)
    stale |= _renew({*seeds} - {*frozen} - changed.keys(), graph, scheme, using)
    for cluster in Cluster.objects.using(using).filter(pk__in=stale):
        refresh(cluster, using)
    for leader in _left_behind(changed, before):
        for pk in Cluster.objects.using(using).filter(representative=leader).values_list("pk", flat=True):
            request(Cluster, pk, using)
    return set(changed)


def _left_behind(changed: dict[int, int | None], before: dict[int, int | None]) -> set[int]:
    """Leaders joined by a former leader whose members did not all follow: they may never have been compared."""
    return {
        new
        for node, old in before.items()
        if old is not None and old != node and (new := changed.get(old)) is not None and changed[node] != new
    }


def _leave(changed: dict[int, int | None], using: str) -> set[int]:
    """Take every changed document out of its cluster; the clusters that lost one."""
    rows = Membership.objects.using(using).filter(document__in=list(changed))
    left = set(rows.values_list("cluster", flat=True))
    rows.delete()
    return left


def _renew(staying: Collection[int], graph: StoredGraph, scheme: Scheme, using: str) -> set[int]:
    """Renew what is said of members whose leader is the same; their clusters."""
    clusters: set[int] = set()
    for place in Membership.objects.using(using).filter(document__in=staying).select_related("cluster"):
        clusters.add(place.cluster_id)
        if place.document_id != place.cluster.representative_id:
            now = _membership(
                place.cluster, place.document_id, place.cluster.representative_id, graph, scheme
            )
            if any(getattr(place, name) != getattr(now, name) for name in RENEWED):
                values = {name: getattr(now, name) for name in RENEWED}
                Membership.objects.using(using).filter(pk=place.pk).update(**values)
    return clusters


def _join(
    changed: dict[int, int | None],
    before: dict[int, int | None],
    graph: StoredGraph,
    scheme: Scheme,
    using: str,
) -> None:
    joining: defaultdict[int, list[int]] = defaultdict(list)
    for node, leader in changed.items():
        if leader is not None and leader != node:
            joining[leader].append(node)
    for leader, nodes in sorted(joining.items()):
        cluster = _cluster_of(leader, [before[node] for node in nodes], graph, scheme, using)
        Membership.objects.using(using).bulk_create(
            [_membership(cluster, node, leader, graph, scheme) for node in sorted(nodes)]
        )
        refresh(cluster, using, grown=True)


def _cluster_of(
    leader: int, before: list[int | None], graph: StoredGraph, scheme: Scheme, using: str
) -> Cluster:
    """The leader's cluster; else an abandoned one of its members, so that addresses last; else a new one."""
    clusters = Cluster.objects.using(using)
    present = clusters.filter(representative=leader).first()
    if present is not None:
        return present
    document = Document.objects.using(using).get(pk=leader)
    former = [node for node in before if node is not None]
    cluster = clusters.filter(representative__in=former, memberships=None).order_by("pk").first() or Cluster()
    cluster.space = Space.objects.using(using).get(documents=document)
    cluster.representative = document
    cluster.save(using=using, update_fields=["space", "representative"] if cluster.pk else None)
    Membership.objects.using(using).create(
        document=document, cluster=cluster, score=1.0, exact=True, scheme=scheme, digest=graph.digest(leader),
        reason=Membership.Reason.REPRESENTATIVE,
    )  # fmt: skip
    return cluster


def _membership(cluster: Cluster, node: int, leader: int, graph: StoredGraph, scheme: Scheme) -> Membership:
    pair = graph.pair(node, leader)
    verified = pair is not None and leader in graph.duplicates(node)
    return Membership(
        cluster=cluster,
        document_id=node,
        score=pair.score if pair else 0.0,
        exact=bool(pair and pair.exact),
        reason=Membership.Reason.DUPLICATE if verified else Membership.Reason.DECISION,
        scheme=scheme,
        digest=graph.digest(node),
    )


def refresh(cluster: Cluster, using: str, grown: bool = False) -> None:
    """Renew a cluster's figures; dissolve it where fewer than two are left; give it another representative where the
    old one has gone (a repair is then asked for)."""
    members = Membership.objects.using(using).filter(cluster=cluster)
    if not members.filter(document=cluster.representative_id).exists():
        cluster = promote(cluster, using) or cluster
    figures = members.aggregate(size=Count("pk"), lowest=Min("score"), odd=Count("pk", filter=Q(exact=False)))
    if figures["size"] < 2 or not members.filter(document=cluster.representative_id).exists():
        members.delete()
        Cluster.objects.using(using).filter(pk=cluster.pk).delete()
        return
    if grown and figures["size"] >= ALARM:
        logger.warning("neardup: cluster %s has grown to %s members", cluster.pk, figures["size"])
    inside = Pair.objects.using(using).filter(
        a__membership__cluster=cluster, b__membership__cluster=cluster, space=cluster.space_id
    )
    weakest = inside.aggregate(score=Min("score"))["score"]
    Cluster.objects.using(using).filter(pk=cluster.pk).update(
        size=figures["size"],
        lowest=figures["lowest"],
        exact=not figures["odd"],
        weakest=min(figures["lowest"], figures["lowest"] if weakest is None else weakest),
        **({"state": Cluster.State.OPEN} if grown else {}),
    )


def promote(cluster: Cluster, using: str) -> Cluster | None:
    """Let the first live member represent until the repair; None where there is none."""
    members = Membership.objects.using(using).filter(cluster=cluster, document__live=True)
    first = members.order_by("document__first_seen", "document").first()
    if first is None:
        return None
    Membership.objects.using(using).filter(pk=first.pk).update(
        reason=Membership.Reason.REPRESENTATIVE, score=1.0, exact=True
    )
    Cluster.objects.using(using).filter(pk=cluster.pk).update(representative=first.document_id)
    request(Cluster, cluster.pk, using)
    cluster.representative_id = first.document_id
    return cluster
