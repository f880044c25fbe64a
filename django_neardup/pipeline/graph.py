"""The stored facts as the graph that clustering asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from ..models import Decision, Verdict
from .facts import UNSEEN, Seen, decisions_of, in_force, pairs_in
from .records import Fact
from .sql import rows_either, rows_in

PAIRS = (
    'SELECT "a_id", "b_id", "verdict", "exact", "score", "classes", "digest_a", "digest_b" '
    'FROM "neardup_pair" WHERE "scheme_id" = %s AND "{side}" IN ({{}})'
)
PAIRS_OF = f"{PAIRS.format(side='a_id')} UNION ALL {PAIRS.format(side='b_id')}"
NODES = (
    'SELECT d."id", d."live", d."first_seen", f."source_digest", c."representative_id" FROM "neardup_document" d '
    'LEFT JOIN "neardup_fingerprint" f ON f."document_id" = d."id" AND f."scheme_id" = %s '
    'LEFT JOIN "neardup_membership" m ON m."document_id" = d."id" '
    'LEFT JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE d."id" IN ({})'
)


class StoredGraph:
    """Documents of one scheme, their current pairs and decisions, read under the space's lock as they are needed.

    ``scores``: of all their pairs, current or not."""

    def __init__(self, scheme: int, using: str, seen: Seen = UNSEEN) -> None:
        self.scheme, self.using, self.seen = scheme, using, seen
        self.scores: dict[tuple[int, int], float] = {}
        self.pairs: dict[tuple[int, int], Fact] = {}
        self._orders: dict[int, tuple[bool, int, int]] = {}
        self._leaders: dict[int, int | None] = {}
        self._placed: set[int] = set()
        self._digests: dict[int, str] = {}
        self._loaded: set[int] = set()
        self._duplicates: defaultdict[int, dict[int, float]] = defaultdict(dict)
        self._variants: defaultdict[int, set[int]] = defaultdict(set)
        self._different: defaultdict[int, set[int]] = defaultdict(set)
        self._same: defaultdict[int, set[int]] = defaultdict(set)

    def load(self, nodes: Collection[int]) -> None:
        new = set(nodes) - self._loaded
        if not new:
            return
        pairs = self._pairs_of(new)
        decisions = decisions_of(new - self.seen.undecided, self.using)
        told = {document for decision in decisions for key in pairs_in(decision) for document in key}
        self.place(new | {side for pair in pairs for side in pair[:2]} | told)
        for pair in pairs:
            self.scores[pair.a_id, pair.b_id] = pair.score
            if (self._digests.get(pair.a_id), self._digests.get(pair.b_id)) == (pair.digest_a, pair.digest_b):
                self._add_pair(pair)
        self._add_decisions(decisions, new)
        self._loaded |= new

    def order(self, node: int) -> tuple[bool, int, int]:
        return self._orders[node]

    def leads(self, node: int) -> bool:
        return not self._orders[node][0] and node in self._digests

    def duplicates(self, node: int) -> dict[int, float]:
        return self._duplicates[node]

    def variants(self, node: int) -> set[int]:
        return self._variants[node]

    def different(self, node: int) -> set[int]:
        return self._different[node]

    def same(self, node: int) -> set[int]:
        return self._same[node]

    def leader(self, node: int) -> int | None:
        """The node's leader; None of one that leads nobody, or is gone."""
        return self._leaders.get(node)

    def has_place(self, node: int) -> bool:
        """Whether the node is in a cluster."""
        return node in self._placed

    def pair(self, one: int, two: int) -> Fact | None:
        """The current pair of two loaded documents."""
        return self.pairs.get((min(one, two), max(one, two)))

    def digest(self, node: int) -> str:
        return self._digests.get(node, "")

    def place(self, nodes: Iterable[int]) -> None:
        """Learn the order and the leaders of those nodes, and of their leaders."""
        new = set(nodes) - self._orders.keys()
        if not new:
            return
        found = [self.seen.nodes[node] for node in new & self.seen.nodes.keys()]
        found += rows_in(self.using, NODES, sorted(new - self.seen.nodes.keys()), self.scheme)
        for node, live, first_seen, digest, leader in found:
            self._orders[node] = (not live, first_seen, node)
            if digest:  # one that is empty is that of a deleted post that is remembered
                self._digests[node] = digest
            if leader is not None:
                self._placed.add(node)
            self._leaders[node] = leader if leader is not None else node if self.leads(node) else None
        self.place({leader for *_, leader in found if leader is not None})

    def _pairs_of(self, nodes: Collection[int]) -> list[Fact]:
        known = self.seen.pairs.keys() & nodes
        found = rows_either(self.using, PAIRS_OF, sorted({*nodes} - known), self.scheme)
        pairs = {pair[:2]: pair for node in known for pair in self.seen.pairs[node]}
        return list((pairs | {row[:2]: Fact._make(row) for row in found}).values())

    def _add_pair(self, pair: Fact) -> None:
        self.pairs[pair.a_id, pair.b_id] = pair
        for one, two in ((pair.a_id, pair.b_id), (pair.b_id, pair.a_id)):
            if pair.verdict == Verdict.DUPLICATE:
                self._duplicates[one][two] = pair.score
            elif pair.verdict == Verdict.VARIANT:
                self._variants[one].add(two)

    def _add_decisions(self, decisions: list[Decision], nodes: set[int]) -> None:
        decided: set[tuple[int, int]] = set()
        for decision in decisions:
            told = self._same if decision.kind == Decision.Kind.SAME else self._different
            for key in pairs_in(decision):
                if key in decided or not nodes & {*key} or not self._digests.keys() >= {*key}:
                    continue
                decided.add(key)
                pair = self.pairs.get(key)
                if pair is None or in_force(pair, [decision]) is not None:
                    told[key[0]].add(key[1])
                    told[key[1]].add(key[0])
