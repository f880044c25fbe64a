"""The seventy functions of the chapter on shingles: a min-wise sketch, and how many of its slots must be equal."""

from __future__ import annotations

from typing import Any, ClassVar

from ..text.document import Document
from .minwise import (
    content_hashes,
    drawn,
    family_of,
    gram_hashes,
    rows_for,
    sketch,
)
from .registry import register
from .sketched import Sketched

LONGEST = 10


@register
class MinHash70(Sketched):
    """Lemmas without stop words, in shingles; of each of 70 hash functions the least value; 25 of 70 must be equal.

    Source: the textbook chapter on shingles, where 70 functions are drawn from a register made beforehand and texts are
    compared by "25 coinciding functions of 70".  That sentence is unclear; the reading here, a reconstruction: all 70
    slots are compared, and `equal` of them make a duplicate.  The score, equal slots / 70, estimates the resemblance J
    of the sets of shingles (Broder, 1997) with the standard error sqrt(J (1 - J) / 70), .048 at J = .8; 25 of 70 is
    J = .357, which a text keeps with every sixth or seventh word changed.

    Options: `size`, words a shingle, 1 to 10 (the chapter says 3 to 10); `step`, 1 (overlapping) to `size` (side by
    side); `functions` and the `sample` of them drawn from the `family` of the registry (see `minwise`); `equal`, the
    criterion, from which `duplicate` follows unless it is given.
    Keys: bands of the most rows with which a pair of J = equal / functions shares one with probability .99 or more:
    35 bands of 2 rows for 25 of 70, P = 1 - (1 - J^2)^35 = .992 at .357, .99996 at .5.

    Fails: side by side shingles differ from the first inserted word on; few words give few shingles, and texts of fewer
    than `size` words without stop words have no keys.
    """

    name: ClassVar[str] = "minhash-70"
    options: ClassVar[tuple[str, ...]] = ("size", "step", "functions", "equal", "family", "sample")
    default_review: ClassVar[float] = 0.2
    metric: ClassVar[bool] = True

    def __init__(
        self,
        *,
        size: int = 3,
        step: int = 1,
        functions: int = 70,
        equal: int = 25,
        family: str = "affine",
        sample: int = 0,
        duplicate: float | None = None,
        **common: Any,
    ) -> None:
        if not 1 <= size <= LONGEST:
            raise ValueError(f"size is {size}: a shingle has 1 to {LONGEST} words")
        if not 1 <= step <= size:
            raise ValueError(f"step is {step}: it is 1 (overlapping) to {size} (side by side)")
        if not 1 <= equal <= functions:
            raise ValueError(f"equal is {equal}: it is 1 to {functions}, the number of functions")
        drawn(functions, sample)
        family_of(family)
        super().__init__(duplicate=equal / functions if duplicate is None else duplicate, **common)
        self.size, self.step, self.functions, self.equal = size, step, functions, equal
        self.family, self.sample = family, sample
        self.rows = rows_for(functions, equal / functions)

    def sketch(self, document: Document) -> list[int]:
        """The least value of each function over the shingles; [] for a text without shingles."""
        grams = gram_hashes(content_hashes(document), self.size, self.step)
        return sketch(grams, self.functions, self.family, self.sample)
