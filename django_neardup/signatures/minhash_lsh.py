"""MinHash with banding: the field's usual near-duplicate search."""

from __future__ import annotations

from typing import Any, ClassVar

from ..text.document import Document
from .minwise import drawn, gram_hashes, sketch
from .registry import register
from .sketched import Sketched

FEW_WORDS = 8


@register
class MinHashLSH(Sketched):
    """Pairs of neighbouring lemmas as a set; of each of bands * rows hash functions the least value; bands as keys.

    For a random function the least values of two sets are equal with the probability J = |A∩B| / |A∪B| (Broder, "On
    the resemblance and containment of documents", 1997).  The score, the share of equal slots, estimates J with the
    standard error sqrt(J (1 - J) / slots), .037 at J = .8 with the 120 slots of 20 bands by 6 rows.  A key is a
    band's number and all its slots, so a pair shares one with probability P(J) = 1 - (1 - J^rows)^bands (Indyk,
    Motwani, 1998; Leskovec, Rajaraman, Ullman, "Mining of massive datasets", chapter 3): .27 at J = .5, .61 at .6,
    .92 at .7, .998 at .8.

    Options: `bands` and `rows`, together at most 1024 functions; `size`, words a shingle.  A text of fewer than 8
    words is the set of its single words; stop words count, for order is all that pairs of words have.

    Fails: a short quotation in a long text (J of 50 words in 1,000 is .05); two texts, one just under 8 words and one
    above, are strangers; in short texts J jumps with every word, and a model number is one word of many.
    """

    name: ClassVar[str] = "minhash-lsh"
    options: ClassVar[tuple[str, ...]] = ("bands", "rows", "size")
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.5
    metric: ClassVar[bool] = True

    def __init__(self, *, bands: int = 20, rows: int = 6, size: int = 2, **common: Any) -> None:
        super().__init__(**common)
        if bands < 1 or rows < 1:
            raise ValueError(f"bands is {bands} and rows {rows}: both are 1 or more")
        if size < 1:
            raise ValueError(f"size is {size}: a shingle has at least one word")
        drawn(bands * rows)
        self.bands, self.rows, self.size = bands, rows, size

    def sketch(self, document: Document) -> list[int]:
        """The slots, band after band; [] for a text without a shingle."""
        size = 1 if len(document) < FEW_WORDS else self.size
        return sketch(gram_hashes(document.hashes, size), self.bands * self.rows)
