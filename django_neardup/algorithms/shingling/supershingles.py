"""Supershingles: shingles of shingles. Duplicates have a few of them in common."""

from __future__ import annotations

from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ..key_matching import KeyMatchAlgorithm
from ..minhash.minwise import band_hashes, get_family, gram_hashes, minwise_sketch
from ..registry import register


class SupershingleAlgorithm(KeyMatchAlgorithm):
    """The base class of both supershingle algorithms.

    A shingle has ``size`` words. The least values of ``functions`` hash functions over the shingles are cut into
    ``groups``.
    """

    options: ClassVar[tuple[str, ...]] = ("size", "functions", "groups", "family")

    def __init__(
        self, *, size: int, functions: int, groups: int, family: str = "affine", **common_options: Any
    ) -> None:
        super().__init__(**common_options)
        if size < 1:
            raise ValueError(f"size is {size}: a shingle has at least one word")
        if groups < 2 or functions < groups or functions % groups:
            raise ValueError(
                f"{functions} functions do not make {groups} equal groups of at least one, 2 or more"
            )
        get_family(family)
        self.size, self.functions, self.groups, self.family = size, functions, groups, family

    def supershingles(self, text: CanonicalText) -> list[int]:
        """Return one 64-bit hash a group of least values, in order.

        Return [] for a text of fewer words than a shingle.
        """
        grams = gram_hashes(text.hashes, self.size)
        return band_hashes(minwise_sketch(grams, self.functions, self.family), self.functions // self.groups)


@register
class SuperShingles(SupershingleAlgorithm):
    """84 least values of the shingles, in 6 groups of 14: the supershingles; duplicates share 2 of 6.

    Source: Broder, Glassman, Manasse, Zweig, "Syntactic clustering of the web" (1997). The article on
    shingles only names the algorithm. The figures here are from the search engines' papers (84, 6 groups, 2
    equal), with 10 lemmas, the article's length of a shingle. A group is equal with probability J^14. So a
    pair is found with probability P = 1 - (1 - J^14)^6 - 6 J^14 (1 - J^14)^5: 88 % at a resemblance of 0.95,
    42 % at 0.9, 2.6 % at 0.8.

    Fails: it finds only near-copies. One changed word in a hundred makes J of 10-word shingles .82, so
    hardly any edited short text is found. Texts of fewer than ``size`` words have no keys.
    """

    name: ClassVar[str] = "supershingles"
    options: ClassVar[tuple[str, ...]] = (*SupershingleAlgorithm.options, "min_shared")

    def __init__(
        self,
        *,
        size: int = 10,
        functions: int = 84,
        groups: int = 6,
        min_shared: int = 2,
        **common_options: Any,
    ) -> None:
        super().__init__(size=size, functions=functions, groups=groups, **common_options)
        if not 1 <= min_shared <= groups:
            raise ValueError(f"min_shared is {min_shared}: it is 1 to {groups}, the number of groups")
        self.min_shared = min_shared

    def signatures(self, text: CanonicalText) -> list[int]:
        return self.supershingles(text)
