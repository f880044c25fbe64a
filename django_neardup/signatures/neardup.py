"""The default scheme: passages as keys, a bag of words as screen, alignment and variant guard as judge."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar

from ..text.alignment import align
from ..text.contrast import EXCUSED
from ..text.difference import differences, passages
from ..text.document import Document
from .bag import common_share, pack_bag
from .base import Algorithm, Judgement
from .neardup_keys import neardup_keys
from .registry import register
from .verdict import decide

PASSES = 0.3
HOLDS = 0.6
PASSAGE_KEYS = 3


@register
class NearDup(Algorithm):
    """Score R of a move-aware, fuzzy alignment; what the texts differ in decides whether they are of one thing.

    Options: `word_guard`, whether another noun, adjective or name makes a variant in short texts (on by default: in
    adverts a wrong group is worse than a miss); `excused`, classes of differences that never decide.
    """

    name: ClassVar[str] = "neardup"
    version: ClassVar[int] = 1
    needs_text: ClassVar[bool] = True
    supports_containment: ClassVar[bool] = True
    default_word_guard: ClassVar[bool] = True

    def __init__(self, *, word_guard: bool | None = None, excused: Iterable[str] = EXCUSED) -> None:
        super().__init__(duplicate=0.58, review=0.36)
        self.word_guard = self.default_word_guard if word_guard is None else word_guard
        self.excused = tuple(excused)

    def keys(self, document: Document) -> list[int]:
        return neardup_keys(document)

    def pack(self, document: Document) -> bytes:
        return pack_bag(document.hashes)

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

    def judge(self, a: Document, b: Document) -> Judgement:
        if (len(b), b.exact) < (len(a), a.exact):
            return self._judge(b, a).swapped()
        return self._judge(a, b)

    def _judge(self, a: Document, b: Document) -> Judgement:
        if not len(a) or not len(b):
            return Judgement("none", 0.0)
        if a.exact == b.exact:
            return Judgement("duplicate", 1.0, 1.0, 1.0, exact=True)
        alignment = align(a, b)
        decision = decide(a, b, alignment, words=self.word_guard, excused=self.excused)
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

    def parameters(self) -> dict[str, Any]:
        return {
            "algorithm": self.name,
            "version": self.version,
            "word_guard": self.word_guard,
            "excused": sorted(self.excused),
        }


@register
class NearDupArticles(NearDup):
    """The same without the word guard: in articles another noun is an edit more often than another thing."""

    name: ClassVar[str] = "neardup-articles"
    default_word_guard: ClassVar[bool] = False
