"""The board's way: the fifteen longest words of an advert."""

from __future__ import annotations

import re
import struct
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import crc32, md5, mix
from ..text.views import written
from .base import Algorithm
from .registry import register

NOTHING = 0
_DIGITS = re.compile(r"\d+(?:[x×*]\d+)*")
_MARKS = ".,-–/\\+:_@#*×%°'’ "


@register
class LongestWords(Algorithm):
    """15 longest distinct words of at least 4 letters, a CRC-32 of each; common / the number of the shorter text.

    Source: the article on duplicates on a classifieds board; .8 makes a duplicate, and two texts with equal MD5 are
    100 % alike.  Words are as written; of equally long ones the first in the alphabet are taken, the article does not
    say which.  It divides by "the length of the shortest document": of its chosen words, for else no long text could
    reach .8 (a reconstruction).  `min_shared`: its "more than one" common word, or "at least 5" in a large collection;
    texts with fewer long words than that have their MD5 as keys instead.
    `digits`: the article removes digits, so that С140.35 and С90.30 leave two equal texts, 100 %; yet it names 90 % for
    them, which is what words with digits kept, 10 common of 11, give.

    Fails: another model, size or price is invisible without digits, and one word of 15 with them; the longest words of
    a trade ("металлоформы") are in every text of it, so their keys lead to the whole category; another form of a word
    is another word; Chinese, Japanese and Thai, where each glyph is a word, have only their MD5.
    """

    name: ClassVar[str] = "longest-words"
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("most", "shortest", "min_shared", "digits")
    default_duplicate: ClassVar[float] = 0.8
    default_review: ClassVar[float] = 0.6

    def __init__(
        self, *, most: int = 15, shortest: int = 4, min_shared: int = 2, digits: bool = False, **common: Any
    ) -> None:
        super().__init__(**common)
        if shortest < 1:
            raise ValueError(f"shortest is {shortest}: a word has at least one letter")
        if not 1 <= min_shared <= most:
            raise ValueError(f"min_shared is {min_shared}: it is 1 to {most}, the number of words")
        self.most, self.shortest, self.min_shared, self.digits = most, shortest, min_shared, digits

    def words(self, document: Document) -> list[str]:
        """The chosen words, longest first, equally long ones in alphabetical order."""
        words = {self._word(written(token)) for token in document.tokens}
        long = [word for word in words if len(word) >= self.shortest]
        return sorted(long, key=lambda word: (-len(word), word))[: self.most]

    def _word(self, surface: str) -> str:
        return surface if self.digits else _DIGITS.sub("", surface).strip(_MARKS)

    def keys(self, document: Document) -> list[int]:
        chosen = {crc32(word) for word in self.words(document)}
        if len(chosen) < self.min_shared and len(document):
            chosen = {mix(_whole(document), seed=copy) for copy in range(self.min_shared)}
        return sorted(chosen)

    def pack(self, document: Document) -> bytes:
        """8 bytes of the MD5 of the words as written (0 of none), then 4 bytes a chosen word, little-endian."""
        chosen = sorted({crc32(word) for word in self.words(document)})
        return struct.pack(f"<Q{len(chosen)}I", _whole(document), *chosen)

    def measure(self, a: bytes, b: bytes) -> float:
        """1 for equal MD5; else |A∩B| / min(|A|, |B|), 0 below `min_shared` common words."""
        (whole_a, *ours), (whole_b, *theirs) = _unpacked(a), _unpacked(b)
        if whole_a == whole_b != NOTHING:
            return 1.0
        common = len(set(ours).intersection(theirs))
        return common / min(len(ours), len(theirs)) if common >= self.min_shared else 0.0


def _whole(document: Document) -> int:
    return md5(" ".join(written(token) for token in document.tokens)) if len(document) else NOTHING


def _unpacked(packed: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<Q{len(packed) // 4 - 2}I", packed)
