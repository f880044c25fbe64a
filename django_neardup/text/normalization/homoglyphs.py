"""Letters of two scripts that look alike: which script a text is in, and words back to it."""

from __future__ import annotations

import re
from collections.abc import Iterable
from operator import add
from typing import NamedTuple

from .offsets import OffsetText


def _letter_run_pattern(letters: Iterable[str]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(letters)}]+")


# Letters that are mistaken for each other inside a word, in any case.
_LATIN_LOOKALIKES, _CYRILLIC_LOOKALIKES = "aeopcyxkibtmhABEKMHOPCTXYI", "аеорсухківтмнАВЕКМНОРСТХУІ"
TO_CYRILLIC = str.maketrans(_LATIN_LOOKALIKES, _CYRILLIC_LOOKALIKES)
TO_LATIN = str.maketrans(_CYRILLIC_LOOKALIKES, _LATIN_LOOKALIKES)
_LOOKALIKES_TO_LATIN = str.maketrans("οΟαΑεΕρΡτΤυΥχΧκΚιΙΒΗΜΝΖνօսɡɑᴀᴄᴇᴏ", "oOaAeEpPtTyYxXkKiIBHMNZvougaaceo")
_RARE_CYRILLIC_TO_LATIN = str.maketrans("ѕЅјЈԁѵԛԝ", "sSjJdvqw")
_ADDRESS = re.compile(r"(?<!\S)\S*(?:@|://|www\.)\S*")
_LATIN_RANGE = "A-Za-z\u00c0-\u024f"
LATIN_LETTER = re.compile(f"[{_LATIN_RANGE}]")
CYRILLIC_LETTER = re.compile("[\u0400-\u052f]")
LATIN_ONLY = _letter_run_pattern(
    char for char in map(chr, range(0x41, 0x250)) if char.isalpha() and char not in _LATIN_LOOKALIKES
)
CYRILLIC_ONLY = _letter_run_pattern(
    chr(code) for code in range(0x400, 0x460) if chr(code) not in _CYRILLIC_LOOKALIKES
)
LOOKALIKE_LETTER = _letter_run_pattern(map(chr, (*_LOOKALIKES_TO_LATIN, *_RARE_CYRILLIC_TO_LATIN)))
_MIXED_WORD = re.compile(
    rf"(?<![^\W\d_])(?:[{_LATIN_RANGE}]+[\u0400-\u052f]|[\u0400-\u052f]+[{_LATIN_RANGE}])[^\W\d_]*"
)
# In a text whose Cyrillic letters all have twins, ок is "ok", though it is a Russian word too.
_SHORT_CYRILLIC = re.compile("(?<![^\\W\\d_])[\u0400-\u052f]{1,3}(?![^\\W\\d_])")
_WORD_WITH_LOOKALIKE = re.compile(rf"(?<![^\W\d_])[^\W\d_]*{LOOKALIKE_LETTER.pattern}[^\W\d_]*")
# "5000 p." in a Russian text means roubles.
_LATIN_ROUBLE = re.compile(r"(?:(?<=\d)|(?<=\d ))p(?=[.,;:!)\s]|$)", re.I)


class LetterCounts(NamedTuple):
    """Letters of a text: how many of each script, 0 or any number if there are some; how many that only one script has,
    outside of addresses."""

    cyrillic: int
    latin: int
    only_cyrillic: int
    only_latin: int

    def is_mostly_cyrillic(self, prefer_cyrillic: bool) -> bool:
        """See ``mostly_cyrillic``."""
        if not (self.cyrillic and self.latin):
            return self.cyrillic > 0
        if not self.only_cyrillic:
            return prefer_cyrillic and not self.only_latin
        return self.only_cyrillic * (3 if prefer_cyrillic else 1) >= self.only_latin

    def combine(self, other: LetterCounts) -> LetterCounts:
        """Those of two parts of a text."""
        return LetterCounts(*map(add, self, other))


def count_letters(text: str) -> LetterCounts:
    """The letters of a text."""
    cyrillic, latin = (bool(letter.search(text)) for letter in (CYRILLIC_LETTER, LATIN_LETTER))
    if not (cyrillic or latin):
        return LetterCounts(0, 0, 0, 0)
    text = _ADDRESS.sub(" ", text)
    only = (sum(map(len, letters.findall(text))) for letters in (CYRILLIC_ONLY, LATIN_ONLY))
    return LetterCounts(cyrillic, latin, *only)


def is_mostly_cyrillic(text: str, prefer_cyrillic: bool = True) -> bool:
    """Whether the text is Cyrillic, by the letters that only one of the two scripts has; addresses do not count.

    ``prefer``: where Cyrillic is the rule a quarter is enough, for adverts are full of foreign names, and a
    text without such letters is Cyrillic.
    """
    if not CYRILLIC_LETTER.search(text):
        return False
    return not LATIN_LETTER.search(text) or count_letters(text).is_mostly_cyrillic(prefer_cyrillic)


def fold_scripts(offset_text: OffsetText, cyrillic: bool) -> OffsetText:
    """Undo letters borrowed from another script, word by word (``fold_word``)."""
    offset_text = fold_lookalikes(offset_text)
    if not (LATIN_LETTER.search(offset_text.text) and CYRILLIC_LETTER.search(offset_text.text)):
        return offset_text
    if not cyrillic and not CYRILLIC_ONLY.search(offset_text.text):
        offset_text = offset_text.sub(_SHORT_CYRILLIC, lambda match: match.group().translate(TO_LATIN))
    return fold_mixed_words(offset_text, cyrillic)


def fold_lookalikes(offset_text: OffsetText) -> OffsetText:
    """Greek and rarer twins out of Latin and Cyrillic words."""
    if LOOKALIKE_LETTER.search(offset_text.text):
        return offset_text.sub(_WORD_WITH_LOOKALIKE, _replace_lookalikes)
    return offset_text


def fold_mixed_words(offset_text: OffsetText, cyrillic: bool) -> OffsetText:
    """The part of ``fold_scripts`` that looks at one place alone: true of any piece of a text between blanks."""
    if cyrillic:
        offset_text = offset_text.sub(_LATIN_ROUBLE, "р")
    return offset_text.sub(_MIXED_WORD, lambda match: fold_word(match.group(), cyrillic))


def _replace_lookalikes(match: re.Match[str]) -> str:
    """Greek and rarer twins become Latin beside Latin or Cyrillic letters, Serbian ones beside Latin letters."""
    word = match.group()
    if LATIN_LETTER.search(word):
        word = word.translate(_RARE_CYRILLIC_TO_LATIN)
    elif not CYRILLIC_LETTER.search(word):
        return word
    return word.translate(_LOOKALIKES_TO_LATIN)


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
