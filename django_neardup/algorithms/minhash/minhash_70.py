"""MinHash with seventy functions, after the textbook chapter on shingles."""

from __future__ import annotations

from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ..registry import register
from .minwise import (
    content_hashes,
    draw_functions,
    get_family,
    gram_hashes,
    max_rows_per_band,
    minwise_sketch,
)
from .sketch_base import SketchAlgorithm

MAX_SHINGLE_WORDS = 10


@register
class MinHash70(SketchAlgorithm):
    """Least values of 70 hash functions over word shingles; texts with 25 equal values are duplicates.

    Words are lemmas without stop words.

    Source: the textbook chapter on shingles, in which 70 functions are drawn from a register made
    beforehand. Texts are compared by "25 coinciding functions of 70". That sentence is unclear.
    Reconstruction: all 70 slots are compared, and ``equal`` of them make a duplicate. The score, equal
    slots / 70, estimates the resemblance J of the sets of shingles (Broder, 1997) with the standard error
    sqrt(J (1 - J) / 70), .048 at J = .8. 25 of 70 is J = .357: a text keeps that if every sixth or seventh
    word changes.

    Options:

    - ``size``: words a shingle, 1 to 10 (3 to 10 in the chapter)
    - ``step``: 1 (overlapping shingles) to ``size`` (side by side)
    - ``functions``: how many are drawn from the ``family`` of the registry; ``sample``: which ones (see ``minwise``)
    - ``equal``: the number of equal slots of a duplicate; ``duplicate`` follows from it unless it is given

    Keys are bands. They have the most rows with which a pair of J = equal / functions shares a band with
    probability .99 or more. For 25 of 70 that is 35 bands of 2 rows: P = 1 - (1 - J^2)^35 = .992 at .357,
    .99996 at .5.

    Fails: side-by-side shingles differ from the first inserted word on. Few words give few shingles. Texts
    with fewer than ``size`` words that are not stop words have no keys.
    """

    name: ClassVar[str] = "minhash-70"
    options: ClassVar[tuple[str, ...]] = ("size", "step", "functions", "equal", "family", "sample")
    default_review: ClassVar[float] = 0.2
    is_metric: ClassVar[bool] = True

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
        **common_options: Any,
    ) -> None:
        if not 1 <= size <= MAX_SHINGLE_WORDS:
            raise ValueError(f"size is {size}: a shingle has 1 to {MAX_SHINGLE_WORDS} words")
        if not 1 <= step <= size:
            raise ValueError(f"step is {step}: it is 1 (overlapping) to {size} (side by side)")
        if not 1 <= equal <= functions:
            raise ValueError(f"equal is {equal}: it is 1 to {functions}, the number of functions")
        # Both raise ValueError for a wrong option.
        draw_functions(functions, sample)
        get_family(family)
        super().__init__(duplicate=equal / functions if duplicate is None else duplicate, **common_options)
        self.size, self.step, self.functions, self.equal = size, step, functions, equal
        self.family, self.sample = family, sample
        self.rows = max_rows_per_band(functions, equal / functions)

    def sketch(self, text: CanonicalText) -> list[int]:
        """Return the least value of each function over the shingles. Return [] for a text without shingles."""
        grams = gram_hashes(content_hashes(text), self.size, self.step)
        return minwise_sketch(grams, self.functions, self.family, self.sample)
