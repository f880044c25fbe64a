"""Clusters follow the leaders: memberships move, rows are made, renewed and dissolved. Under the space's lock."""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from django.db.models import Count, F, Min, Q

from ..clustering import settle
from ..models import Cluster, Membership, Scheme
from .facts import UNSEEN, Seen, neighbours
from .graph import StoredGraph
from .ledger import request
from .members import enter
from .sql import among, execute, named, rows, rows_in

logger = logging.getLogger(__name__)

ALARM = 200
"""Members at which a growing cluster is logged, and each time their number has doubled: so many copies of one post are
rather a template's."""

SHOWN = ("id", "space_id", "representative_id", "size", "lowest", "weakest", "exact")
LED = f'SELECT {named(SHOWN)} FROM "neardup_cluster" WHERE "representative_id" = %s'
SPACE = 'SELECT "space_id" FROM "neardup_document" WHERE "id" = %s'
SAID = (
    'SELECT m."id", m."document_id", m."cluster_id", c."representative_id", m."score", m."exact", m."reason" '
    'FROM "neardup_membership" m JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE m."document_id" IN ({})'
)
SAY = 'UPDATE "neardup_membership" SET "score" = %s, "exact" = %s, "reason" = %s WHERE "id" = %s'
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

Said = tuple[float, bool, str]
"""Score, whether it is an exact copy, and the reason, of a member."""


def recluster(
    scheme: Scheme,
    seeds: Iterable[int],
    using: str,
    frozen: Collection[int] = (),
    related: Collection[int] = (),
    seen: Seen = UNSEEN,
) -> dict[int, int | None]:
    """Decide anew on the seeds and all that depends on them, and store it; the leaders that changed.

    ``related``: documents that may depend on the seeds, though nothing else has changed with them. Those that stand
    before all seeds in the static order depend on none of them, and are left alone. ``seen``: documents that the
    caller has read under the lock, and nobody's place has changed since."""
    graph, seeds = StoredGraph(scheme.pk, using, seen), set(seeds)
    if not seeds:
        return {}
    graph.place(seeds.union(related))
    first = min(map(graph.order, seeds))
    changed = settle(graph, seeds.union(node for node in related if graph.order(node) > first), frozen)
    before = {node: graph.leader(node) for node in changed}
    stale = _leave([node for node in changed if graph.has_place(node)], using)
    freed = _join(changed, before, graph, scheme, using, stale)
    stale |= _renew(seeds - {*frozen} - changed.keys(), graph, using)
    freed |= _refresh_many(stale, using)
    for leader in _left_behind(changed, before):
        for pk in Cluster.objects.using(using).filter(representative=leader).values_list("pk", flat=True):
            request(Cluster, pk, using)
    return changed | place(freed, scheme, using, {*frozen} - freed)


def place(
    documents: Collection[int], scheme: Scheme, using: str, frozen: Collection[int] = ()
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
    return recluster(scheme, seeds, using, frozen=kept, related=near - kept)


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


def _renew(staying: Collection[int], graph: StoredGraph, using: str) -> set[int]:
    """Renew what is said of members whose leader is the same; their clusters."""
    known = {row[1]: row for row in rows_in(using, SAID, sorted(staying))}
    for node in graph.each(node for node, row in known.items() if node != row[3]):
        pk, _, _, leader, *said = known[node]
        if (now := _said(node, leader, graph)) != tuple(said):
            execute(using, SAY, [*now, pk])
    return {cluster for _, _, cluster, *_ in known.values()}


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
            _grow(cluster, said, _inside(said, changed, graph), using)
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


def _grow(cluster: Cluster, coming: Mapping[int, Said], inside: Collection[float], using: str) -> None:
    """Renew the figures of a cluster that has lost nobody, by those who have come and their scores inside."""
    size = cluster.size + len(coming)
    lowest = min(cluster.lowest, *(score for score, _, _ in coming.values()))
    weakest = min(cluster.weakest, lowest, *inside)
    exact = bool(cluster.exact) and all(own for _, own, _ in coming.values())
    _warn(cluster, size)
    execute(using, GROWN, [size, lowest, weakest, exact, Cluster.State.OPEN, cluster.pk])


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


def refresh(cluster: Cluster, using: str, grown: bool = False) -> set[int]:
    """Renew a cluster's figures; dissolve it where fewer than two are left; give it another representative where the
    old one has gone (a repair is then asked for). Who is freed by that before its repair: nobody else looks at them."""
    members = Membership.objects.using(using).filter(cluster=cluster)
    led = members.filter(document=cluster.representative_id).exists()
    promoted = not led and promote(cluster, using)
    figures = members.aggregate(size=Count("pk"), lowest=Min("score"), odd=Count("pk", filter=Q(exact=False)))
    if figures["size"] < 2 or not (led or promoted):
        settled = led and cluster.wanted == cluster.done
        freed = set() if settled else {*members.values_list("document", flat=True)}
        members.delete()
        Cluster.objects.using(using).filter(pk=cluster.pk).delete()
        return freed
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
    return set()


def _warn(cluster: Cluster, size: int) -> None:
    if (size // ALARM).bit_length() > (cluster.size // ALARM).bit_length():
        logger.warning("neardup: cluster %s has grown to %s members", cluster.pk, size)


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
