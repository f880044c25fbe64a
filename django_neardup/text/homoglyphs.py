"""Letters of two scripts that look alike: which script a text is in, and words back to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import add
from typing import NamedTuple

from .traced import Traced


def _one_of(letters: Iterable[str]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(letters)}]+")


# Letters that are mistaken for each other inside a word, in any case.
_LATIN, _CYRILLIC = "aeopcyxkibtmhABEKMHOPCTXYI", "аеорсухківтмнАВЕКМНОРСТХУІ"
TO_CYRILLIC = str.maketrans(_LATIN, _CYRILLIC)
TO_LATIN = str.maketrans(_CYRILLIC, _LATIN)
_FOREIGN = str.maketrans("οΟαΑεΕρΡτΤυΥχΧκΚιΙΒΗΜΝΖνօսɡɑᴀᴄᴇᴏ", "oOaAeEpPtTyYxXkKiIBHMNZvougaaceo")
_RARE_CYRILLIC = str.maketrans("ѕЅјЈԁѵԛԝ", "sSjJdvqw")
_ADDRESS = re.compile(r"(?<!\S)\S*(?:@|://|www\.)\S*")
_LATIN_RANGE = "A-Za-z\u00c0-\u024f"
LATIN_LETTER = re.compile(f"[{_LATIN_RANGE}]")
CYRILLIC_LETTER = re.compile("[\u0400-\u052f]")
LATIN_ONLY = _one_of(char for char in map(chr, range(0x41, 0x250)) if char.isalpha() and char not in _LATIN)
CYRILLIC_ONLY = _one_of(chr(code) for code in range(0x400, 0x460) if chr(code) not in _CYRILLIC)
LOOKALIKE_LETTER = _one_of(map(chr, (*_FOREIGN, *_RARE_CYRILLIC)))
_MIXED_WORD = re.compile(
    rf"(?<![^\W\d_])(?:[{_LATIN_RANGE}]+[\u0400-\u052f]|[\u0400-\u052f]+[{_LATIN_RANGE}])[^\W\d_]*"
)
# In a text whose Cyrillic letters all have twins, ок is "ok", though it is a Russian word too.
_SHORT_CYRILLIC = re.compile("(?<![^\\W\\d_])[\u0400-\u052f]{1,3}(?![^\\W\\d_])")
_WORD_WITH_LOOKALIKE = re.compile(rf"(?<![^\W\d_])[^\W\d_]*{LOOKALIKE_LETTER.pattern}[^\W\d_]*")
# "5000 p." in a Russian text means roubles.
_LATIN_ROUBLE = re.compile(r"(?:(?<=\d)|(?<=\d ))p(?=[.,;:!)\s]|$)", re.I)


class Letters(NamedTuple):
    """Letters of a text: how many of each script, 0 or any number if there are some; how many that only one script has,
    outside of addresses."""

    cyrillic: int
    latin: int
    only_cyrillic: int
    only_latin: int

    def mostly_cyrillic(self, prefer: bool) -> bool:
        """See ``mostly_cyrillic``."""
        if not (self.cyrillic and self.latin):
            return self.cyrillic > 0
        if not self.only_cyrillic:
            return prefer and not self.only_latin
        return self.only_cyrillic * (3 if prefer else 1) >= self.only_latin

    def with_those(self, other: Letters) -> Letters:
        """Those of two parts of a text."""
        return Letters(*map(add, self, other))


def letters_of(text: str) -> Letters:
    """The letters of a text."""
    cyrillic, latin = (bool(letter.search(text)) for letter in (CYRILLIC_LETTER, LATIN_LETTER))
    if not (cyrillic or latin):
        return Letters(0, 0, 0, 0)
    text = _ADDRESS.sub(" ", text)
    only = (sum(map(len, letters.findall(text))) for letters in (CYRILLIC_ONLY, LATIN_ONLY))
    return Letters(cyrillic, latin, *only)


def mostly_cyrillic(text: str, prefer: bool = True) -> bool:
    """Whether the text is Cyrillic, by the letters that only one of the two scripts has; addresses do not count.

    ``prefer``: where Cyrillic is the rule a quarter is enough, for adverts are full of foreign names, and a
    text without such letters is Cyrillic.
    """
    if not CYRILLIC_LETTER.search(text):
        return False
    return not LATIN_LETTER.search(text) or letters_of(text).mostly_cyrillic(prefer)


def fold_scripts(traced: Traced, cyrillic: bool) -> Traced:
    """Undo letters borrowed from another script, word by word (``fold_word``)."""
    traced = fold_lookalikes(traced)
    if not (LATIN_LETTER.search(traced.text) and CYRILLIC_LETTER.search(traced.text)):
        return traced
    if not cyrillic and not CYRILLIC_ONLY.search(traced.text):
        traced = traced.sub(_SHORT_CYRILLIC, lambda match: match.group().translate(TO_LATIN))
    return fold_mixed(traced, cyrillic)


def fold_lookalikes(traced: Traced) -> Traced:
    """Greek and rarer twins out of Latin and Cyrillic words."""
    if LOOKALIKE_LETTER.search(traced.text):
        return traced.sub(_WORD_WITH_LOOKALIKE, _without_lookalikes)
    return traced


def fold_mixed(traced: Traced, cyrillic: bool) -> Traced:
    """The part of ``fold_scripts`` that looks at one place alone: true of any piece of a text between blanks."""
    if cyrillic:
        traced = traced.sub(_LATIN_ROUBLE, "р")
    return traced.sub(_MIXED_WORD, lambda match: fold_word(match.group(), cyrillic))


def _without_lookalikes(match: re.Match[str]) -> str:
    """Greek and rarer twins become Latin beside Latin or Cyrillic letters, Serbian ones beside Latin letters."""
    word = match.group()
    if LATIN_LETTER.search(word):
        word = word.translate(_RARE_CYRILLIC)
    elif not CYRILLIC_LETTER.search(word):
        return word
    return word.translate(_FOREIGN)


def fold_word(word: str, cyrillic: bool) -> str:
    """Homoglyphs out of one word of mixed scripts.

    It goes to the script of its unmistakable letters, or without any to the script of the text; a word with
    unmistakable letters of both stays.  Words wholly made of twins need a dictionary (caxap is сахар, "box"
    is not вох): see ``Lexicon``.
    """
    if not (LATIN_LETTER.search(word) and CYRILLIC_LETTER.search(word)):
        return word
    latin, cyr = LATIN_ONLY.search(word), CYRILLIC_ONLY.search(word)
    if latin and cyr:
        return word
    return word.translate(TO_CYRILLIC if cyr or (not latin and cyrillic) else TO_LATIN)
