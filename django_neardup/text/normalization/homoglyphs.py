"""Letters of two scripts that look alike: the script of a text, and the repair of words in mixed scripts."""

from __future__ import annotations

import re
from collections.abc import Iterable

from .offsets import OffsetText


def _letter_run_pattern(letters: Iterable[str]) -> re.Pattern[str]:
    return re.compile(f"[{''.join(letters)}]+")


# Letters that look like a letter of the other script, in any case.
_LATIN_LOOKALIKES, _CYRILLIC_LOOKALIKES = "aeopcyxkibtmhABEKMHOPCTXYI", "аеорсухківтмнАВЕКМНОРСТХУІ"
TO_CYRILLIC = str.maketrans(_LATIN_LOOKALIKES, _CYRILLIC_LOOKALIKES)
TO_LATIN = str.maketrans(_CYRILLIC_LOOKALIKES, _LATIN_LOOKALIKES)
_LOOKALIKES_TO_LATIN = str.maketrans("οΟαΑεΕρΡτΤυΥχΧκΚιΙΒΗΜΝΖνօսɡɑ", "oOaAeEpPtTyYxXkKiIBHMNZvouga")
# Letters that look like Cyrillic ones in handwriting. They count only in words of both scripts.
CURSIVE_TO_CYRILLIC = str.maketrans("unwUNW", "ипшИПШ")
_RARE_CYRILLIC_TO_LATIN = str.maketrans("ѕЅјЈԁѵԛԝ", "sSjJdvqw")
_ADDRESS = re.compile(r"(?<!\S)\S*(?:@|://|www\.)\S*")
# Without × and ÷, which are no letters.
_LATIN_RANGE = "A-Za-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f"
LATIN_LETTER = re.compile(f"[{_LATIN_RANGE}]")
CYRILLIC_LETTER = re.compile("[\u0400-\u052f]")
LATIN_ONLY = _letter_run_pattern(
    char for char in map(chr, range(0x41, 0x250)) if char.isalpha() and char not in _LATIN_LOOKALIKES
)
CYRILLIC_ONLY = _letter_run_pattern(
    chr(code) for code in range(0x400, 0x460) if chr(code) not in _CYRILLIC_LOOKALIKES
)
_NOT_LATIN_ONLY = bytes(
    code for code in range(0x80) if not chr(code).isalpha() or chr(code) in _LATIN_LOOKALIKES
)
LOOKALIKE_LETTER = _letter_run_pattern(map(chr, (*_LOOKALIKES_TO_LATIN, *_RARE_CYRILLIC_TO_LATIN)))
_MIXED_WORD = re.compile(
    rf"(?<![^\W\d_])(?:[{_LATIN_RANGE}]+[\u0400-\u052f]|[\u0400-\u052f]+[{_LATIN_RANGE}])[^\W\d_]*"
)
# If all Cyrillic letters of a text have Latin look-alikes, ок is "ok", although it is a Russian word too.
_SHORT_CYRILLIC = re.compile("(?<![^\\W\\d_])[\u0400-\u052f]{1,3}(?![^\\W\\d_])")
_WORD_WITH_LOOKALIKE = re.compile(rf"(?<![^\W\d_])[^\W\d_]*{LOOKALIKE_LETTER.pattern}[^\W\d_]*")
# "5000 p." in a Russian text means roubles.
# The letter stands first in both patterns: a search for a letter is many times faster than one for its context.
_LATIN_ROUBLE = re.compile(r"[pP](?:(?<=\d.)|(?<=\d .))(?=[.,;:!)\s]|$)")
_SCRIPTS_MEET = re.compile(rf"[{_LATIN_RANGE}](?:(?=[\u0400-\u052f])|(?<=[\u0400-\u052f].))")


def is_mostly_cyrillic(text: str, prefer_cyrillic: bool = True, *, usual: bool = False) -> bool:
    """Return whether the text is Cyrillic, by the letters that only one of the scripts has.

    Addresses do not count.

    ``prefer_cyrillic``: Cyrillic is the rule. Then a quarter of the letters is enough, because adverts
    are full of foreign names, and a text without distinctive letters is Cyrillic.
    ``usual``: the text has no Latin letters beyond ASCII.
    """
    if not CYRILLIC_LETTER.search(text):
        return False
    if not usual and not LATIN_LETTER.search(text):
        return True
    text = _without_addresses(text)
    latin = _count_latin_only(text, usual)
    if not latin:
        return prefer_cyrillic or bool(CYRILLIC_ONLY.search(text))
    return _outweighs(text, -(-latin // 3) if prefer_cyrillic else latin)


def _count_latin_only(text: str, usual: bool) -> int:
    """Count the letters that only Latin has."""
    if usual:  # takes a third of the time of a search
        return len(text.encode("ascii", "ignore").translate(None, _NOT_LATIN_ONLY))
    return sum(map(len, LATIN_ONLY.findall(text)))


def _outweighs(text: str, least: int) -> bool:
    """Return whether a text has at least this many letters that only Cyrillic has. Stop counting there."""
    count = 0
    for run in CYRILLIC_ONLY.finditer(text):
        count += run.end() - run.start()
        if count >= least:
            return True
    return False


def _without_addresses(text: str) -> str:
    """Replace e-mails and links with blanks."""
    if "@" in text or ("/" in text and "://" in text) or ("w" in text and "www." in text):
        return _ADDRESS.sub(" ", text)
    return text


def fold_scripts(offset_text: OffsetText, cyrillic: bool) -> OffsetText:
    """Replace letters borrowed from another script, word by word (``fold_word``)."""
    if not (LATIN_LETTER.search(offset_text.text) and CYRILLIC_LETTER.search(offset_text.text)):
        return offset_text
    if not cyrillic and not CYRILLIC_ONLY.search(offset_text.text):
        offset_text = offset_text.sub(_SHORT_CYRILLIC, lambda match: match.group().translate(TO_LATIN))
    if cyrillic and _LATIN_ROUBLE.search(offset_text.text):
        offset_text = offset_text.sub(_LATIN_ROUBLE, "р")
    # Most texts in two scripts have no mixed word. A search for two adjacent scripts is faster than for the word.
    if not _SCRIPTS_MEET.search(offset_text.text):
        return offset_text
    return offset_text.sub(_MIXED_WORD, lambda match: fold_word(match.group(), cyrillic))


def fold_lookalikes(offset_text: OffsetText) -> OffsetText:
    """Replace Greek and rarer look-alikes in Latin and Cyrillic words."""
    if LOOKALIKE_LETTER.search(offset_text.text):
        return offset_text.sub(_WORD_WITH_LOOKALIKE, _replace_lookalikes)
    return offset_text


def _replace_lookalikes(match: re.Match[str]) -> str:
    """Replace the look-alikes of one word.

    Greek and rarer ones become Latin next to Latin or Cyrillic letters, Serbian ones next to Latin
    letters.
    """
    word = match.group()
    if LATIN_LETTER.search(word):
        word = word.translate(_RARE_CYRILLIC_TO_LATIN)
    elif not CYRILLIC_LETTER.search(word):
        return word
    return word.translate(_LOOKALIKES_TO_LATIN)


def fold_word(word: str, cyrillic: bool) -> str:
    """Replace the look-alikes of one word in mixed scripts.

    The word is written in the script of its distinctive letters. Without any, it is written in the
    script of the text. A word with distinctive letters of both scripts stays. Words that consist only of
    look-alikes need a dictionary (caxap is сахар, "box" is not вох): see ``Lexicon``.
    """
    if not (LATIN_LETTER.search(word) and CYRILLIC_LETTER.search(word)):
        return word
    latin_letters, cyrillic_letters = LATIN_ONLY.search(word), CYRILLIC_ONLY.search(word)
    if latin_letters and cyrillic_letters:
        cursive = word.translate(TO_CYRILLIC).translate(CURSIVE_TO_CYRILLIC) if cyrillic else word
        return word if LATIN_LETTER.search(cursive) else cursive
    return word.translate(TO_CYRILLIC if cyrillic_letters or (not latin_letters and cyrillic) else TO_LATIN)
