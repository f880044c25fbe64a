"""Clusters follow the leaders: memberships move, rows are made, renewed and dissolved. Under the space's lock."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from math import inf

from django.db.models import F

from ..clustering import settle
from ..models import Cluster, Membership, Scheme
from .facts import UNSEEN, Scores, Seen, neighbours
from .figures import grow, refresh, reweigh
from .graph import StoredGraph
from .ledger import request
from .members import enter
from .sql import among, execute, named, rows, rows_in

SHOWN = ("id", "space_id", "representative_id", "size", "lowest", "weakest", "exact")
LED = f'SELECT {named(SHOWN)} FROM "neardup_cluster" WHERE "representative_id" = %s'
SPACE = 'SELECT "space_id" FROM "neardup_document" WHERE "id" = %s'
SAID = (
    'SELECT m."id", m."document_id", c."representative_id", m."score", m."exact", m."reason" '
    'FROM "neardup_membership" m JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE m."document_id" IN ({})'
)
SAY = 'UPDATE "neardup_membership" SET "score" = %s, "exact" = %s, "reason" = %s WHERE "id" = %s'

Said = tuple[float, bool, str]
"""Score, whether it is an exact copy, and the reason, of a member."""

Rescored = tuple[int, float, float]
"""A leader, and a score in its cluster as it was and as it is."""


def recluster(
    scheme: Scheme,
    seeds: Iterable[int],
    using: str,
    frozen: Collection[int] = (),
    related: Collection[int] = (),
    seen: Seen = UNSEEN,
    scores: Scores | None = None,
) -> dict[int, int | None]:
    """Decide anew on the seeds and all that depends on them, and store it; the leaders that changed.

    ``related``: documents that may depend on the seeds, though nothing else has changed with them. Those that stand
    before all seeds in the static order depend on none of them, and are left alone. ``seen``: documents that the
    caller has read under the lock, and nobody's place has changed since. ``scores``: of pairs that have another now."""
    graph, seeds = StoredGraph(scheme.pk, using, seen), set(seeds)
    if not seeds:
        return {}
    graph.place(seeds.union(related))
    first = min(map(graph.order, seeds))
    changed = settle(graph, seeds.union(node for node in related if graph.order(node) > first), frozen)
    before = {node: graph.leader(node) for node in changed}
    stale = _leave([node for node in changed if graph.has_place(node)], using)
    freed = _join(changed, before, graph, scheme, using, stale)
    rescored = _renew(seeds - {*frozen} - changed.keys(), graph, using)
    rescored += _rescored(scores or {}, changed.keys(), graph)
    _reweigh_many(rescored, stale, using)
    freed |= _refresh_many(stale, using) | graph.unbound(changed.keys())
    for leader in _left_behind(changed, before):
        for pk in Cluster.objects.using(using).filter(representative=leader).values_list("pk", flat=True):
            request(Cluster, pk, using)
    return changed | place(freed, scheme, using, {*frozen} - freed)


def place(
    documents: Collection[int],
    scheme: Scheme,
    using: str,
    frozen: Collection[int] = (),
    scores: Scores | None = None,
) -> dict[int, int | None]:
    """``recluster`` by some documents and all that are related to them; members of other clusters that await their
    repair stay, for only that compares them with one another."""
    seeds = {*documents} - {*frozen}
    if not seeds:
        return {}
    near = neighbours(seeds, scheme.pk, using) - seeds
    places = Membership.objects.using(using).filter(cluster__wanted__gt=F("cluster__done"))
    waiting = among(places.values_list("document", flat=True), "document", near)
    kept = {*frozen}.union(*waiting)
    return recluster(scheme, seeds, using, frozen=kept, related=near - kept, scores=scores)


def _refresh_many(clusters: Collection[int], using: str) -> set[int]:
    """``refresh`` each of them; the documents that were freed."""
    rows = among(Cluster.objects.using(using), "pk", clusters)
    return {document for some in rows for cluster in some for document in refresh(cluster, using)}


def _left_behind(changed: dict[int, int | None], before: dict[int, int | None]) -> set[int]:
    """Leaders joined by a former leader whose members did not all follow: they may never have been compared."""
    return {
        new
        for node, old in before.items()
        if old is not None and old != node and (new := changed.get(old)) is not None and changed[node] != new
    }


def _leave(leaving: Collection[int], using: str) -> set[int]:
    """Take those documents out of their clusters; the clusters that lost one."""
    left: set[int] = set()
    for places in among(Membership.objects.using(using), "document", leaving):
        left.update(places.values_list("cluster", flat=True))
        places.delete()
    return left


def _renew(staying: Collection[int], graph: StoredGraph, using: str) -> list[Rescored]:
    """Renew what is said of members whose leader is the same; what changed."""
    known = {row[1]: row for row in rows_in(using, SAID, sorted(staying))}
    rescored = []
    for node in graph.each(node for node, row in known.items() if node != row[2]):
        pk, _, leader, *said = known[node]
        if (now := _said(node, leader, graph)) != tuple(said):
            execute(using, SAY, [*now, pk])
            rescored.append((leader, said[0], now[0]))
    return rescored


def _rescored(scores: Scores, changed: Set[int], graph: StoredGraph) -> list[Rescored]:
    """What changed of the pairs inside clusters, of two that have stayed."""
    graph.place({side for pair in scores for side in pair})
    inside: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in sorted(scores):
        if changed.isdisjoint((a, b)) and graph.leader(a) == graph.leader(b) is not None:
            inside[a].append(b)
    return [
        (graph.leader(a) or 0, scores[a, b], graph.scores(a).get(b, inf))
        for a in graph.each(inside)
        for b in inside[a]
    ]


def _reweigh_many(rescored: Iterable[Rescored], stale: Collection[int], using: str) -> None:
    """``reweigh`` the clusters of those leaders, but for the stale ones."""
    led: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    for leader, was, now in rescored:
        led[leader].append((was, now))
    for some in among(Cluster.objects.using(using), "representative", led):
        for cluster in some:
            if cluster.pk not in stale:
                reweigh(cluster, led[cluster.representative_id], using)


def _join(
    changed: Mapping[int, int | None],
    before: Mapping[int, int | None],
    graph: StoredGraph,
    scheme: Scheme,
    using: str,
    stale: Collection[int],
) -> set[int]:
    """Documents join their leaders' clusters; who was freed. The figures of one that only grows follow from those it
    had; those of ``stale`` ones are counted."""
    freed: set[int] = set()
    joining: defaultdict[int, list[int]] = defaultdict(list)
    for node, leader in changed.items():
        if leader is not None and leader != node:
            joining[leader].append(node)
    for leader, nodes in sorted(joining.items()):
        former = [before[node] for node in nodes if graph.has_place(node)]
        cluster, led = _cluster_of(leader, former, graph.seen, using)
        said = {node: _said(node, leader, graph) for node in graph.each(sorted(nodes))}
        coming = said if led else {leader: (1.0, True, Membership.Reason.REPRESENTATIVE), **said}
        enter(
            [[node, cluster.pk, *own, scheme.pk, graph.digest(node)] for node, own in coming.items()], using
        )
        if cluster.size and cluster.pk not in stale:
            grow(cluster, said.values(), _inside(said, changed, graph), using)
        else:
            freed |= refresh(cluster, using, grown=True)
    return freed


def _inside(coming: Collection[int], changed: Mapping[int, int | None], graph: StoredGraph) -> list[float]:
    """The scores of those who have come with all members."""

    def led(node: int) -> int | None:
        return changed.get(node, graph.leader(node))

    return [
        score
        for one in graph.each(coming)
        for other, score in graph.scores(one).items()
        if led(one) == led(other)
    ]


def _cluster_of(leader: int, before: Iterable[int | None], seen: Seen, using: str) -> tuple[Cluster, bool]:
    """The leader's cluster, and whether it was; else an abandoned one of its members, so that addresses last; else a
    new one."""
    for row in [seen.clusters[leader]] if leader in seen.clusters else rows(using, LED, [leader]):
        return Cluster.from_db(using, list(SHOWN), row), True
    former = {node for node in before if node is not None}
    abandoned = among(Cluster.objects.using(using).filter(memberships=None), "representative", former)
    clusters = (row for some in abandoned for row in some.order_by("pk")[:1])
    cluster = min(clusters, key=lambda row: row.pk, default=None) or Cluster(size=1, exact=True)
    cluster.space_id, cluster.representative_id = rows(using, SPACE, [leader])[0][0], leader
    cluster.save(using=using, update_fields=["space", "representative"] if cluster.pk else None)
    return cluster, False


def _said(node: int, leader: int, graph: StoredGraph) -> Said:
    pair = graph.pair(node, leader)
    verified = pair is not None and leader in graph.duplicates(node)
    return (
        pair.score if pair else 0.0,
        bool(pair and pair.exact),
        Membership.Reason.DUPLICATE if verified else Membership.Reason.DECISION,
    )
