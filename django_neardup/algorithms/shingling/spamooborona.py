"""Shingles with borders that the text itself sets: an insertion changes only the shingle it falls into."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

from ...text.canonical_text import CanonicalText
from ...text.features import join_letters
from ...text.hashing import hash_word
from ...text.normalization.normalize import fold_characters
from ...text.normalization.offsets import PlainText
from ..bag_of_words import pack_bag
from ..base import Algorithm
from ..key_sampling import bottom_k_keys, resemblance_of
from ..registry import register

BORDER_KINDS = ("hash", "letter", "sum")
VALUE_TABLES = ("alphabet", "cp1251")
SUM_MULTIPLE = 50
RUSSIAN_LETTERS = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
LATIN_LETTERS = "abcdefghijklmnopqrstuvwxyz"


@register
class Spamooborona(Algorithm):
    """Chunks of the letters between two borders; |A∩B| / |A∪B| of the sets of chunks.

    Source: Yandex's Spamooborona, as the chapter on shingles quotes it: "from letter ю to letter ю; or from
    a two-letter sequence, the sum of whose numerical values is a multiple of 50, to the next such one". It
    states neither the values of the letters nor the measure nor a threshold. Reconstruction: letters come
    from the words as written, in lower case, without spaces; .5 is a duplicate and .25 related.

    Options:

    - ``borders``: "letter" and "sum" are the article's two forms. "hash", the default, is the generic form for
      any language: a border is before a pair of letters with a hash that ``modulus`` divides.
    - ``letter``: the letter of "letter", folded as the texts are (Ю is ю, ё is е)
    - ``values``, for "sum": "alphabet" (а = 1 … я = 33, a = 1 … z = 26, digits their own value) or "cp1251"
      (the codes)
    - ``shortest`` and ``longest``, for "hash": the letters of a chunk

    In the article's forms a chunk begins at one border and ends before the next. Letters before the first
    border and after the last are left out; ю is one letter in 150. In the generic form they are kept, except
    an end of fewer than ``shortest`` letters. There a chunk has at least ``shortest`` letters (nearer borders
    are skipped) and at most ``longest``.

    Fails: a chunk is 60 to 150 letters, and any edit inside changes it. So every tenth word edited leaves
    nothing in common. Short texts have one chunk or none. Texts without a chunk have no keys. Do not use it
    as the only algorithm for them.
    """

    name: ClassVar[str] = "spamooborona"
    options: ClassVar[tuple[str, ...]] = ("borders", "letter", "values", "modulus", "shortest", "longest")
    default_duplicate: ClassVar[float] = 0.5
    default_review: ClassVar[float] = 0.25

    def __init__(
        self,
        *,
        borders: str = "hash",
        letter: str = "ю",
        values: str = "alphabet",
        modulus: int = 50,
        shortest: int = 20,
        longest: int = 300,
        **common_options: Any,
    ) -> None:
        super().__init__(**common_options)
        if borders not in BORDER_KINDS:
            raise ValueError(f"borders is {borders!r}: it is one of {', '.join(BORDER_KINDS)}")
        if values not in VALUE_TABLES:
            raise ValueError(f"values is {values!r}: it is one of {', '.join(VALUE_TABLES)}")
        folded = fold_characters(PlainText(letter)).text.casefold().strip()
        if len(folded) != 1:
            raise ValueError(f"letter is {letter!r}: it is one letter")
        if modulus < 1 or not 1 <= shortest <= longest:
            raise ValueError("modulus is 1 or more, and shortest is 1 to longest")
        self.borders, self.letter, self.values = borders, folded, values
        self.modulus, self.shortest, self.longest = modulus, shortest, longest

    def chunks(self, canonical_text: CanonicalText) -> list[str]:
        """Return the shingles, in order."""
        text = join_letters(canonical_text)
        if self.borders == "letter":
            return _chunks_between(
                text, [position for position, char in enumerate(text) if char == self.letter]
            )
        if self.borders == "sum":
            return _chunks_between(
                text, _border_positions(text, lambda pair: has_multiple_sum(pair, self.values))
            )
        borders = _border_positions(
            text, lambda pair: has_divisible_hash(pair, canonical_text.secret, self.modulus)
        )
        return _chunks_of_limited_length(text, borders, self.shortest, self.longest)

    def _chunk_hashes(self, text: CanonicalText) -> set[int]:
        return {hash_word(chunk, text.secret) for chunk in self.chunks(text)}

    def keys(self, text: CanonicalText) -> list[int]:
        return bottom_k_keys(self._chunk_hashes(text))

    def payload(self, text: CanonicalText) -> bytes:
        """Return a set of 4 bytes a chunk, at most 16 KiB."""
        return pack_bag(self._chunk_hashes(text))

    def measure(self, a: bytes, b: bytes) -> float:
        return resemblance_of(a, b)


@lru_cache(maxsize=1 << 16)
def has_multiple_sum(pair: str, values: str) -> bool:
    """Return whether the values of both letters are known and their sum is a multiple of 50."""
    first, second = (_letter_value(char, values) for char in pair)
    return bool(first and second) and not (first + second) % SUM_MULTIPLE


def _letter_value(char: str, values: str) -> int:
    """Return the value of a letter, above 0. Return 0 if it has none."""
    if values == "cp1251":
        return sum(char.encode("cp1251", "ignore"))
    if char.isdecimal():
        return int(char)
    return RUSSIAN_LETTERS.find(char) + 1 or LATIN_LETTERS.find(char) + 1


@lru_cache(maxsize=1 << 16)
def has_divisible_hash(pair: str, secret: bytes, modulus: int) -> bool:
    """Return whether ``modulus`` divides the keyed hash of two letters."""
    return not hash_word(pair, secret) % modulus


def _border_positions(text: str, is_border: Callable[[str], bool]) -> list[int]:
    return [position for position in range(len(text) - 1) if is_border(text[position : position + 2])]


def _chunks_between(text: str, positions: list[int]) -> list[str]:
    return [text[start:end] for start, end in pairwise(positions)]


def _chunks_of_limited_length(text: str, positions: list[int], shortest: int, longest: int) -> list[str]:
    """Cut the whole text into chunks of at least ``shortest`` and at most ``longest`` letters. Leave out a
    shorter end.
    """
    chunks, start = [], 0
    for position in (*positions, len(text)):
        while position - start > longest:
            chunks.append(text[start : start + longest])
            start += longest
        if position - start >= shortest:
            chunks.append(text[start:position])
            start = position
    return chunks
