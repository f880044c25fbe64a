"""Words to what is compared, once for every word: the tokenizer's dictionary."""

from __future__ import annotations

import re
from collections.abc import Iterable
from functools import lru_cache
from typing import NamedTuple

from .homoglyphs import TO_CYRILLIC, TO_LATIN
from .morphology import Morphology, morphology
from .stopwords import NUMERALS

ABBREVIATIONS = {
    "тел": "телефон",
    "ул": "улица",
    "шт": "штука",
    "мес": "месяц",
    "эт": "этаж",
    "сост": "состояние",
    "кв": "квартира",
    "ср": "средний",
}
_RULED = {*ABBREVIATIONS, *NUMERALS}
MAX_WORD = 64
CACHE_WORDS = 50_000

PLAIN = re.compile(r"(?!.*(.)\1\1)[а-я]{1,40}")
"""A word, in small letters, that a Cyrillic text's canonisation leaves as it is."""

_REPEATED = re.compile(r"([^\W\d_])\1{2,}")
_ROMAN = re.compile("[ivxlcdmіх]+")
_NOT = re.compile(
    r"(?:do|does|did|is|are|was|were|wo|would|ca|could|should|has|have|had|must|need)n'?t|cannot"
)
_CYRILLIC = re.compile("[\u0400-\u052f]")
_TWINS = re.compile("[aeopcyxkibtmh]+")
_CYRILLIC_TWINS = re.compile("[аеорсухківтмн]+")
_SURE_TWINS = re.compile("[aeopcyxk]+")


class Entry(NamedTuple):
    """What a token takes over from its word."""

    surface: str
    key: str
    kind: str
    pos: str = ""
    name: bool = False


class Lexicon(dict[str, Entry]):
    """Lower-case words of one language, in texts of one script; filled as words are met.

    Two threads may work out the same word twice, which does no harm.
    """

    def __init__(self, language: str, cyrillic: bool) -> None:
        super().__init__()
        self.morphology: Morphology = morphology(language)
        self.cyrillic = cyrillic

    def __missing__(self, word: str) -> Entry:
        entry = self.entry(word)
        if len(word) <= MAX_WORD:
            if len(self) >= CACHE_WORDS:
                self.clear()
            self[word] = entry
        return entry

    def entry(self, word: str, analyse: bool = True) -> Entry:
        """The entry of a word; without ``analyse`` its key is the word itself."""
        surface = self.surface(self._native(word))
        if _NOT.fullmatch(surface):
            return Entry(surface, "not", "word")
        stem = surface
        if "'" in surface and not _CYRILLIC.match(surface):
            stem = surface.split("'")[0]
        if self.cyrillic:
            stem = ABBREVIATIONS.get(stem, stem)
        lemma = self.morphology.lemma(stem) if analyse else None
        key = lemma.key if lemma else stem
        figure = NUMERALS.get(key) or NUMERALS.get(stem)
        if figure:
            return Entry(surface, figure, "numeral", lemma.pos if lemma else "")
        kind = "latin" if self.cyrillic and stem.isascii() else "word"
        return Entry(surface, key, kind, lemma.pos if lemma else "", bool(lemma and lemma.name))

    def plain_keys(self, words: Iterable[str]) -> dict[str, str]:
        """Keys of the words to whose entry nothing leads but their lemma: they are the surface, the kind is "word".
        These are most Cyrillic words; none is remembered."""
        if not self.cyrillic:
            return {}
        plain = [word for word in words if PLAIN.fullmatch(word) and word not in _RULED]
        keys = zip(plain, self.morphology.keys(plain))
        return {word: key for word, key in keys if key not in _RULED}

    def _native(self, word: str) -> str:
        """A word wholly made of twins, in the script that is meant: caxap is сахар, "box" is not вох."""
        if self.cyrillic and _TWINS.fullmatch(word):
            twin = word.translate(TO_CYRILLIC)
            return twin if self.morphology.knows(twin) is not False or _SURE_TWINS.fullmatch(word) else word
        if not self.cyrillic and _CYRILLIC_TWINS.fullmatch(word) and not self.morphology.knows(word):
            return word.translate(TO_LATIN)
        return word

    def surface(self, word: str) -> str:
        """Case, length and мааамочки folded; an apostrophe in a Russian word is a hard sign."""
        surface = word[:MAX_WORD].casefold()
        if not _ROMAN.fullmatch(surface):
            surface = _REPEATED.sub(r"\1", surface)
        if "'" in surface and self.morphology.language == "ru" and _CYRILLIC.match(surface):
            surface = surface.replace("'", "ъ")
        return surface


class LongTextLexicon(dict[str, Entry]):
    """A lexicon for one very long text, which stops analysing new words when its budget is spent.

    The budget counts what a word costs to analyse, not what was found in the cache, so that the same text
    always gives the same tokens.
    """

    BUDGET = 20_000
    KNOWN, STEMMED, GUESSED = 1, 2, 6

    def __init__(self, shared: Lexicon) -> None:
        super().__init__()
        self.shared = shared
        self.cyrillic = shared.cyrillic
        self.left = self.BUDGET

    def __missing__(self, word: str) -> Entry:
        if self.left > 0:
            self.left -= self._cost(word)
            entry = self.shared[word]
        else:
            entry = self.shared.entry(word, analyse=False)
        self[word] = entry
        return entry

    def _cost(self, word: str) -> int:
        if not _CYRILLIC.search(word):
            return self.STEMMED
        return self.GUESSED if self.shared.morphology.knows(word) is False else self.KNOWN


@lru_cache(maxsize=32)
def lexicon(language: str, cyrillic: bool) -> Lexicon:
    """The shared lexicon of a language."""
    return Lexicon(language, cyrillic)
