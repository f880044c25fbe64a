"""Megashingles: every pair of supershingles is a key, and one equal key makes a duplicate."""

from __future__ import annotations

from itertools import combinations
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import mix
from ..registry import register
from ..shingling.supershingles import SupershingleAlgorithm


@register
class MegaShingles(SupershingleAlgorithm):
    """5-word shingles, 36 least values, 6 supershingles of 6, their 15 pairs; duplicates share one pair.

    Source: the comparison by Zelenkov and Segalovich (RCDL 2007). It adapts what Fetterly, Manasse and
    Najork (2003) did with 84 values in groups of 14 (``functions=84``). An equal pair means two equal
    supershingles. A pair of texts with resemblance J is therefore found with probability
    P = 1 - (1 - J^g)^6 - 6 J^g (1 - J^g)^5, in which g = 6. P is 92 % at J = 0.9, 49 % at 0.8 and 3 % at
    0.6. The article does not say whether its words are lemmas. Here they are, stop words included.

    Fails: one changed word in twenty leaves a resemblance of about .6, which is missed. Precision is good,
    recall is poor (.36 in the article's table). Texts of fewer than ``size`` words have no keys.
    """

    name: ClassVar[str] = "megashingles"

    def __init__(self, *, size: int = 5, functions: int = 36, groups: int = 6, **common_options: Any) -> None:
        super().__init__(size=size, functions=functions, groups=groups, **common_options)

    def signatures(self, text: CanonicalText) -> list[int]:
        pairs = combinations(enumerate(self.supershingles(text)), 2)
        return [
            # With the numbers of both groups, equal hashes of other groups do not give an equal key.
            mix(first, second, seed=first_group * self.groups + second_group)
            for (first_group, first), (second_group, second) in pairs
        ]
