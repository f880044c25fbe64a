"""What was found of each pair of posts, and the groups that follow: verified leaders, in the order of age."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field

from ..clustering.leaders import choose
from ..signatures.base import Judgement

Pair = tuple[int, int]


@dataclass
class Relations:
    """Judged pairs of numbered posts, the older one first; a graph as ``clustering.leaders`` wants it."""

    leaders: dict[int, int | None] = field(default_factory=dict)
    _sizes: Counter[int | None] = field(default_factory=Counter)
    _said: dict[str, dict[Pair, Judgement]] = field(default_factory=lambda: defaultdict(dict))
    _duplicates: dict[int, dict[int, float]] = field(default_factory=lambda: defaultdict(dict))
    _variants: dict[int, set[int]] = field(default_factory=lambda: defaultdict(set))

    def add(self, a: int, b: int, said: Judgement) -> None:
        """What is said of two posts."""
        if not said.offered:
            return
        self._said[said.verdict][a, b] = _brief(said)
        for one, other in ((a, b), (b, a)):
            if said.verdict == "duplicate":
                self._duplicates[one][other] = said.score
            elif said.verdict == "variant":
                self._variants[one].add(other)

    def place(self, number: int) -> None:
        """Have a post that was compared with the older ones join a group, or stay alone."""
        leader = self.leaders[number] = choose(self, number, self.leaders)
        self._sizes[leader] += 1

    def representative(self, number: int) -> int | None:
        """Of the group that a post is in; None where it stands alone."""
        leader = self.leaders[number]
        return leader if self._sizes[leader] > 1 else None

    def groups(self) -> list[list[int]]:
        """Posts of each group, the representative first; the largest group first."""
        found: defaultdict[int, list[int]] = defaultdict(list)
        for number, leader in self.leaders.items():
            if leader is not None:
                found[leader].append(number)
        groups = [members for members in found.values() if len(members) > 1]
        return sorted(groups, key=lambda members: (-len(members), members[0]))

    def others(self) -> dict[str, list[Pair]]:
        """Pairs that no group holds both sides of, by verdict: of every reason the likest, then the second of each."""
        return {
            verdict: _varied({pair: said for pair, said in pairs.items() if self._are_apart(*pair)})
            for verdict, pairs in self._said.items()
        }

    def _are_apart(self, a: int, b: int) -> bool:
        return self.leaders[a] != self.leaders[b]

    def load(self, nodes: Collection[int]) -> None:
        """All is here."""

    def order(self, node: int) -> int:
        return node

    def leads(self, node: int) -> bool:
        return True

    def duplicates(self, node: int) -> Mapping[int, float]:
        return self._duplicates.get(node, {})

    def variants(self, node: int) -> Collection[int]:
        return self._variants.get(node, ())

    def different(self, node: int) -> Collection[int]:
        return ()

    def same(self, node: int) -> Collection[int]:
        return ()

    def leader(self, node: int) -> int | None:
        return self.leaders.get(node)


def _brief(said: Judgement) -> Judgement:
    """The judgement without what it names in the texts: there may be many."""
    return Judgement(said.verdict, said.score, exact=said.exact, classes=said.classes)


def _varied(pairs: Mapping[Pair, Judgement]) -> list[Pair]:
    found = sorted(pairs, key=lambda pair: (-pairs[pair].score, pair))
    met: Counter[tuple[str, ...]] = Counter()
    ranks = []
    for pair in found:
        ranks.append((met[pairs[pair].classes], -pairs[pair].score, pair))
        met[pairs[pair].classes] += 1
    return [pair for *_, pair in sorted(ranks)]
