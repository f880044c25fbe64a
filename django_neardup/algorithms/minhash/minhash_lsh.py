"""MinHash with banding, the usual near-duplicate search of the field, on fast similarity sketches."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.hashing import mix
from ..bag_of_words import pack_bag
from ..base import Judgement
from ..key_sampling import containment_of
from ..registry import register
from .minwise import band_hashes, equal_share, gram_hashes, pack_sketch, unpack_sketch
from .similarity_sketch import DEFAULT_SLOTS, fast_similarity_sketch, round_factors
from .sketch_base import SketchAlgorithm

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ...text.batch import Batch
    from ..kernels.signatures import Signatures

SHORT_TEXT_WORDS = 8
QUOTATION_SEED = 31
MAX_QUOTATION_KEYS = 256
MIN_RELATED_SHARE = 0.2
MIN_SAMPLE_SCORE = 0.05


@register
class MinHashLSH(SketchAlgorithm):
    """Sets of word runs, a fast similarity sketch of each set, and bands of its slots as keys.

    The runs are of ``size`` neighbouring lemmas. Two sketches are equal in a slot with probability
    J = |A∩B| / |A∪B| (see ``similarity_sketch``: Dahlgaard, Knudsen, Thorup, 2017). The score is the share of
    equal slots and estimates J. Its standard error is at most sqrt(J (1 - J) / slots). That is .035 at
    J = .8 with 128 slots, and about .75 of it in texts of up to 200 words.

    A key is the number of a band and its slots. A pair shares a key with probability
    P(J) = 1 - (1 - J^rows)^bands. P is .15 at J = .3, .41 at .4, .73 at .5, .94 at .6 and .996 at .7.
    Sources: Indyk, Motwani (1998); Leskovec, Rajaraman, Ullman, "Mining of massive datasets", chapter 3.

    Options:

    - ``bands`` and ``rows``: together at most ``slots``
    - ``slots``: at most 1024
    - ``size``: words a shingle
    - ``containment``: 0 or a power of two. Shingles with hashes that it divides become keys too, so that
      quotations are found: with 16, nine of ten quotations of 40 words. If there are more than 256 such
      shingles, the divisor doubles until at most 256 are left. Texts are then judged by their whole sets of
      shingles.

    A text of fewer than 8 words is the set of its single words. Stop words count, because runs of words
    differ from single words only by order.

    Fails: without ``containment``, a short quotation in a long text is missed (J of 50 words in 1,000 is .05).
    Of two texts, one just under 8 words and one above, nothing is equal. In short texts J jumps with every
    word, and a model number is one word among many.
    """

    name: ClassVar[str] = "minhash-lsh"
    # 2: fast similarity sketches instead of independent minima.
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("bands", "rows", "size", "slots", "containment")
    default_duplicate: ClassVar[float] = 0.7
    default_review: ClassVar[float] = 0.5
    is_metric: ClassVar[bool] = True

    def __init__(
        self,
        *,
        bands: int = 20,
        rows: int = 4,
        size: int = 2,
        slots: int = DEFAULT_SLOTS,
        containment: int = 0,
        **common_options: Any,
    ) -> None:
        super().__init__(**common_options)
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

    def shingles(self, text: CanonicalText) -> list[int]:
        """Return keyed 64-bit hashes of the word runs, in order."""
        return gram_hashes(text.hashes, 1 if len(text) < SHORT_TEXT_WORDS else self.size)

    def sketch(self, text: CanonicalText) -> list[int]:
        return fast_similarity_sketch(self.shingles(text), self.slots)

    def keys(self, text: CanonicalText) -> list[int]:
        bands = band_hashes(self._cached_sketch(text)[: self.bands * self.rows], self.rows)
        return sorted({*bands, *(quotation_keys(self.sample(text), self.containment))})

    def sample(self, text: CanonicalText) -> list[int]:
        """Return the distinct shingles that ``containment`` divides. Return [] if it is 0."""
        if not self.containment:
            return []
        return [value for value in set(self.shingles(text)) if not value % self.containment]

    def payload(self, text: CanonicalText) -> bytes:
        """Return 4 bytes a slot. With ``containment``, append 4 bytes for each shingle of the sample."""
        slots = pack_sketch(self._cached_sketch(text))
        return slots + pack_bag(self.sample(text)) if self.containment and slots else slots

    def measure(self, a: bytes, b: bytes) -> float:
        end = 4 * self.slots
        return equal_share(unpack_sketch(a[:end]), unpack_sketch(b[:end]))

    def screen(self, a: bytes, b: bytes) -> float:
        """Return the score, or with ``containment`` the containment of the samples if it is higher.

        The containment is the share of the smaller sample that the larger one holds.
        """
        # The sample follows the slots in a payload.
        score, end = self.measure(a, b), 4 * self.slots
        return max(score, containment_of(a[end:], b[end:])) if self.containment and a and b else score

    def should_judge(
        self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
    ) -> bool:
        return shared_keys > 0 and screening_score >= self.min_screening_score

    @property
    def min_screening_score(self) -> float:
        """Return the least screening score of a candidate.

        With ``containment`` it is close to 0, because a sample is small.
        """
        return min(self.review, MIN_SAMPLE_SCORE) if self.containment else self.review

    def should_judge_many(
        self,
        screening_scores: ArrayLike,
        shared_keys: ArrayLike,
        word_count_a: ArrayLike,
        word_count_b: ArrayLike,
    ) -> NDArray[np.bool_]:
        import numpy as np

        return (np.atleast_1d(screening_scores) >= self.min_screening_score) & (np.asarray(shared_keys) > 0)

    def compare(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        """Judge by the sketches. With ``containment``, judge by the sets of shingles."""
        if not self.containment:
            return super().compare(a, b)
        shingles_a, shingles_b = set(self.shingles(a)), set(self.shingles(b))
        if not shingles_a or not shingles_b:
            return Judgement("none", 0.0)
        common = len(shingles_a & shingles_b)
        score, share_a, share_b = (
            common / len(shingles_a | shingles_b),
            common / len(shingles_a),
            common / len(shingles_b),
        )
        return self.judge_by_shares(score, share_a, share_b)

    def judge_by_shares(self, score: float, share_a: float, share_b: float) -> Judgement:
        """Return the verdict by the resemblance, or by the share of a text that the other holds.

        A text is ``contained`` from the share on that two duplicates of equal size have: 2J / (1 + J) at
        J = ``duplicate``. From a fifth on, the texts are related.
        """
        verdict, larger_share = self.judge_by_score(score).verdict, max(share_a, share_b)
        if verdict != "duplicate" and larger_share >= 2 * self.duplicate / (1 + self.duplicate):
            verdict = "contained"
        elif verdict == "none" and larger_share >= MIN_RELATED_SHARE:
            verdict = "related"
        return Judgement(verdict, score, share_a, share_b)

    def sign_batch(self, batch: Batch) -> Signatures:
        from ..kernels.minhash_signatures import sign_batch

        return sign_batch(self, batch)

    def measure_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        from ..kernels.minhash_signatures import measure_pairs

        return measure_pairs(self, payloads_a, payloads_b)

    def screen_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        from ..kernels.minhash_signatures import screen_pairs

        return screen_pairs(self, payloads_a, payloads_b)


def quotation_keys(sample: Sequence[int], divisor: int) -> list[int]:
    """Return a key for each shingle of the sample.

    While there are more than 256, double the divisor and keep only the shingles that it divides.
    """
    while len(sample) > MAX_QUOTATION_KEYS:
        # The keys of a long text stay a subset of what a short text would have, so both share keys.
        divisor *= 2
        sample = [value for value in sample if not value % divisor]
    return [mix(value, seed=QUOTATION_SEED) for value in sample]
