"""The default scheme: passages as keys, a bag of words for screening, alignment and guard for the verdict."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ...judge.certainty import ARTICLES, Certainty, certainty_of
from ...judge.differences import find_differences, find_passages
from ...judge.thresholds import min_duplicate_score
from ...judge.verdict import AlignmentVerdict, decide_verdict
from ...judge.word_classes import IGNORED_CLASSES
from ...text.alignment.align import Alignment, align_ordered
from ...text.canonical_text import CanonicalText
from ..bag_of_words import common_share, pack_bag
from ..base import Algorithm, Judgement
from ..registry import register
from .neardup_keys import DEFAULT_WINDOW, keys_by_kind, neardup_keys

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ...text.batch import Batch
    from ..kernels.signatures import Signatures

MIN_SCREENING_SCORE = 0.3
MIN_HELD_SHARE = 0.6
MIN_PASSAGE_KEYS = 3


@register
class NearDup(Algorithm):
    """A fuzzy alignment with moved passages: its score R and what the texts differ in decide the verdict.

    The guard is on, and so is the word guard: in adverts a wrong group is worse than a missed one. The
    thresholds depend on the length of the texts (see ``thresholds``), so ``duplicate`` and ``review`` are not
    arguments here.

    Option ``window``, 4 or more: of this many neighbouring runs of three words, one is a key. So a shared
    passage of window + 2 words is always found.
    """

    name: ClassVar[str] = "neardup"
    version: ClassVar[int] = 1
    options: ClassVar[tuple[str, ...]] = ("window",)
    default_duplicate: ClassVar[float] = 0.58
    default_review: ClassVar[float] = 0.36
    needs_text: bool = True
    supports_containment: bool = True
    default_word_guard: ClassVar[bool] = True

    def __init__(
        self,
        *,
        window: int = DEFAULT_WINDOW,
        guard: bool = True,
        word_guard: bool | None = None,
        ignored_differences: Iterable[str] = IGNORED_CLASSES,
    ) -> None:
        if window < 4:
            raise ValueError(f"window is {window}: it is 4 or more")
        uses_word_guard = self.default_word_guard if word_guard is None else word_guard
        super().__init__(guard=guard, word_guard=uses_word_guard, ignored_differences=ignored_differences)
        self.window = window

    def keys(self, text: CanonicalText) -> list[int]:
        return neardup_keys(text, self.window)

    def keys_by_kind(self, text: CanonicalText) -> dict[str, set[int]]:
        return keys_by_kind(text, self.window)

    def duplicate_threshold(self, words: int) -> float:
        return min_duplicate_score(words)

    def payload(self, text: CanonicalText) -> bytes:
        return pack_bag(text.hashes)

    def sign_batch(self, batch: Batch) -> Signatures:
        from ..kernels.neardup_signatures import sign_batch

        return sign_batch(batch, self.window)

    def measure(self, a: bytes, b: bytes) -> float:
        """|A∩B| / max(|A|, |B|) of the multisets of words."""
        return common_share(a, b)

    def should_judge(
        self, screening_score: float, shared_keys: int, word_count_a: int, word_count_b: int
    ) -> bool:
        """Return whether a candidate is worth an alignment. One of these conditions is enough:

        - several shared keys, as a shared passage gives them
        - a high screening score
        - the longer text may hold a large share of the shorter one
        """
        shorter, longer = sorted((word_count_a, word_count_b))
        return bool(
            shared_keys >= MIN_PASSAGE_KEYS
            or screening_score >= MIN_SCREENING_SCORE
            # The score is common words / longer text, so this is common words / shorter text.
            or (shorter and screening_score * longer / shorter >= MIN_HELD_SHARE)
        )

    def screen_pairs(self, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]) -> NDArray[np.float64]:
        from ..kernels.bags import common_shares

        return common_shares(payloads_a, payloads_b)

    def should_judge_many(
        self,
        screening_scores: ArrayLike,
        shared_keys: ArrayLike,
        word_count_a: ArrayLike,
        word_count_b: ArrayLike,
    ) -> NDArray[np.bool_]:
        import numpy as np

        scores, shared = np.atleast_1d(screening_scores), np.asarray(shared_keys)
        shorter, longer = np.minimum(word_count_a, word_count_b), np.maximum(word_count_a, word_count_b)
        held_shares = scores * longer / np.maximum(shorter, 1)
        return (
            (shared >= MIN_PASSAGE_KEYS)
            | (scores >= MIN_SCREENING_SCORE)
            | ((shorter > 0) & (held_shares >= MIN_HELD_SHARE))
        )

    def compare(self, a: CanonicalText, b: CanonicalText) -> Judgement:
        alignment = align_ordered(a, b)
        decision = self.decide(a, b, alignment, certainty_of(self.site_kind))
        classes = tuple(sorted({meaning.kind for meaning in decision.decisive}))
        is_similar = decision.verdict != "none"
        return Judgement(
            decision.verdict,
            alignment.score if decision.noisy_score is None else decision.noisy_score,
            alignment.containment_a,
            alignment.containment_b,
            False,
            tuple(find_differences(a, b, alignment, (*decision.decisive, *decision.doubts)))
            if is_similar
            else (),
            tuple(find_passages(a, b, alignment)) if is_similar else (),
            classes,
            decision.doubtful,
        )

    def decide(
        self, a: CanonicalText, b: CanonicalText, alignment: Alignment, certainty: Certainty
    ) -> AlignmentVerdict:
        """Return the verdict on two texts with words. ``a`` comes first (see ``align.is_second``)."""
        return decide_verdict(
            a,
            b,
            alignment,
            guard=self.guard,
            guard_words=self.word_guard,
            ignored_classes=self.ignored_differences,
            certainty=certainty,
        )

    def _apply_guard(self, judgement: Judgement, a: CanonicalText, b: CanonicalText) -> Judgement:
        """Return the judgement unchanged: its verdict already comes from an alignment."""
        return judgement

    def parameters(self) -> dict[str, Any]:
        # They change nothing here: `verdict` has thresholds by length.
        fixed = ("duplicate", "review")
        return {name: value for name, value in super().parameters().items() if name not in fixed}


@register
class NearDupArticles(NearDup):
    """The default algorithm for forums and news.

    There another word, and in all but short texts another figure, is more often an edit than another item.
    """

    name: ClassVar[str] = "neardup-articles"
    default_word_guard: ClassVar[bool] = False
    site_kind: ClassVar[str] = ARTICLES
