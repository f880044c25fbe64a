"""The default scheme: passages as keys, a bag of words as screen, alignment and variant guard as judge."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from ..text.alignment import align
from ..text.contrast import EXCUSED
from ..text.difference import differences, passages
from ..text.document import Document
from .bag import common_share, pack_bag
from .base import Algorithm, Judgement
from .neardup_keys import WINDOW, keys_by_kind, neardup_keys
from .registry import register
from .verdict import decide, least_score

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import ArrayLike, NDArray

    from ..text.batch import Batch
    from .signed_batch import Signatures

PASSES = 0.3
HOLDS = 0.6
PASSAGE_KEYS = 3


@register
class NearDup(Algorithm):
    """Score R of a move-aware, fuzzy alignment; what the texts differ in decides whether they are of one thing.

    The guard is on, and so is the word guard: in adverts a wrong group is worse than a miss.  The thresholds depend
    on length (see `verdict`), so `duplicate` and `review` are not arguments here.  `window`, 4 or more: of so many
    neighbouring runs of three words one is a key, so that a shared passage of window + 2 words is found.
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
        window: int = WINDOW,
        guard: bool = True,
        word_guard: bool | None = None,
        excused: Iterable[str] = EXCUSED,
    ) -> None:
        if window < 4:
            raise ValueError(f"window is {window}: it is 4 or more")
        words = self.default_word_guard if word_guard is None else word_guard
        super().__init__(guard=guard, word_guard=words, excused=excused)
        self.window = window

    def keys(self, document: Document) -> list[int]:
        return neardup_keys(document, self.window)

    def keys_by_kind(self, document: Document) -> dict[str, set[int]]:
        return keys_by_kind(document, self.window)

    def threshold(self, words: int) -> float:
        return least_score(words)

    def pack(self, document: Document) -> bytes:
        return pack_bag(document.hashes)

    def sign(self, batch: Batch) -> Signatures:
        from .neardup_batch import signed

        return signed(batch, self.window)

    def measure(self, a: bytes, b: bytes) -> float:
        """|A∩B| / max(|A|, |B|) of the multisets of words."""
        return common_share(a, b)

    def passes(self, screened: float, shared_keys: int, words_a: int, words_b: int) -> bool:
        """By the screen, by the share of the shorter text that the longer may hold, or by a shared passage."""
        shorter, longer = sorted((words_a, words_b))
        return bool(
            shared_keys >= PASSAGE_KEYS
            or screened >= PASSES
            or (shorter and screened * longer / shorter >= HOLDS)
        )

    def screen_pairs(self, packs_a: Sequence[bytes], packs_b: Sequence[bytes]) -> NDArray[np.float64]:
        from .bag_batch import common_shares

        return common_shares(packs_a, packs_b)

    def passes_many(
        self, screened: ArrayLike, shared_keys: ArrayLike, words_a: ArrayLike, words_b: ArrayLike
    ) -> NDArray[np.bool_]:
        import numpy as np

        screens, shared = np.atleast_1d(screened), np.asarray(shared_keys)
        shorter, longer = np.minimum(words_a, words_b), np.maximum(words_a, words_b)
        held = screens * longer / np.maximum(shorter, 1)
        return (shared >= PASSAGE_KEYS) | (screens >= PASSES) | ((shorter > 0) & (held >= HOLDS))

    def compare(self, a: Document, b: Document) -> Judgement:
        alignment = align(a, b)
        decision = decide(a, b, alignment, guard=self.guard, words=self.word_guard, excused=self.excused)
        classes = tuple(sorted({item.kind for item in decision.decisive}))
        offered = decision.verdict != "none"
        return Judgement(
            decision.verdict,
            alignment.score,
            alignment.containment_a,
            alignment.containment_b,
            False,
            tuple(differences(a, b, alignment, decision.decisive)) if offered else (),
            tuple(passages(a, b, alignment)) if offered else (),
            classes,
        )

    def _guarded(self, own: Judgement, a: Document, b: Document) -> Judgement:
        """Nothing to add: the verdict has come from an alignment."""
        return own

    def parameters(self) -> dict[str, Any]:
        fixed = ("duplicate", "review")
        return {name: value for name, value in super().parameters().items() if name not in fixed}


@register
class NearDupArticles(NearDup):
    """The same without the word guard: in articles another noun is an edit more often than another thing."""

    name: ClassVar[str] = "neardup-articles"
    default_word_guard: ClassVar[bool] = False
