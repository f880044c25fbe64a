"""Shingles whose borders the text itself sets: an insertion changes the shingle it falls into, and no other."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from itertools import pairwise
from typing import Any, ClassVar

from ..text.document import Document
from ..text.hashing import hash_word
from ..text.normalize import fold_characters
from ..text.traced import Untraced
from ..text.views import letters
from .bag import pack_bag
from .base import Algorithm
from .registry import register
from .sampled import least_keys, resemblance_of

BORDERS = ("hash", "letter", "sum")
VALUES = ("alphabet", "cp1251")
MULTIPLE = 50
RUSSIAN = "абвгдеёжзийклмнопрстуфхцчшщъыьэюя"
LATIN = "abcdefghijklmnopqrstuvwxyz"


@register
class Spamooborona(Algorithm):
    """Chunks of the letters between two borders; |A∩B| / |A∪B| of the sets of chunks.

    Source: Yandex's Spamooborona as the chapter on shingles quotes it: "from letter ю to letter ю; or from a two-letter
    sequence, the sum of whose numerical values is a multiple of 50, to the next such one".  Neither the values of the
    letters nor the measure nor a threshold are stated, so these are reconstructions: the letters are those of the words
    as written, in lower case, without spaces; .5 is a duplicate and .25 related.

    Options: `borders`: "letter" and "sum" are the article's two forms, "hash", the default, the generic form for any
    language: a border stands before a pair of letters whose hash `modulus` divides.  `letter`: that of "letter", folded
    as the texts are (Ю is ю, ё is е).
    `values`, of "sum": "alphabet" (а = 1 … я = 33, a = 1 … z = 26, digits their own) or "cp1251" (the codes).
    In the article's forms a chunk begins at one border and ends before the next, and what is before the first and after
    the last is left out; ю is one letter in 150.  In the generic form it is kept but for an end of fewer than
    `shortest` letters: chunks have at least so many (borders nearer than that are passed over) and at most `longest`.

    Fails: a chunk is 60 to 150 letters and any edit inside changes it, so every tenth word edited leaves nothing in
    common; short texts have one chunk or none, and those without a chunk have no keys: unusable alone there.
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
        **common: Any,
    ) -> None:
        super().__init__(**common)
        if borders not in BORDERS:
            raise ValueError(f"borders is {borders!r}: it is one of {', '.join(BORDERS)}")
        if values not in VALUES:
            raise ValueError(f"values is {values!r}: it is one of {', '.join(VALUES)}")
        folded = fold_characters(Untraced(letter)).text.casefold().strip()
        if len(folded) != 1:
            raise ValueError(f"letter is {letter!r}: it is one letter")
        if modulus < 1 or not 1 <= shortest <= longest:
            raise ValueError("modulus is 1 or more, and shortest is 1 to longest")
        self.borders, self.letter, self.values = borders, folded, values
        self.modulus, self.shortest, self.longest = modulus, shortest, longest

    def chunks(self, document: Document) -> list[str]:
        """The shingles, in order."""
        text = letters(document)
        if self.borders == "letter":
            return _between(text, [place for place, char in enumerate(text) if char == self.letter])
        if self.borders == "sum":
            return _between(text, _places(text, lambda pair: is_multiple(pair, self.values)))
        found = _places(text, lambda pair: is_divisible(pair, document.secret, self.modulus))
        return _limited(text, found, self.shortest, self.longest)

    def _hashes(self, document: Document) -> set[int]:
        return {hash_word(chunk, document.secret) for chunk in self.chunks(document)}

    def keys(self, document: Document) -> list[int]:
        return least_keys(self._hashes(document))

    def pack(self, document: Document) -> bytes:
        """A set of 4 bytes a chunk, at most 16 KiB."""
        return pack_bag(self._hashes(document))

    def measure(self, a: bytes, b: bytes) -> float:
        return resemblance_of(a, b)


@lru_cache(maxsize=1 << 16)
def is_multiple(pair: str, values: str) -> bool:
    """Whether the values of both letters are known and make a multiple of 50."""
    first, second = (_value(char, values) for char in pair)
    return bool(first and second) and not (first + second) % MULTIPLE


def _value(char: str, values: str) -> int:
    """The value of a letter, above 0; 0 for what has none."""
    if values == "cp1251":
        return sum(char.encode("cp1251", "ignore"))
    if char.isdecimal():
        return int(char)
    return RUSSIAN.find(char) + 1 or LATIN.find(char) + 1


@lru_cache(maxsize=1 << 16)
def is_divisible(pair: str, secret: bytes, modulus: int) -> bool:
    """Whether `modulus` divides the keyed hash of two letters."""
    return not hash_word(pair, secret) % modulus


def _places(text: str, is_border: Callable[[str], bool]) -> list[int]:
    return [place for place in range(len(text) - 1) if is_border(text[place : place + 2])]


def _between(text: str, places: list[int]) -> list[str]:
    return [text[start:end] for start, end in pairwise(places)]


def _limited(text: str, places: list[int], shortest: int, longest: int) -> list[str]:
    """The whole text in chunks of at least `shortest` letters, but for a shorter end, and at most `longest`."""
    chunks, start = [], 0
    for place in (*places, len(text)):
        while place - start > longest:
            chunks.append(text[start : start + longest])
            start += longest
        if place - start >= shortest:
            chunks.append(text[start:place])
            start = place
    return chunks
