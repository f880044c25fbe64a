"""Verified leader clusters: every member is a verified duplicate of its leader, so chains never form.

Nodes are processed in a static order. A node joins the earlier leader that is its duplicate with the highest
score, and the older leader if scores are equal. It does not join if the leader's cluster has an earlier node
that it must stay apart from. A person's decision "same" comes first: it binds the node to the cluster of the
other node. A node that joins no cluster leads one if it may.

The result depends only on the set of nodes, not on their order of arrival (greedy leader clustering,
Hartigan 1975, in a static order).
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Collection, Iterable, Mapping
from typing import Any, Protocol

# Few: a repair must not read a large part of the graph in one step.
PREFETCH_SIZE = 16
"""The number of nodes that are fetched together: the next ones to process."""


class Graph(Protocol):
    """The facts about nodes that clustering needs. Relations are symmetric; a node is any integer."""

    def prefetch(self, nodes: Collection[int]) -> None:
        """Fetch the relations of nodes together. This is called before they are read."""

    def sort_key(self, node: int) -> Any:
        """Return the node's position in the static order: sortable, and different for any two nodes."""

    def can_lead(self, node: int) -> bool:
        """Return whether the node may represent others."""

    def duplicates(self, node: int) -> Mapping[int, float]:
        """Return the node's verified duplicates, with the scores."""

    def variants(self, node: int) -> Collection[int]:
        """Return the nodes that are known to be another item, however alike."""

    def confirmed_different(self, node: int) -> Collection[int]:
        """Return the nodes that a person decided to be different from it."""

    def confirmed_same(self, node: int) -> Collection[int]:
        """Return the nodes that a person decided to be the same."""

    def current_leader(self, node: int) -> int | None:
        """Return the node's current leader.

        It is the node itself if it leads or is in no cluster. Return None if it may not lead and has no
        leader.
        """


ChooseLeader = Callable[[Graph, int, Mapping[int, "int | None"]], "int | None"]
"""Returns the leader of a node, given the leaders of all earlier nodes."""


def choose_leader(graph: Graph, node: int, leaders: Mapping[int, int | None]) -> int | None:
    """Return the leader of a node, given the leaders of all earlier nodes.

    ``leaders`` replaces the current leaders of the graph; other nodes keep theirs. Return None if the node
    joins no cluster and may not lead one.
    """
    own_key = graph.sort_key(node)

    def leaders_of_earlier(others: Iterable[int]) -> set[int | None]:
        return {
            leaders.get(other, graph.current_leader(other))
            for other in others
            if graph.sort_key(other) < own_key
        }

    separated_leaders = leaders_of_earlier(graph.confirmed_different(node))
    bound_leaders = leaders_of_earlier(graph.confirmed_same(node)) - separated_leaders - {None}
    # "Same" overrides scores and variants, but not a decision "different".
    if bound_leaders:
        return min((leader for leader in bound_leaders if leader is not None), key=graph.sort_key)
    barred_leaders = separated_leaders | leaders_of_earlier(graph.variants(node))
    candidates = [
        (-score, graph.sort_key(other), other)
        for other, score in graph.duplicates(node).items()
        if graph.sort_key(other) < own_key
        # Only leaders: a duplicate of a member need not be a duplicate of its leader.
        and leaders.get(other, graph.current_leader(other)) == other
        and other not in barred_leaders
    ]
    if candidates:
        return min(candidates)[2]
    return node if graph.can_lead(node) else None


def choose_family_leader(graph: Graph, node: int, leaders: Mapping[int, int | None]) -> int | None:
    """Return the leader of a node's template family: the earliest leader beside which it is offered.

    ``graph.variants`` are the nodes beside which it is offered. ``leaders``, and None: as in ``choose_leader``.
    """
    if not graph.can_lead(node):
        return None
    own_key = graph.sort_key(node)
    candidates = (
        other
        for other in graph.variants(node)
        if graph.sort_key(other) < own_key and leaders.get(other, graph.current_leader(other)) == other
    )
    return min(candidates, key=graph.sort_key, default=node)


def update_leaders(
    graph: Graph,
    seeds: Iterable[int],
    frozen_nodes: Collection[int] = (),
    choose: ChooseLeader = choose_leader,
) -> dict[int, int | None]:
    """Choose again the leaders of the seeds and of every later node that depends on a change.

    Return the leaders that changed. Nodes are processed in static order, so each is processed once, after
    all nodes that it depends on. Frozen nodes keep their leaders: a later repair processes them. ``choose``:
    ``choose_leader`` or ``choose_family_leader``.
    """
    changed: dict[int, int | None] = {}
    queued = set(seeds) - set(frozen_nodes)
    heap = [(graph.sort_key(node), node) for node in queued]
    heapq.heapify(heap)
    fetched: set[int] = set()
    while heap:
        key, node = heapq.heappop(heap)
        queued.discard(node)
        if node not in fetched:
            following = _peek_first(heap, PREFETCH_SIZE - 1)
            graph.prefetch([node, *following])
            fetched.update(following)
        leader = choose(graph, node, changed)
        # Without a change, later nodes are not affected: an update stays local.
        if leader == graph.current_leader(node):
            continue
        changed[node] = leader
        affected = [
            neighbour
            for neighbour in neighbours(graph, node)
            if neighbour not in queued and neighbour not in frozen_nodes and graph.sort_key(neighbour) > key
        ]
        queued.update(affected)
        for affected_node in affected:
            heapq.heappush(heap, (graph.sort_key(affected_node), affected_node))
    return changed


def _peek_first(heap: list[tuple[Any, int]], limit: int) -> list[int]:
    """Return the first nodes of the heap, and leave the heap unchanged."""
    # `heapq.nsmallest` would look at the whole heap for each batch.
    entries = [heapq.heappop(heap) for _ in range(min(limit, len(heap)))]
    for entry in entries:
        heapq.heappush(heap, entry)
    return [node for _, node in entries]


def solve_from_scratch(graph: Graph, nodes: Iterable[int]) -> dict[int, int | None]:
    """Return the leaders of all nodes, computed without current leaders.

    Any sequence of ``update_leaders`` calls must give the same result.
    """
    nodes = sorted(nodes, key=graph.sort_key)
    graph.prefetch(nodes)
    leaders: dict[int, int | None] = {}
    for node in nodes:
        leaders[node] = choose_leader(graph, node, leaders)
    return leaders


def neighbours(graph: Graph, node: int) -> set[int]:
    """Return the nodes that may get another leader if this one does."""
    return {
        *graph.duplicates(node),
        *graph.variants(node),
        *graph.confirmed_different(node),
        *graph.confirmed_same(node),
    }
