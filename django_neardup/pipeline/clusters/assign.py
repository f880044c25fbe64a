"""Assignment of documents to clusters.

Membership rows repeat content type and object id of the document.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Set
from math import inf

from django.db.models import F

from ...clustering import update_leaders
from ...db.queries import clusters as cluster_queries
from ...db.sql import filter_in_chunks
from ...models import Cluster, Membership, Scheme
from ..open_items.changes import log_changed_documents
from ..pairs import EMPTY_STATE, LockedState, PreviousScores, paired_documents_of
from ..work_queue import request_processing
from .aggregates import add_member_statistics, refresh_cluster, update_scores
from .families import update_families
from .graph import StoredGraph
from .memberships import delete_memberships, insert_memberships

MembershipValues = tuple[float, bool, str]
"""Score, exactness and reason of a member."""

ScoreChange = tuple[int, float, float]
"""A leader, and the old and the new score of a pair in its cluster."""


def recluster(
    scheme: Scheme,
    seeds: Iterable[int],
    using: str,
    frozen: Collection[int] = (),
    related: Collection[int] = (),
    locked_state: LockedState = EMPTY_STATE,
    previous_scores: PreviousScores | None = None,
    unmoved: Set[int] = frozenset(),
) -> dict[int, int | None]:
    """Decide again on the leaders of the seeds and of all documents that depend on them.

    Store the result. Return the new leader by document, for every document with a changed leader. The leader
    is None if the document has none.

    - ``frozen``: documents that keep their memberships.
    - ``related``: documents that may depend on the seeds, but have not changed otherwise.
    - ``locked_state``: documents that the caller has read under the lock and whose memberships have not
      changed since.
    - ``previous_scores``: the earlier scores of pairs with a changed score.
    - ``unmoved``: seeds with the same text and the same place in the static order. Only their pairs with other seeds
      have changed.
    """
    graph, seeds = StoredGraph(scheme.pk, using, locked_state), set(seeds)
    if not seeds:
        return {}
    graph.load_leaders(seeds.union(related))
    # A document does not depend on seeds that come after it in the static order, so it is not decided again.
    first_seed_key = min(map(graph.sort_key, seeds))
    changed = update_leaders(
        graph, seeds.union(node for node in related if graph.sort_key(node) > first_seed_key), frozen
    )
    old_leaders = {node: graph.current_leader(node) for node in changed}
    stale_clusters = _delete_memberships([node for node in changed if graph.is_clustered(node)], using)
    documents_to_place = _join_clusters(changed, old_leaders, graph, scheme, using, stale_clusters)
    score_changes = _update_memberships(seeds - {*frozen} - changed.keys(), graph, using)
    score_changes += _score_changes(previous_scores or {}, changed.keys(), graph)
    _update_scores_many(score_changes, stale_clusters, using)
    moved = update_families({*seeds, *changed}, related, graph, changed, using, unmoved - changed.keys())
    leaders = {leader for leader in (*changed.values(), *old_leaders.values()) if leader is not None}
    log_changed_documents({*seeds, *changed, *leaders, *moved}, using)
    documents_to_place |= _refresh_many(stale_clusters, using) | graph.documents_bound_to_moved(
        changed.keys()
    )
    for leader in _leaders_to_repair(changed, old_leaders):
        for cluster_id in Cluster.objects.using(using).filter(leader=leader).values_list("pk", flat=True):
            request_processing(Cluster, cluster_id, using)
    return changed | recluster_related(documents_to_place, scheme, using, {*frozen} - documents_to_place)


def recluster_related(
    documents: Collection[int],
    scheme: Scheme,
    using: str,
    frozen: Collection[int] = (),
    previous_scores: PreviousScores | None = None,
) -> dict[int, int | None]:
    """Call ``recluster`` with the documents and everything related to them.

    Members of other clusters that wait for a repair stay where they are.
    """
    seeds = {*documents} - {*frozen}
    if not seeds:
        return {}
    related = paired_documents_of(seeds, scheme.pk, using) - seeds
    # Only the repair compares those members with each other.
    unrepaired = Membership.objects.using(using).filter(cluster__wanted__gt=F("cluster__done"))
    waiting_documents = filter_in_chunks(unrepaired.values_list("document", flat=True), "document", related)
    frozen_documents = {*frozen}.union(*waiting_documents)
    return recluster(
        scheme,
        seeds,
        using,
        frozen=frozen_documents,
        related=related - frozen_documents,
        previous_scores=previous_scores,
    )


def _refresh_many(clusters: Collection[int], using: str) -> set[int]:
    """Refresh the clusters and return the documents that ``refresh_cluster`` returns for them."""
    rows = filter_in_chunks(Cluster.objects.using(using), "pk", clusters)
    return {
        document
        for clusters_of_chunk in rows
        for cluster in clusters_of_chunk
        for document in refresh_cluster(cluster, using)
    }


def _leaders_to_repair(changed: dict[int, int | None], former_leaders: dict[int, int | None]) -> set[int]:
    """Return new leaders of former leaders whose members did not all follow.

    Members and new leader may never have been compared.
    """
    return {
        new_leader
        for node, old_leader in former_leaders.items()
        if old_leader is not None
        and old_leader != node
        and (new_leader := changed.get(old_leader)) is not None
        and changed[node] != new_leader
    }


def _delete_memberships(documents: Collection[int], using: str) -> set[int]:
    """Remove the documents from their clusters. Return the clusters that lost a member."""
    stale_clusters: set[int] = set()
    for memberships in filter_in_chunks(Membership.objects.using(using), "document", documents):
        stale_clusters |= delete_memberships(memberships, using)
    return stale_clusters


def _update_memberships(documents: Collection[int], graph: StoredGraph, using: str) -> list[ScoreChange]:
    """Update score, exactness and reason of members that keep their leader. Return the changed scores."""
    memberships = {row[1]: row for row in cluster_queries.scores_of(using, sorted(documents))}
    score_changes = []
    for node in graph.iterate_loaded(node for node, row in memberships.items() if node != row[2]):
        membership_id, _, leader, *old_values = memberships[node]
        if (new_values := _membership_values(node, leader, graph)) != tuple(old_values):
            cluster_queries.update_membership(using, membership_id, *new_values)
            score_changes.append((leader, old_values[0], new_values[0]))
    return score_changes


def _score_changes(
    previous_scores: PreviousScores, changed: Set[int], graph: StoredGraph
) -> list[ScoreChange]:
    """Return changed scores of pairs whose two documents both stayed in one cluster."""
    graph.load_leaders({side for pair in previous_scores for side in pair})
    inside: defaultdict[int, list[int]] = defaultdict(list)
    for a, b in sorted(previous_scores):
        if changed.isdisjoint((a, b)) and graph.current_leader(a) == graph.current_leader(b) is not None:
            inside[a].append(b)
    return [
        (graph.current_leader(a) or 0, previous_scores[a, b], graph.scores(a).get(b, inf))
        for a in graph.iterate_loaded(inside)
        for b in inside[a]
    ]


def _update_scores_many(
    score_changes: Iterable[ScoreChange], stale_clusters: Collection[int], using: str
) -> None:
    """Call ``update_scores`` for the clusters of the leaders, except the stale ones."""
    changes_by_leader: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
    for leader, old_score, new_score in score_changes:
        changes_by_leader[leader].append((old_score, new_score))
    for clusters in filter_in_chunks(Cluster.objects.using(using), "leader", changes_by_leader):
        for cluster in clusters:
            # ``refresh_cluster`` counts stale clusters as a whole.
            if cluster.pk not in stale_clusters:
                update_scores(cluster, changes_by_leader[cluster.leader_id], using)


def _join_clusters(
    changed: Mapping[int, int | None],
    former_leaders: Mapping[int, int | None],
    graph: StoredGraph,
    scheme: Scheme,
    using: str,
    stale_clusters: Collection[int],
) -> set[int]:
    """Add documents to the clusters of their leaders.

    Return documents that ``refresh_cluster`` leaves without a place.

    The figures of a cluster that only grows follow from its old figures. Those of a stale cluster are counted
    again.
    """
    documents_to_place: set[int] = set()
    joining: defaultdict[int, list[int]] = defaultdict(list)
    for node, leader in changed.items():
        if leader is not None and leader != node:
            joining[leader].append(node)
    for leader, nodes in sorted(joining.items()):
        old_leaders = [former_leaders[node] for node in nodes if graph.is_clustered(node)]
        cluster, exists = _find_or_create_cluster(leader, old_leaders, scheme, graph.locked_state, using)
        member_values = {
            node: _membership_values(node, leader, graph) for node in graph.iterate_loaded(sorted(nodes))
        }
        inserted_values = (
            member_values if exists else {leader: (1.0, True, Membership.Reason.LEADER), **member_values}
        )
        insert_memberships(
            [
                [node, cluster.pk, *values, scheme.pk, graph.digest(node)]
                for node, values in inserted_values.items()
            ],
            using,
        )
        if cluster.size and cluster.pk not in stale_clusters:
            add_member_statistics(
                cluster, member_values.values(), _scores_inside(member_values, changed, graph), using
            )
        else:
            documents_to_place |= refresh_cluster(cluster, using, has_grown=True)
    return documents_to_place


def _scores_inside(
    joining: Collection[int], changed: Mapping[int, int | None], graph: StoredGraph
) -> list[float]:
    """Return the scores of pairs between a joining document and any member of its cluster."""

    def new_leader(node: int) -> int | None:
        return changed.get(node, graph.current_leader(node))

    return [
        score
        for document in graph.iterate_loaded(joining)
        for other, score in graph.scores(document).items()
        if new_leader(document) == new_leader(other)
    ]


def _find_or_create_cluster(
    leader: int,
    former_leaders: Iterable[int | None],
    scheme: Scheme,
    locked_state: LockedState,
    using: str,
) -> tuple[Cluster, bool]:
    """Return the leader's cluster, and whether it already existed.

    If it does not exist, reuse an abandoned cluster of its members, so that its address stays valid.
    Otherwise create one.
    """
    for row in (
        [locked_state.clusters[leader]]
        if leader in locked_state.clusters
        else cluster_queries.cluster_of_leader(using, leader)
    ):
        return Cluster.from_db(using, list(cluster_queries.CLUSTER_COLUMNS), row), True
    leader_ids = {node for node in former_leaders if node is not None}
    abandoned_chunks = filter_in_chunks(
        Cluster.objects.using(using).filter(memberships=None), "leader", leader_ids
    )
    clusters = (row for chunk in abandoned_chunks for row in chunk.order_by("pk")[:1])
    cluster = min(clusters, key=lambda row: row.pk, default=None) or Cluster(size=1, exact=True)
    cluster.space_id, cluster.leader_id = cluster_queries.space_of(using, leader), leader
    cluster.scheme_id = scheme.pk
    cluster.save(using=using, update_fields=["space", "leader", "scheme"] if cluster.pk else None)
    return cluster, False


def _membership_values(node: int, leader: int, graph: StoredGraph) -> MembershipValues:
    pair = graph.pair(node, leader)
    verified = pair is not None and leader in graph.duplicates(node)
    return (
        pair.score if pair else 0.0,
        bool(pair and pair.exact),
        Membership.Reason.DUPLICATE if verified else Membership.Reason.DECISION,
    )
