"""Verified leader clusters: every member is a verified duplicate of its leader, so chains never form.

Nodes are taken in a static order. A node joins the earlier leader whose duplicate it is with the highest score (the
older leader where scores are equal), unless that leader's cluster holds an earlier node it must stay apart from; a
person's "same" binds it to the other's cluster first of all; a node that joins nobody leads itself where it may.
The outcome is a function of the set, not of arrival (greedy leader clustering, Hartigan 1975, in a static order).
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping
from typing import Any, Protocol

AT_ONCE = 16
"""Nodes that are fetched together: those that are decided on next."""


class Graph(Protocol):
    """What clustering needs to know of a node. Relations are symmetric; a node is any integer."""

    def load(self, nodes: Collection[int]) -> None:
        """Asked before the relations of those nodes are read, so that they can be fetched together."""

    def order(self, node: int) -> Any:
        """The node's place in the static order: sortable, unlike for any two nodes."""

    def leads(self, node: int) -> bool:
        """May the node represent others?"""

    def duplicates(self, node: int) -> Mapping[int, float]:
        """Nodes verified as its duplicates, with the score."""

    def variants(self, node: int) -> Collection[int]:
        """Nodes known to be another item, however alike."""

    def different(self, node: int) -> Collection[int]:
        """Nodes that a person told apart from it."""

    def same(self, node: int) -> Collection[int]:
        """Nodes that a person called the same."""

    def leader(self, node: int) -> int | None:
        """Its leader at present: itself where it leads or stands alone, None where it may not lead and has none."""


def choose(graph: Graph, node: int, leaders: Mapping[int, int | None]) -> int | None:
    """The leader of a node, given those of all nodes before it."""
    mine = graph.order(node)

    def led_by(others: Iterable[int]) -> set[int | None]:
        return {leaders.get(other, graph.leader(other)) for other in others if graph.order(other) < mine}

    told_apart = led_by(graph.different(node))
    bound = led_by(graph.same(node)) - told_apart - {None}
    if bound:
        return min((leader for leader in bound if leader is not None), key=graph.order)
    barred = told_apart | led_by(graph.variants(node))
    open_to = [
        (-score, graph.order(other), other)
        for other, score in graph.duplicates(node).items()
        if graph.order(other) < mine
        and leaders.get(other, graph.leader(other)) == other
        and other not in barred
    ]
    if open_to:
        return min(open_to)[2]
    return node if graph.leads(node) else None


def settle(graph: Graph, seeds: Iterable[int], frozen: Collection[int] = ()) -> dict[int, int | None]:
    """Decide anew on the seeds and on every later node that depends on a change; the leaders that changed.

    Nodes go in static order, so that each is decided once, after all it depends on. ``frozen`` nodes keep the leader
    they have: a repair will see to them.
    """
    changed: dict[int, int | None] = {}
    waiting = set(seeds) - set(frozen)
    heap = [(graph.order(node), node) for node in waiting]
    heapq.heapify(heap)
    fetched: set[int] = set()
    while heap:
        place, node = heapq.heappop(heap)
        waiting.discard(node)
        if node not in fetched:
            following = _first(heap, AT_ONCE - 1)
            graph.load([node, *following])
            fetched.update(following)
        leader = choose(graph, node, changed)
        if leader == graph.leader(node):
            continue
        changed[node] = leader
        new = [
            n
            for n in neighbours(graph, node)
            if n not in waiting and n not in frozen and graph.order(n) > place
        ]
        waiting.update(new)
        for later in new:
            heapq.heappush(heap, (graph.order(later), later))
    return changed


def _first(heap: list[tuple[Any, int]], most: int) -> list[int]:
    """The nodes that come first in the heap, which stays as it is."""
    first = [heapq.heappop(heap) for _ in range(min(most, len(heap)))]
    for each in first:
        heapq.heappush(heap, each)
    return [node for _, node in first]


def solve(graph: Graph, nodes: Iterable[int]) -> dict[int, int | None]:
    """The leaders of all nodes, from nothing: what any history of ``settle`` must come to."""
    nodes = sorted(nodes, key=graph.order)
    graph.load(nodes)
    leaders: dict[int, int | None] = {}
    for node in nodes:
        leaders[node] = choose(graph, node, leaders)
    return leaders


def neighbours(graph: Graph, node: int) -> set[int]:
    """Every node whose place may depend on this one's."""
    return {*graph.duplicates(node), *graph.variants(node), *graph.different(node), *graph.same(node)}
