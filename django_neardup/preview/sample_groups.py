"""Judgements of pairs of posts, and their groups: verified leaders, in the order of age."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Mapping
from dataclasses import dataclass, field

from ..algorithms.base import Judgement
from ..clustering.pair_graph import PairGraph

Pair = tuple[int, int]


@dataclass
class PreviewGraph(PairGraph):
    """Judged pairs of numbered posts, the older one first, with their judgements."""

    _cluster_sizes: Counter[int | None] = field(default_factory=Counter)
    _judgements: dict[str, dict[Pair, Judgement]] = field(default_factory=lambda: defaultdict(dict))

    def add(self, a: int, b: int, judgement: Judgement) -> None:
        """Add the judgement of two posts."""
        if not judgement.is_similar:
            return
        self._judgements[judgement.verdict][a, b] = _without_details(judgement)
        self.add_pair(a, b, judgement.verdict, judgement.score)

    def assign_leader(self, node: int) -> None:
        """Assign a post to a group, or to none. It was compared with the older posts."""
        super().assign_leader(node)
        self._cluster_sizes[self.leaders[node]] += 1

    def cluster_leader(self, number: int) -> int | None:
        """Return the leader of the post's group. Return None if the post is in no group."""
        leader = self.leaders[number]
        return leader if self._cluster_sizes[leader] > 1 else None

    def groups(self) -> list[list[int]]:
        """Return the posts of each group, the leader first. The largest group comes first."""
        members_by_leader: defaultdict[int, list[int]] = defaultdict(list)
        for number, leader in self.leaders.items():
            if leader is not None:
                members_by_leader[leader].append(number)
        groups = [members for members in members_by_leader.values() if len(members) > 1]
        return sorted(groups, key=lambda members: (-len(members), members[0]))

    def ungrouped_pairs(self) -> dict[str, list[Pair]]:
        """Return pairs with posts of different groups, by verdict.

        The most similar pair of each reason comes first, then the second pair of each, and so on.
        """
        return {
            verdict: _alternate_reasons(
                {pair: judgement for pair, judgement in pairs.items() if self._is_ungrouped(*pair)}
            )
            for verdict, pairs in self._judgements.items()
        }

    def _is_ungrouped(self, a: int, b: int) -> bool:
        return self.leaders[a] != self.leaders[b]


def _without_details(judgement: Judgement) -> Judgement:
    """Return the judgement without its differences: there may be many."""
    return Judgement(judgement.verdict, judgement.score, exact=judgement.exact, classes=judgement.classes)


def _alternate_reasons(judgements: Mapping[Pair, Judgement]) -> list[Pair]:
    by_score = sorted(judgements, key=lambda pair: (-judgements[pair].score, pair))
    pairs_by_reason: Counter[tuple[str, ...]] = Counter()
    ranks = []
    for pair in by_score:
        ranks.append((pairs_by_reason[judgements[pair].classes], -judgements[pair].score, pair))
        pairs_by_reason[judgements[pair].classes] += 1
    return [pair for *_, pair in sorted(ranks)]
