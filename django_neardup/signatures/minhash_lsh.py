"""MinHash with banding: the field's usual near-duplicate search, on fast similarity sketches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..text.document import Document
from ..text.hashing import mix
from .bag import pack_bag
from .base import Judgement
from .minwise import equal_share, gram_hashes, grouped, pack_sketch, unpack_sketch
from .registry import register
from .sampled import containment_of
from .similarity_sketch import SLOTS, round_factors, sketch
from .sketched import Sketched

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ..text.batch import Batch
    from .signed_batch import Signatures

FEW_WORDS = 8
QUOTED = 31
MOST_QUOTED = 256
HELD = 0.2
SEEN = 0.05


@register
class MinHashLSH(Sketched):
    """Runs of `size` neighbouring lemmas as a set; of this a fast similarity sketch; bands of its slots as keys.

    Two sketches are equal in a slot with the probability J = |A∩B| / |A∪B| (see `similarity_sketch`: Dahlgaard,
    Knudsen, Thorup, 2017).  The score, the share of equal slots, estimates J; its standard error is at most
    sqrt(J (1 - J) / slots), .035 at J = .8 with 128 slots, and some .75 of that in texts of up to 200 words.  A key is
    a band's number and its slots, so a pair shares one with probability P(J) = 1 - (1 - J^rows)^bands (Indyk, Motwani,
    1998; Leskovec, Rajaraman, Ullman, "Mining of massive datasets", chapter 3): .15 at J = .3, .41 at .4, .73 at .5,
    .94 at .6, .996 at .7.

    Options: `bands` and `rows`, together at most `slots`; `slots`, at most 1024; `size`, words a shingle;
    `containment`, 0 or a power of two: shingles whose hash it divides are keys as well (all of them a multiple of it,
    doubled until at most 256 are left), so that a quotation is found, with 16 nine times in ten that of 40 words, and
    texts are judged by their whole sets of shingles.  A text of fewer than 8 words is the set of its single words; stop
    words count, for order is all that runs of words have.

    Fails: without `containment`, a short quotation in a long text (J of 50 words in 1,000 is .05); two texts, one just
    under 8 words and one above, are strangers; in short texts J jumps with every word, and a model number is one word
    of many.
    """

    name: ClassVar[str] = "minhash-lsh"
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("bands", "rows", "size", "slots", "containment")
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.5
    metric: ClassVar[bool] = True

    def __init__(
        self,
        *,
        bands: int = 20,
        rows: int = 4,
        size: int = 2,
        slots: int = SLOTS,
        containment: int = 0,
        **common: Any,
    ) -> None:
        super().__init__(**common)
        if bands < 1 or rows < 1:
            raise ValueError(f"bands is {bands} and rows {rows}: both are 1 or more")
        if size < 1:
            raise ValueError(f"size is {size}: a shingle has at least one word")
        round_factors(slots)
        if bands * rows > slots:
            raise ValueError(f"{bands} bands of {rows} rows are more than {slots} slots")
        if containment < 0 or containment & (containment - 1):
            raise ValueError(f"containment is {containment}: it is 0 or a power of two")
        self.bands, self.rows, self.size, self.slots = bands, rows, size, slots
        self.containment = containment
        self.supports_containment = self.needs_text = containment > 0

    def shingles(self, document: Document) -> list[int]:
        """Keyed 64-bit hashes of the runs of words, in order."""
        return gram_hashes(document.hashes, 1 if len(document) < FEW_WORDS else self.size)

    def sketch(self, document: Document) -> list[int]:
        return sketch(self.shingles(document), self.slots)

    def keys(self, document: Document) -> list[int]:
        bands = grouped(self._sketch(document)[: self.bands * self.rows], self.rows)
        return sorted({*bands, *(quotation_keys(self.sample(document), self.containment))})

    def sample(self, document: Document) -> list[int]:
        """The shingles that `containment` divides, distinct; none where it is 0."""
        if not self.containment:
            return []
        return [value for value in set(self.shingles(document)) if not value % self.containment]

    def pack(self, document: Document) -> bytes:
        """4 bytes a slot; with `containment` 4 a shingle of the sample behind them."""
        slots = pack_sketch(self._sketch(document))
        return slots + pack_bag(self.sample(document)) if self.containment and slots else slots

    def measure(self, a: bytes, b: bytes) -> float:
        end = 4 * self.slots
        return equal_share(unpack_sketch(a[:end]), unpack_sketch(b[:end]))

    def screen(self, a: bytes, b: bytes) -> float:
        """The score; with `containment` the share of the smaller sample that the larger holds, where that is more."""
        score, end = self.measure(a, b), 4 * self.slots
        return max(score, containment_of(a[end:], b[end:])) if self.containment and a and b else score

    def passes(self, screened: float, shared_keys: int, words_a: int, words_b: int) -> bool:
        return shared_keys > 0 and screened >= self.least

    @property
    def least(self) -> float:
        """What the screen demands: with `containment` next to nothing, a sample being small."""
        return min(self.review, SEEN) if self.containment else self.review

    def passes_many(
        self, screened: ArrayLike, shared_keys: ArrayLike, words_a: ArrayLike, words_b: ArrayLike
    ) -> NDArray[np.bool_]:
        import numpy as np

        return (np.atleast_1d(screened) >= self.least) & (np.asarray(shared_keys) > 0)

    def compare(self, a: Document, b: Document) -> Judgement:
        """By the sketches; with `containment` by the sets themselves."""
        if not self.containment:
            return super().compare(a, b)
        ours, theirs = set(self.shingles(a)), set(self.shingles(b))
        if not ours or not theirs:
            return Judgement("none", 0.0)
        common = len(ours & theirs)
        score, held, back = common / len(ours | theirs), common / len(ours), common / len(theirs)
        return self.by_shares(score, held, back)

    def by_shares(self, score: float, share_a: float, share_b: float) -> Judgement:
        """By the resemblance; else by the share of a text that the other holds: what two of equal size have that are
        duplicates is `contained`, from a fifth on it is related."""
        own, most = self.by_score(score).verdict, max(share_a, share_b)
        if own != "duplicate" and most >= 2 * self.duplicate / (1 + self.duplicate):
            own = "contained"
        elif own == "none" and most >= HELD:
            own = "related"
        return Judgement(own, score, share_a, share_b)

    def sign(self, batch: Batch) -> Signatures:
        from .minhash_batch import signed

        return signed(self, batch)

    def measure_pairs(self, packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
        from .minhash_batch import measured

        return measured(self, packs_a, packs_b)

    def screen_pairs(self, packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
        from .minhash_batch import screened

        return screened(self, packs_a, packs_b)


def quotation_keys(sample: Sequence[int], divisor: int) -> list[int]:
    """A key a shingle of the sample; of more than 256 those that the doubled divisor divides, and so on."""
    while len(sample) > MOST_QUOTED:
        divisor *= 2
        sample = [value for value in sample if not value % divisor]
    return [mix(value, seed=QUOTED) for value in sample]
