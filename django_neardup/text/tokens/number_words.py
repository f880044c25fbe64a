"""Numbers in words, written in figures: двести метров is 200 метров, двухкомнатную is 2-комнатную.

All rules of figures then hold for them: prices, measures, dates and phones.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from ..normalization.offsets import OffsetText
from ..vocabulary import read_entries, read_lines

_VALUES = {word: int(number) for number, words in read_entries("numerals") for word in words}
_ONE = dict.fromkeys(("один", "одна", "одно", "одну", "одного", "одной", "one"), 1)
"""Forms of "one" count only behind tens and hundreds: alone they are mostly pronouns."""

_PREFIXES = {
    "одно": 1, "двух": 2, "дву": 2, "трех": 3, "четырех": 4, "пяти": 5, "шести": 6, "семи": 7, "восьми": 8,
    "девяти": 9, "десяти": 10,
}  # fmt: skip
_FLATS = {"однушк": 1, "двушк": 2, "трешк": 3, "четырешк": 4}


def _trie_pattern(words: Iterable[str]) -> str:
    """Return a pattern of the words that tries every letter once. An alternation would try every word."""
    endings: dict[str, list[str]] = {}
    is_end = False
    for word in words:
        if word:
            endings.setdefault(word[0], []).append(word[1:])
        else:
            is_end = True
    if not endings:
        return ""
    branches = "|".join(re.escape(letter) + _trie_pattern(rests) for letter, rests in endings.items())
    return f"(?:{branches})" + ("?" if is_end else "")


_NUMERAL = _trie_pattern(_VALUES)
_TENS = _trie_pattern([word for word, value in _VALUES.items() if value >= 20])
_NUMBER = rf"(?:{_TENS}[ \-](?:and )?{_trie_pattern(_ONE)}(?![\w'])|{_NUMERAL})"
_NUMERALS = rf"(?:one (?=hundred))?{_NUMBER}(?:[ \-](?:and )?{_NUMBER}(?![\w']))*"
ONE_WORDS = "|".join(_ONE)
_ADJECTIVES = _trie_pattern(" ".join(read_lines("numeral_adjectives")).split())
NUMBER_WORDS = re.compile(
    rf"(?<!\w)(?:(?P<prefix>{_trie_pattern(_PREFIXES)})-?(?P<adjective>{_ADJECTIVES}[а-я]*)"
    rf"|(?P<flat>{_trie_pattern(_FLATS)})(?:[аиуе]|ой|ам|ами|ах)?|(?P<numerals>{_NUMERALS}))(?![\w'])"
)
"""A number in words, or a word that begins with one."""

_BEGINNINGS = sorted({word[:3] for word in (*_VALUES, *_PREFIXES, *_FLATS, *_ONE)})
# A search that begins with a set of characters is many times faster than one with a look back.
_MAYBE_NUMBER = re.compile(rf"\W{_trie_pattern(_BEGINNINGS)}")

FLAT_WORDS = "квартир[а-я]*|кв|комнатн[а-я]*|комн|к"
_FLAT = re.compile(
    r"(\d)(?<![\w.,]\d)(?:-?х)?[ \-]?(?:комнатн[а-я]*|комн\b\.?|к\b\.?(?=[ \-]?кв))(?:[ \-]?(?:квартир[а-я]*|кв\b\.?))?"
)
_WORD = re.compile(r"[^\W\d_]+(?:'[^\W\d_]+)?")


def write_in_figures(text: OffsetText) -> OffsetText:
    """Return a folded text with the numbers in figures, and with one notation for flats: 2-комнатную."""
    text = _replace(text, _find_number_words, _figures_of)
    return _replace(text, _FLAT.finditer, lambda match: f"{match[1]}-комнатную")


def _find_number_words(lowered: str) -> Iterator[re.Match[str]]:
    end = 0
    for beginning in _MAYBE_NUMBER.finditer("\n" + lowered):
        # The blank in front of the text has moved the words by one, and the match begins one before its word.
        start = beginning.start()
        match = NUMBER_WORDS.match(lowered, start) if start >= end else None
        if match:
            yield match
            end = match.end()


def _replace(
    text: OffsetText,
    find: Callable[[str], Iterable[re.Match[str]]],
    replacement: Callable[[re.Match[str]], str],
) -> OffsetText:
    """Replace in a text what is found in lower case. A pattern that ignores case is much slower."""
    lowered = text.text.lower()
    if len(lowered) != len(text.text):  # İ becomes two characters
        lowered = "".join(character.lower()[:1] for character in text.text)
    pieces: list[tuple[int, int, str | None]] = []
    end = 0
    for match in find(lowered):
        pieces += [(end, match.start(), None), (*match.span(), replacement(match))]
        end = match.end()
    return text.rebuild([*pieces, (end, len(lowered), None)]) if pieces else text


def in_figures(word: str) -> str:
    """Return a number word in lower case in figures. Return other words unchanged."""
    return NUMBER_WORDS.sub(_figures_of, word)


def _figures_of(match: re.Match[str]) -> str:
    if match["prefix"]:
        return f"{_PREFIXES[match['prefix']]}-{match['adjective']}"
    if match["flat"]:
        return f"{_FLATS[match['flat']]}-комнатную"
    return " ".join(map(str, _sums(_WORD.findall(match["numerals"]))))


def _sums(words: Iterable[str]) -> list[int]:
    """Add up the words that form one number: сто двадцать пять is 125, whereas девять один is 9 and 1."""
    numbers: list[int] = []
    limit = 0  # a word below it belongs to the number before it
    for word in words:
        value = _VALUES.get(word) if word in _VALUES else _ONE.get(word)
        if value is None:  # and
            continue
        if word == "hundred" and numbers and numbers[-1] < 10:
            numbers[-1] *= value
        elif 0 < value < limit:
            numbers[-1] += value
        else:
            numbers.append(value)
        limit = 100 if value >= 100 else 10 if value >= 20 else 0
    return numbers
