"""Clusters follow the leaders: memberships move, rows are made, renewed and dissolved. Under the space's lock."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable

from django.db.models import Count, Min, Q

from ..clustering import settle
from ..models import Cluster, Document, Membership, Scheme, Space
from .graph import StoredGraph
from .ledger import request
from .sql import execute, insert, named, rows, rows_either

logger = logging.getLogger(__name__)

ALARM = 200
"""Members from which on a growing cluster is logged: so many copies of one post are rather a template's."""

JOINED = ("document_id", "cluster_id", "score", "reason", "exact", "scheme_id", "digest")
SHOWN = ("id", "space_id", "representative_id", "size", "lowest", "weakest", "exact")
LED = f'SELECT {named(SHOWN)} FROM "neardup_cluster" WHERE "representative_id" = %s'
_SIDE = (
    'SELECT MIN(p."score") FROM "neardup_pair" p JOIN "neardup_membership" m ON m."document_id" = p."{other}" '
    'WHERE m."cluster_id" = %s AND +p."space_id" = %s AND p."{side}" IN ({{0}})'
)
INSIDE = f"{_SIDE.format(side='a_id', other='b_id')} UNION ALL {_SIDE.format(side='b_id', other='a_id')}"
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

RENEWED = ("score", "exact", "reason")


def recluster(
    scheme: Scheme,
    seeds: Iterable[int],
    using: str,
    frozen: Collection[int] = (),
    related: Collection[int] = (),
) -> set[int]:
    """Decide anew on the seeds and all that depends on them, and store it; the documents whose leader changed.

    ``related``: documents that have come to be related to seeds of which nothing was known before. Those that stand
    before all seeds in the static order depend on none of them, and are left alone."""
    graph, seeds = StoredGraph(scheme.pk, using), set(seeds)
    if related:
        graph.place(seeds.union(related))
        first = min(map(graph.order, seeds))
        seeds |= {node for node in related if graph.order(node) > first}
    changed = settle(graph, seeds, frozen)
    before = {node: graph.leader(node) for node in changed}
    stale = _leave([node for node in changed if graph.has_place(node)], using)
    _join(changed, before, graph, scheme, using, stale)
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


def _leave(leaving: Collection[int], using: str) -> set[int]:
    """Take those documents out of their clusters; the clusters that lost one."""
    if not leaving:
        return set()
    places = Membership.objects.using(using).filter(document__in=leaving)
    left = set(places.values_list("cluster", flat=True))
    places.delete()
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
    stale: Collection[int],
) -> None:
    """Documents join their leaders' clusters. The figures of one that only grows follow from those it had; those of
    ``stale`` ones are counted."""
    joining: defaultdict[int, list[int]] = defaultdict(list)
    for node, leader in changed.items():
        if leader is not None and leader != node:
            joining[leader].append(node)
    for leader, nodes in sorted(joining.items()):
        cluster = _cluster_of(leader, [before[node] for node in nodes], graph, scheme, using)
        coming = [_membership(cluster, node, leader, graph, scheme) for node in sorted(nodes)]
        insert(
            using, "neardup_membership", JOINED, [[getattr(each, name) for name in JOINED] for each in coming]
        )
        if cluster.size > 1 and cluster.pk not in stale:
            _grow(cluster, coming, using)
        else:
            refresh(cluster, using, grown=True)


def _grow(cluster: Cluster, coming: Collection[Membership], using: str) -> None:
    """Renew the figures of a cluster that has lost nobody, by those who have come."""
    size = cluster.size + len(coming)
    lowest = min(cluster.lowest, *(each.score for each in coming))
    inside = rows_either(using, INSIDE, [each.document_id for each in coming], cluster.pk, cluster.space_id)
    weakest = min([cluster.weakest, lowest, *(score for (score,) in inside if score is not None)])
    exact = cluster.exact and all(each.exact for each in coming)
    _warn(cluster, size)
    execute(using, GROWN, [size, lowest, weakest, exact, Cluster.State.OPEN, cluster.pk])


def _cluster_of(
    leader: int, before: list[int | None], graph: StoredGraph, scheme: Scheme, using: str
) -> Cluster:
    """The leader's cluster; else an abandoned one of its members, so that addresses last; else a new one."""
    clusters = Cluster.objects.using(using)
    for row in rows(using, LED, [leader]):
        return Cluster.from_db(using, list(SHOWN), row)
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
    if grown:
        _warn(cluster, figures["size"])
    ((weakest,),) = rows(using, WITHIN, [cluster.pk, cluster.pk, cluster.space_id])
    Cluster.objects.using(using).filter(pk=cluster.pk).update(
        size=figures["size"],
        lowest=figures["lowest"],
        exact=not figures["odd"],
        weakest=min(figures["lowest"], figures["lowest"] if weakest is None else weakest),
        **({"state": Cluster.State.OPEN} if grown else {}),
    )


def _warn(cluster: Cluster, size: int) -> None:
    if size >= ALARM:
        logger.warning("neardup: cluster %s has grown to %s members", cluster.pk, size)


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
