"""A graph of verified pairs in memory. Numbers are nodes, and a smaller number is older."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field

from .leaders import choose_leader


@dataclass
class PairGraph:
    """Duplicates and variants of numbered nodes, and the leaders of the nodes. No decisions of people."""

    leaders: dict[int, int | None] = field(default_factory=dict)
    _duplicates: dict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _variants: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add_pair(self, a: int, b: int, verdict: str, score: float) -> None:
        """Add a verified pair. Only the verdicts ``duplicate`` and ``variant`` matter to clusters."""
        for node, other in ((a, b), (b, a)):
            if verdict == "duplicate":
                self._duplicates[node][other] = score
            elif verdict == "variant":
                self._variants[node].add(other)

    def assign_leader(self, node: int) -> None:
        """Choose the leader of a node. All older nodes have theirs."""
        self.leaders[node] = choose_leader(self, node, self.leaders)

    def assign_leaders(self, nodes: Iterable[int]) -> None:
        """Choose the leaders of all nodes, the oldest first."""
        for node in sorted(nodes):
            self.assign_leader(node)

    def prefetch(self, nodes: Collection[int]) -> None:
        """Do nothing: everything is in memory."""

    def sort_key(self, node: int) -> int:
        return node

    def can_lead(self, node: int) -> bool:
        return True

    def duplicates(self, node: int) -> Mapping[int, float]:
        return self._duplicates.get(node, {})

    def variants(self, node: int) -> Collection[int]:
        return self._variants.get(node, ())

    def confirmed_different(self, node: int) -> Collection[int]:
        return ()

    def confirmed_same(self, node: int) -> Collection[int]:
        return ()

    def current_leader(self, node: int) -> int | None:
        return self.leaders.get(node)
