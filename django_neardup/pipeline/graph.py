"""The stored facts as the graph that clustering asks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable

from ..models import Decision, Document, Membership, Pair, Verdict
from .facts import CHUNK, decisions_of, digests, in_force, is_current, pairs_in, pairs_of


class StoredGraph:
    """Documents of one scheme, their current pairs and decisions, read under the space's lock as they are needed."""

    def __init__(self, scheme: int, using: str) -> None:
        self.scheme, self.using = scheme, using
        self.pairs: dict[tuple[int, int], Pair] = {}
        self._documents: dict[int, Document] = {}
        self._leaders: dict[int, int | None] = {}
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
        pairs = pairs_of(new, self.scheme, self.using)
        decisions = decisions_of(new, self.using)
        told = {document for decision in decisions for key in pairs_in(decision) for document in key}
        self._load_documents(new | {side for pair in pairs for side in (pair.a_id, pair.b_id)} | told)
        for pair in pairs:
            if is_current(pair, self._digests):
                self._add_pair(pair)
        self._add_decisions(decisions, new)
        self._loaded |= new

    def order(self, node: int) -> tuple[bool, int, int]:
        return self._documents[node].order

    def leads(self, node: int) -> bool:
        return self._documents[node].live and node in self._digests

    def duplicates(self, node: int) -> dict[int, float]:
        return self._duplicates[node]

    def variants(self, node: int) -> set[int]:
        return self._variants[node]

    def different(self, node: int) -> set[int]:
        return self._different[node]

    def same(self, node: int) -> set[int]:
        return self._same[node]

    def leader(self, node: int) -> int | None:
        return self._leaders[node]

    def pair(self, one: int, two: int) -> Pair | None:
        """The current pair of two loaded documents."""
        return self.pairs.get((min(one, two), max(one, two)))

    def digest(self, node: int) -> str:
        return self._digests.get(node, "")

    def _load_documents(self, nodes: Iterable[int]) -> None:
        new = sorted(set(nodes) - self._documents.keys())
        self._digests |= digests(new, self.scheme, self.using)
        for start in range(0, len(new), CHUNK):
            chunk = new[start : start + CHUNK]
            self._documents |= Document.objects.using(self.using).in_bulk(chunk)
            members = Membership.objects.using(self.using).filter(document__in=chunk)
            led = dict(members.values_list("document_id", "cluster__representative"))
            for node in chunk:
                self._leaders[node] = led.get(node, node if self.leads(node) else None)
            self._load_documents(led.values())

    def _add_pair(self, pair: Pair) -> None:
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
