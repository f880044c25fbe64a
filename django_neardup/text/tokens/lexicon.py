"""The tokenizer's dictionary: every word is mapped once to what is compared."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

from ..lemmas.morphology import Morphology, get_morphology
from ..normalization.homoglyphs import CURSIVE_TO_CYRILLIC, TO_CYRILLIC, TO_LATIN

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
_WORDS_WITH_FIXED_KEY = frozenset(ABBREVIATIONS)
MAX_WORD_LENGTH = 64
MAX_CACHED_WORDS = 50_000

PLAIN_CYRILLIC_WORD = re.compile(r"(?!.*(.)\1\1)[а-я]{1,40}")
"""A lower-case word that canonicalization of a Cyrillic text leaves unchanged."""

_REPEATED_LETTER = re.compile(r"([^\W\d_])\1{2,}")
ROMAN_NUMERAL = re.compile("[ivxlcdmіх]+")
_ENGLISH_NEGATION = re.compile(
    r"(?:do|does|did|is|are|was|were|wo|would|ca|could|should|has|have|had|must|need)n'?t|cannot"
)
_CYRILLIC_LETTER = re.compile("[\u0400-\u052f]")
_LATIN_LOOKALIKE_WORD = re.compile("[aeopcyxkibtmh]+")
_CURSIVE_WORD = re.compile("u|(?=.*[unw])[aeopcyxkibtmhunw]{4,40}")
_CYRILLIC_LOOKALIKE_WORD = re.compile("[аеорсухківтмн]+")
_CERTAIN_LOOKALIKE_WORD = re.compile("[aeopcyxk]+")


_DIGITS_AS_LETTERS = str.maketrans("03468", "озчбв")
# Codes have their letters and their figures apart: т34, 40х, 4к.
_WORD_WITH_DIGITS = re.compile(r"(?=.{4,30}$)(?=(?:\d*[а-яё]){3})[а-яё03468]+")
_EDGE_DIGITS = re.compile(r"^\d+|\d+$")


class LexiconEntry(NamedTuple):
    """The values that a token copies from its word."""

    surface: str
    key: str
    kind: str
    pos: str = ""
    is_name: bool = False


class Lexicon(dict[str, LexiconEntry]):
    """Lower-case words of one language, in texts of one script, filled on demand.

    Two threads may compute the same word twice, which is harmless.
    """

    def __init__(self, language: str, cyrillic: bool) -> None:
        super().__init__()
        self.morphology: Morphology = get_morphology(language)
        self.is_cyrillic = cyrillic

    def __missing__(self, word: str) -> LexiconEntry:
        entry = self.make_entry(word)
        if len(word) <= MAX_WORD_LENGTH:
            if len(self) >= MAX_CACHED_WORDS:
                self.clear()
            self[word] = entry
        return entry

    def make_entry(self, word: str, analyse: bool = True) -> LexiconEntry:
        """Return the entry of a word. Without ``analyse`` its key is the word itself."""
        surface = self.fold_surface(self._restore_script(word))
        if _ENGLISH_NEGATION.fullmatch(surface):
            return LexiconEntry(surface, "not", "word")
        stem = surface
        if "'" in surface and not _CYRILLIC_LETTER.match(surface):
            stem = surface.split("'")[0]
        if self.is_cyrillic:
            stem = ABBREVIATIONS.get(stem, stem)
        lemma = self.morphology.lemma(stem) if analyse else None
        key = lemma.key if lemma else stem
        kind = "latin" if self.is_cyrillic and stem.isascii() else "word"
        return LexiconEntry(surface, key, kind, lemma.pos if lemma else "", bool(lemma and lemma.is_name))

    def plain_key(self, word: str) -> str | None:
        """Return the key of a word if its entry differs from the word in the lemma only.

        Return None for other words. Most Cyrillic words are plain. The results are not cached.
        """
        if not self.is_cyrillic or word in _WORDS_WITH_FIXED_KEY or not PLAIN_CYRILLIC_WORD.fullmatch(word):
            return None
        key = self.morphology.key(word)
        return None if key in _WORDS_WITH_FIXED_KEY else key

    def disguised_word(self, text: str) -> str | None:
        """Return the Cyrillic word in which digits stand for letters (за6ор). Return None for a code or a number.

        The word is in the dictionary. What is left of it without the digits at its ends is not: 3года has a
        number and a word.
        """
        if not self.is_cyrillic or not _WORD_WITH_DIGITS.fullmatch(text):
            return None
        word = text.translate(_DIGITS_AS_LETTERS)
        rest = _EDGE_DIGITS.sub("", text)
        if rest != text and self.morphology.is_in_dictionary(rest.translate(_DIGITS_AS_LETTERS)):
            return None
        return word if self.morphology.is_in_dictionary(word) else None

    def _restore_script(self, word: str) -> str:
        """Return a word that consists only of look-alikes in the intended script.

        Return other words unchanged.

        Examples: caxap is сахар, "box" is not вох.
        """
        if self.is_cyrillic and _CURSIVE_WORD.fullmatch(word):
            cyrillic_word = word.translate(TO_CYRILLIC).translate(CURSIVE_TO_CYRILLIC)
            if cyrillic_word == "и" or self.morphology.is_in_dictionary(cyrillic_word):
                return cyrillic_word
        if self.is_cyrillic and _LATIN_LOOKALIKE_WORD.fullmatch(word):
            cyrillic_word = word.translate(TO_CYRILLIC)
            return (
                cyrillic_word
                if self.morphology.is_in_dictionary(cyrillic_word) is not False
                or _CERTAIN_LOOKALIKE_WORD.fullmatch(word)
                else word
            )
        if (
            not self.is_cyrillic
            and _CYRILLIC_LOOKALIKE_WORD.fullmatch(word)
            and not self.morphology.is_in_dictionary(word)
        ):
            return word.translate(TO_LATIN)
        return word

    def fold_surface(self, word: str) -> str:
        """Fold case, length and repeated letters (мааамочки).

        An apostrophe in a Russian word is a hard sign.
        """
        surface = word[:MAX_WORD_LENGTH].casefold()
        if not ROMAN_NUMERAL.fullmatch(surface):
            surface = _REPEATED_LETTER.sub(r"\1", surface)
        if "'" in surface and self.morphology.language == "ru" and _CYRILLIC_LETTER.match(surface):
            surface = surface.replace("'", "ъ")
        return surface


class LongTextLexicon(dict[str, LexiconEntry]):
    """A lexicon for one very long text. It stops analysing new words when its budget is spent.

    The budget counts the cost of analysing a word even if it is cached, so the same text always gives
    the same tokens.
    """

    ANALYSIS_BUDGET = 20_000
    KNOWN_COST, STEMMED_COST, GUESSED_COST = 1, 2, 6

    def __init__(self, shared_lexicon: Lexicon) -> None:
        super().__init__()
        self.shared_lexicon = shared_lexicon
        self.is_cyrillic = shared_lexicon.is_cyrillic
        self.remaining_budget = self.ANALYSIS_BUDGET

    def __missing__(self, word: str) -> LexiconEntry:
        if self.remaining_budget > 0:
            self.remaining_budget -= self._analysis_cost(word)
            entry = self.shared_lexicon[word]
        else:
            entry = self.shared_lexicon.make_entry(word, analyse=False)
        self[word] = entry
        return entry

    def disguised_word(self, text: str) -> str | None:
        """Return what ``Lexicon.disguised_word`` returns. Return None if the budget is spent."""
        if self.remaining_budget <= 0:
            return None
        self.remaining_budget -= self.KNOWN_COST
        return self.shared_lexicon.disguised_word(text)

    def _analysis_cost(self, word: str) -> int:
        if not _CYRILLIC_LETTER.search(word):
            return self.STEMMED_COST
        return (
            self.GUESSED_COST
            if self.shared_lexicon.morphology.is_in_dictionary(word) is False
            else self.KNOWN_COST
        )


@lru_cache(maxsize=32)
def get_lexicon(language: str, cyrillic: bool) -> Lexicon:
    """Return the shared lexicon of a language and script."""
    return Lexicon(language, cyrillic)
