"""The stored facts as the graph that clustering asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping, Set
from dataclasses import dataclass

from ..clustering.leaders import AT_ONCE
from ..models import Decision, Verdict
from ..portions import portions
from .facts import UNSEEN, Seen
from .records import Fact
from .sql import rows_either, rows_in
from .told import Told, decisions_of, in_force

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


MOST_PAIRS = 10_000
"""Pairs kept at a time; of documents that are asked for once more they are read again."""


@dataclass(frozen=True, slots=True)
class _Pairs:
    """One document's pairs, by the other document: the scores of all, and those that are current."""

    scores: dict[int, float]
    current: dict[int, Fact]


class StoredGraph:
    """Documents of one scheme, their current pairs and decisions, read under the space's lock as they are needed."""

    def __init__(self, scheme: int, using: str, seen: Seen = UNSEEN) -> None:
        self.scheme, self.using, self.seen = scheme, using, seen
        self._pairs: dict[int, _Pairs] = {}
        self._kept = 0
        self._orders: dict[int, tuple[bool, int, int]] = {}
        self._leaders: dict[int, int | None] = {}
        self._placed: set[int] = set()
        self._digests: dict[int, str] = {}
        self._different: defaultdict[int, set[int]] = defaultdict(set)
        self._same: defaultdict[int, set[int]] = defaultdict(set)
        self._decisions: dict[int, Told | None] = {}

    def load(self, nodes: Collection[int]) -> None:
        if self._pairs.keys() >= {*nodes}:
            return
        if self._kept > MOST_PAIRS:
            self._pairs, self._kept = {}, 0
        new = set(nodes) - self._pairs.keys()
        pairs = self._stored(new)
        decisions = decisions_of(new - self.seen.undecided, self.using, self._decisions)
        spoken = [(told, told.pairs(new)) for told in decisions]
        decided = {document for _, keys in spoken for key in keys for document in key}
        self.place(new | {side for pair in pairs for side in pair[:2]} | decided)
        self._pairs |= {node: _Pairs({}, {}) for node in new}
        self._kept += len(pairs)
        for pair in pairs:
            self._keep(pair, new)
        self._add_decisions(spoken)

    def each(self, nodes: Iterable[int]) -> Iterator[int]:
        """Those nodes, in their order; a few at a time are loaded together."""
        for some in portions(list(nodes), AT_ONCE):
            self.load(some)
            yield from some

    def order(self, node: int) -> tuple[bool, int, int]:
        if node not in self._orders:
            self.place([node])
        return self._orders[node]

    def leads(self, node: int) -> bool:
        return not self._orders[node][0] and node in self._digests

    def duplicates(self, node: int) -> dict[int, float]:
        current = self._known(node).current
        return {other: pair.score for other, pair in current.items() if pair.verdict == Verdict.DUPLICATE}

    def variants(self, node: int) -> set[int]:
        current = self._known(node).current
        return {other for other, pair in current.items() if pair.verdict == Verdict.VARIANT}

    def different(self, node: int) -> set[int]:
        self.load([node])
        return self._different[node]

    def same(self, node: int) -> set[int]:
        self.load([node])
        return self._same[node]

    def leader(self, node: int) -> int | None:
        """The node's leader; None of one that leads nobody, or is gone."""
        return self._leaders.get(node)

    def has_place(self, node: int) -> bool:
        """Whether the node is in a cluster."""
        return node in self._placed

    def pair(self, one: int, two: int) -> Fact | None:
        """The current pair of two documents."""
        one, two = (two, one) if two in self._pairs else (one, two)
        return self._known(one).current.get(two)

    def scores(self, node: int) -> Mapping[int, float]:
        """The scores of all its pairs, current or not, by the other document."""
        return self._known(node).scores

    def unbound(self, nodes: Set[int]) -> set[int]:
        """To whom decisions have bound those of the nodes that are filed elsewhere by now, where these are placed."""
        moving = (
            (told, node)
            for told in self._decisions.values()
            if told is not None
            for node in told.documents & nodes
            if told.spaces[node][0] != told.spaces[node][1]
        )
        return {each for told, node in moving for each in told.bound_to([node])} - nodes

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

    def _known(self, node: int) -> _Pairs:
        self.load([node])
        return self._pairs[node]

    def _stored(self, nodes: Collection[int]) -> list[Fact]:
        known = self.seen.pairs.keys() & nodes
        found = rows_either(self.using, PAIRS_OF, sorted({*nodes} - known), self.scheme)
        pairs = {pair[:2]: pair for node in known for pair in self.seen.pairs[node]}
        return list((pairs | {row[:2]: Fact._make(row) for row in found}).values())

    def _keep(self, pair: Fact, new: Collection[int]) -> None:
        """Keep a pair by those of its sides that are new."""
        read = self._digests.get(pair.a_id), self._digests.get(pair.b_id)
        current = read == (pair.digest_a, pair.digest_b)
        for one, two in (pair[:2], pair[1::-1]):
            if one in new:
                self._pairs[one].scores[two] = pair.score
                if current:
                    self._pairs[one].current[two] = pair

    def _add_decisions(self, spoken: Iterable[tuple[Told, Iterable[tuple[int, int]]]]) -> None:
        """Obey decisions, the newest first, on those of their pairs that are of one space."""
        decided: set[tuple[int, int]] = set()
        for told, keys in spoken:
            related = self._same if told.decision.kind == Decision.Kind.SAME else self._different
            for key in keys:
                if key in decided or not told.binds(*key) or not self._digests.keys() >= {*key}:
                    continue
                decided.add(key)
                pair = self.pair(*key)
                if pair is None or in_force(pair, [told]) is not None:
                    related[key[0]].add(key[1])
                    related[key[1]].add(key[0])
