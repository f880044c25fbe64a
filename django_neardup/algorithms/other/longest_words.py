"""The method of a classifieds board: the fifteen longest words of an advert."""

from __future__ import annotations

import re
import struct
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import written_form
from ...text.hashing import crc32, md5, mix
from ..base import Algorithm
from ..registry import register

NO_DIGEST = 0
# Between digits, x is a multiplication sign and is removed with them. Elsewhere it is a letter.
_DIGITS = re.compile(r"\d+(?:[x×*]\d+)*")
_EDGE_MARKS = ".,-–/\\+:_@#*×%°'’ "


@register
class LongestWords(Algorithm):
    """CRC-32 of the 15 longest words of at least 4 letters; common words / words of the shorter text.

    Source: the article on duplicates on a classifieds board. .8 makes a duplicate, and two texts with equal
    MD5 are 100 % alike. Words are distinct and as written. Of equally long words the first in the alphabet
    are taken; the article does not say which. It divides by "the length of the shortest document".
    Reconstruction: by the number of its chosen words, because otherwise no long text could reach .8.

    Options:

    - ``most``: the number of words; ``shortest``: the letters of a word
    - ``min_shared``: the article's "more than one" common word, or "at least 5" in a large collection. Texts
      with fewer long words have their MD5 as keys instead.
    - ``digits``: the article removes digits, so С140.35 and С90.30 leave two equal texts, 100 %. Yet it states
      90 % for them. That is the result with digits kept, 10 common words of 11.

    Fails: another model, size or price is invisible without digits, and one word of 15 with them. The
    longest words of a trade ("металлоформы") are in every text of it, so their keys lead to the whole
    category. Another form of a word is another word. Chinese, Japanese and Thai texts have only their MD5,
    because each glyph is a word.
    """

    name: ClassVar[str] = "longest-words"
    # 2: x is kept in words without digits.
    version: ClassVar[int] = 2
    options: ClassVar[tuple[str, ...]] = ("most", "shortest", "min_shared", "digits")
    default_duplicate: ClassVar[float] = 0.8
    default_review: ClassVar[float] = 0.6

    def __init__(
        self,
        *,
        most: int = 15,
        shortest: int = 4,
        min_shared: int = 2,
        digits: bool = False,
        **common_options: Any,
    ) -> None:
        super().__init__(**common_options)
        if shortest < 1:
            raise ValueError(f"shortest is {shortest}: a word has at least one letter")
        if not 1 <= min_shared <= most:
            raise ValueError(f"min_shared is {min_shared}: it is 1 to {most}, the number of words")
        self.most, self.shortest, self.min_shared, self.digits = most, shortest, min_shared, digits

    def longest_words(self, text: CanonicalText) -> list[str]:
        """Return the chosen words, longest first. Equally long ones are in alphabetical order."""
        words = {self._compared_form(written_form(token)) for token in text.tokens}
        long = [word for word in words if len(word) >= self.shortest]
        return sorted(long, key=lambda word: (-len(word), word))[: self.most]

    def _compared_form(self, surface: str) -> str:
        return surface if self.digits else _DIGITS.sub("", surface).strip(_EDGE_MARKS)

    def keys(self, text: CanonicalText) -> list[int]:
        chosen = {crc32(word) for word in self.longest_words(text)}
        if len(chosen) < self.min_shared and len(text):
            # `min_shared` keys of one MD5: with a single one, equal texts would not be candidates.
            chosen = {mix(_text_md5(text), seed=copy) for copy in range(self.min_shared)}
        return sorted(chosen)

    def payload(self, text: CanonicalText) -> bytes:
        """Return 8 bytes of the MD5 of the words as written, then 4 bytes for each chosen word,
        little-endian.

        The MD5 is 0 for a text without words.
        """
        chosen = sorted({crc32(word) for word in self.longest_words(text)})
        return struct.pack(f"<Q{len(chosen)}I", _text_md5(text), *chosen)

    def measure(self, a: bytes, b: bytes) -> float:
        """Return 1 for equal MD5, otherwise |A∩B| / min(|A|, |B|).

        Return 0 if there are fewer than ``min_shared`` common words.
        """
        (md5_a, *words_a), (md5_b, *words_b) = _unpack(a), _unpack(b)
        if md5_a == md5_b != NO_DIGEST:
            return 1.0
        common = len(set(words_a).intersection(words_b))
        return common / min(len(words_a), len(words_b)) if common >= self.min_shared else 0.0


def _text_md5(text: CanonicalText) -> int:
    return md5(" ".join(written_form(token) for token in text.tokens)) if len(text) else NO_DIGEST


def _unpack(payload: bytes) -> tuple[int, ...]:
    return struct.unpack(f"<Q{len(payload) // 4 - 2}I", payload)
