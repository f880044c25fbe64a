"""The graph of stored pairs and decisions, in the form that clustering reads."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from ...clustering.leaders import PREFETCH_SIZE
from ...db.chunks import chunked
from ...db.queries import clusters as cluster_queries
from ...db.queries import pairs as pair_queries
from ...models import Decision, Verdict
from ..decision_lookup import DecisionScope, decision_in_force, decision_scopes_of
from ..pairs import EMPTY_STATE, LockedState
from ..stage_types import PairRow

MAX_CACHED_PAIRS = 10_000
"""Pairs in the cache. Beyond that it is emptied, and pairs that are needed again are read again."""


StoredFamily = tuple[int, bool]
"""The leader of a document's family, and whether their pair is a doubt."""

LEADER = 5
"""The column of ``db.queries.clusters.nodes`` with the leader of the cluster."""


@dataclass(frozen=True, slots=True)
class _DocumentPairs:
    """The pairs of one document by the other document: the scores of all pairs, and the current pairs."""

    scores: dict[int, float]
    current: dict[int, PairRow]


class StoredGraph:
    """Documents of one scheme with their current pairs and decisions.

    The caller holds the lock of the space. Rows are read when they are needed.
    """

    def __init__(self, scheme: int, using: str, locked_state: LockedState = EMPTY_STATE) -> None:
        self.scheme, self.using, self.locked_state = scheme, using, locked_state
        self._pairs: dict[int, _DocumentPairs] = {}
        self._cached_pair_count = 0
        self._orders: dict[int, tuple[bool, int, int, int]] = {}
        self._leaders: dict[int, int | None] = {}
        self._families: dict[int, StoredFamily | None] = {}
        self._clustered: set[int] = set()
        self._digests: dict[int, str] = {}
        self._different: defaultdict[int, set[int]] = defaultdict(set)
        self._same: defaultdict[int, set[int]] = defaultdict(set)
        self._decisions: dict[int, DecisionScope | None] = {}

    def prefetch(self, nodes: Collection[int]) -> None:
        """Load pairs and decisions of the nodes."""
        if self._pairs.keys() >= {*nodes}:
            return
        if self._cached_pair_count > MAX_CACHED_PAIRS:
            self._pairs, self._cached_pair_count = {}, 0
        missing = set(nodes) - self._pairs.keys()
        pairs = self._read_pairs(missing)
        decisions = decision_scopes_of(
            missing - self.locked_state.without_decisions, self.using, self._decisions
        )
        covered_pairs = [(scope, scope.covered_pairs(missing)) for scope in decisions]
        decided = {document for _, keys in covered_pairs for key in keys for document in key}
        self.load_leaders(missing | {side for pair in pairs for side in pair[:2]} | decided)
        self._pairs |= {node: _DocumentPairs({}, {}) for node in missing}
        self._cached_pair_count += len(pairs)
        for pair in pairs:
            self._cache_pair(pair, missing)
        self._add_decisions(covered_pairs)

    def iterate_loaded(self, nodes: Iterable[int]) -> Iterator[int]:
        """Yield the nodes in order. They are loaded in chunks."""
        for chunk in chunked(list(nodes), PREFETCH_SIZE):
            self.prefetch(chunk)
            yield from chunk

    def sort_key(self, node: int) -> tuple[bool, int, int, int]:
        if node not in self._orders:
            self.load_leaders([node])
        return self._orders[node]

    def can_lead(self, node: int) -> bool:
        return not self._orders[node][0] and node in self._digests

    def duplicates(self, node: int) -> dict[int, float]:
        current = self._pairs_of(node).current
        return {other: pair.score for other, pair in current.items() if pair.verdict == Verdict.DUPLICATE}

    def variants(self, node: int) -> set[int]:
        current = self._pairs_of(node).current
        return {other for other, pair in current.items() if pair.verdict == Verdict.VARIANT}

    def offered(self, node: int) -> dict[int, bool]:
        """Return the nodes beside which the node is offered, and whether the pair is a doubt."""
        current = self._pairs_of(node).current
        return {other: bool(pair.doubtful) for other, pair in current.items() if pair.is_offered}

    def stored_family(self, node: int) -> StoredFamily | None:
        """Return the stored leader of the node's family. Return None if it has no row."""
        self.load_leaders([node])
        return self._families.get(node)

    def confirmed_different(self, node: int) -> set[int]:
        self.prefetch([node])
        return self._different[node]

    def confirmed_same(self, node: int) -> set[int]:
        self.prefetch([node])
        return self._same[node]

    def current_leader(self, node: int) -> int | None:
        """Return the node's leader.

        Return None if the node cannot lead and is in no cluster, or if it does not exist.
        """
        return self._leaders.get(node)

    def is_clustered(self, node: int) -> bool:
        """Return whether the node is in a cluster."""
        return node in self._clustered

    def pair(self, a: int, b: int) -> PairRow | None:
        """Return the current pair of two documents. Return None if there is none."""
        # Start from the side that is cached, to avoid a read.
        a, b = (b, a) if b in self._pairs else (a, b)
        return self._pairs_of(a).current.get(b)

    def scores(self, node: int) -> Mapping[int, float]:
        """Return the scores of all the node's pairs by the other document, current or not."""
        return self._pairs_of(node).scores

    def documents_bound_to_moved(self, nodes: Set[int]) -> set[int]:
        """Return the documents that a decision binds to a moved node.

        A node has moved if it is filed in another space than its cluster. The documents are looked up in
        the space of the cluster. The nodes themselves are left out.
        """
        moving = (
            (scope, node)
            for scope in self._decisions.values()
            if scope is not None
            for node in scope.opposed_members & nodes
            if scope.spaces[node][0] != scope.spaces[node][1]
        )
        return {document for scope, node in moving for document in scope.members_bound_to([node])} - nodes

    def digest(self, node: int) -> str:
        return self._digests.get(node, "")

    def load_leaders(self, nodes: Iterable[int]) -> None:
        """Load order and leader of the nodes and of their leaders."""
        missing = set(nodes) - self._orders.keys()
        if not missing:
            return
        rows = [self.locked_state.nodes[node] for node in missing & self.locked_state.nodes.keys()]
        rows += cluster_queries.nodes(
            self.using, sorted(missing - self.locked_state.nodes.keys()), self.scheme
        )
        for node, live, text_since, first_seen, digest, leader, family, is_doubtful in rows:
            self._families[node] = None if family is None else (family, bool(is_doubtful))
            self._orders[node] = (not live, text_since, first_seen, node)
            if digest:  # a remembered deleted post has an empty digest
                self._digests[node] = digest
            if leader is not None:
                self._clustered.add(node)
            self._leaders[node] = leader if leader is not None else node if self.can_lead(node) else None
        self.load_leaders({row[LEADER] for row in rows if row[LEADER] is not None})

    def _pairs_of(self, node: int) -> _DocumentPairs:
        self.prefetch([node])
        return self._pairs[node]

    def _read_pairs(self, nodes: Collection[int]) -> list[PairRow]:
        cached = self.locked_state.pairs.keys() & nodes
        rows = pair_queries.judgements(self.using, {*nodes} - cached, self.scheme)
        pairs = {pair[:2]: pair for node in cached for pair in self.locked_state.pairs[node]}
        return list((pairs | {row[:2]: PairRow._make(row) for row in rows}).values())

    def _cache_pair(self, pair: PairRow, new_nodes: Collection[int]) -> None:
        """Cache a pair under each of its documents that is new."""
        digests = self._digests.get(pair.a_id), self._digests.get(pair.b_id)
        is_current = digests == (pair.digest_a, pair.digest_b)
        for document, other in (pair[:2], pair[1::-1]):
            if document in new_nodes:
                self._pairs[document].scores[other] = pair.score
                if is_current:
                    self._pairs[document].current[other] = pair

    def _add_decisions(
        self, covered_pairs: Iterable[tuple[DecisionScope, Iterable[tuple[int, int]]]]
    ) -> None:
        """Apply decisions to the covered pairs inside one space. The newest decision wins."""
        decided: set[tuple[int, int]] = set()
        for scope, pair_keys in covered_pairs:
            related = self._same if scope.decision.kind == Decision.Kind.SAME else self._different
            for pair_key in pair_keys:
                if (
                    pair_key in decided
                    or not scope.applies_to(*pair_key)
                    or not self._digests.keys() >= {*pair_key}
                ):
                    continue
                decided.add(pair_key)
                pair = self.pair(*pair_key)
                if pair is None or decision_in_force(pair, [scope]) is not None:
                    related[pair_key[0]].add(pair_key[1])
                    related[pair_key[1]].add(pair_key[0])
