"""Template families in the database: the items that are offered beside one leader and are not its duplicates.

Of two members of a family only their pairs with the leader are stored: n items of one template have n pairs, not a
square of them. Members that lose their leader, or get another one, are compared again.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Set

from django.db.models import Q

from ...clustering import choose_family_leader, update_leaders
from ...db.chunks import chunked
from ...db.queries import families as family_queries
from ...db.transactions import call_after_commit
from ...models import Pair
from ..work_queue import mark_many, mark_unlocked
from .graph import StoredFamily, StoredGraph


class FamilyGraph:
    """Leaders of clusters and documents in no cluster, and the pairs that offer them side by side.

    ``changed_leaders``: the leaders of clusters that differ from those of the graph.
    """

    def __init__(self, graph: StoredGraph, changed_leaders: Mapping[int, int | None]) -> None:
        self._graph, self._changed_leaders = graph, changed_leaders

    def prefetch(self, nodes: Collection[int]) -> None:
        self._graph.prefetch(nodes)

    def sort_key(self, node: int) -> tuple[bool, int, int, int]:
        return self._graph.sort_key(node)

    def can_lead(self, node: int) -> bool:
        """Return whether the node leads a cluster or is in none, and may represent others."""
        return self._changed_leaders.get(node, self._graph.current_leader(node)) == node

    def duplicates(self, node: int) -> dict[int, float]:
        return {}

    def variants(self, node: int) -> set[int]:
        """Return the nodes beside which the node is offered."""
        return {*self._graph.offered(node)}

    def confirmed_different(self, node: int) -> set[int]:
        return set()

    def confirmed_same(self, node: int) -> set[int]:
        return set()

    def current_leader(self, node: int) -> int | None:
        stored = self._graph.stored_family(node)
        if stored is not None:
            return stored[0]
        return node if self._graph.current_leader(node) == node else None


def update_families(
    changed_documents: Collection[int],
    related: Collection[int],
    graph: StoredGraph,
    changed_leaders: Mapping[int, int | None],
    using: str,
    unmoved: Set[int] = frozenset(),
) -> set[int]:
    """Decide again on the families of documents, and of all that depend on them. Store the result.

    Return the documents with another family, or another place in it, and their present and former leaders.

    The caller holds the lock of the space, and has stored the clusters. ``changed_documents``: documents with changed
    pairs or clusters. ``related``: other sides of their pairs, present or former. ``unmoved``: as in ``recluster``.
    """
    graph.load_leaders({*changed_documents, *related})
    # Most members of a family depend on its leader. They are reached if it stops being one.
    moved_documents = {*changed_documents} - unmoved
    offered = {other for node in graph.iterate_loaded(moved_documents) for other in graph.offered(node)}
    seeds = {
        node for node in {*changed_documents, *related} if graph.stored_family(node) is not None
    } | offered
    # A document does not depend on documents that come after it. The leader of a large family has many pairs.
    first_key = min(map(graph.sort_key, changed_documents), default=None)
    seeds = {node for node in seeds if first_key is not None and graph.sort_key(node) > first_key}
    seeds |= {
        node for node in changed_documents if graph.offered(node) or graph.stored_family(node) is not None
    }
    if not seeds:
        return set()
    graph_of_families = FamilyGraph(graph, changed_leaders)
    changed = update_leaders(graph_of_families, seeds, choose=choose_family_leader)
    nodes = sorted({*seeds, *changed})

    def family_of(node: int) -> StoredFamily | None:
        leader = changed.get(node, graph_of_families.current_leader(node))
        return None if leader in (None, node) else (leader, graph.offered(node)[leader])

    families = {node: family_of(node) for node in graph.iterate_loaded(nodes)}
    changed_families = {
        node: family for node, family in families.items() if family != graph.stored_family(node)
    }
    former_members = [node for node in changed_families if graph.stored_family(node) is not None]
    family_queries.delete(using, former_members, graph.scheme)
    family_queries.write(
        using,
        [
            [node, family[0], graph.scheme, family[1]]
            for node, family in changed_families.items()
            if family is not None
        ],
    )
    _delete_spare_pairs(families, graph, using)
    moved = [
        node
        for node in former_members
        # A doubt that has become sure no longer stands for doubts between the member and others.
        if changed_families[node] != ((graph.stored_family(node) or (0,))[0], True)
    ]
    if moved:
        # Their pairs with other members of the former family are not stored.
        locked = [document for chunk in chunked(moved) for document in mark_unlocked(chunk, using)]
        if locked:
            call_after_commit(using, mark_many, locked, using)
    places = (*changed_families.values(), *(graph.stored_family(node) for node in changed_families))
    return {*changed_families, *(place[0] for place in places if place is not None)}


def _delete_spare_pairs(families: Mapping[int, StoredFamily | None], graph: StoredGraph, using: str) -> None:
    """Delete the undecided pairs of two members of one family.

    A doubt stays if both are surely other items than the leader: no other row would ask about it.
    """
    spare: set[tuple[int, int]] = set()
    for node in graph.iterate_loaded([node for node, family in families.items() if family is not None]):
        leader, is_doubtful = families[node] or (0, False)
        is_doubtful = is_doubtful and not _is_decided(node, leader, graph)
        for other, is_doubtful_pair in graph.offered(node).items():
            family = families[other] if other in families else graph.stored_family(other)
            if family is None or family[0] != leader:
                continue
            if not is_doubtful_pair or is_doubtful or (family[1] and not _is_decided(other, leader, graph)):
                spare.add((min(node, other), max(node, other)))
    for chunk in chunked(sorted(spare), 100):
        condition = Q()
        for a, b in chunk:
            condition |= Q(a=a, b=b)
        Pair.objects.using(using).filter(condition, scheme=graph.scheme, decision=None).delete()


def _is_decided(node: int, leader: int, graph: StoredGraph) -> bool:
    """Return whether a person decided that a member and the leader are different: then their row is not
    open.
    """
    return leader in graph.confirmed_different(node)
