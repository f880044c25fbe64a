"""Chunks that may belong to an adjacent figure: units, currencies, months, and words before prices.

The reader splits a text at blanks, but some token rules reach over a blank. A marked chunk is read
together with the figure. A mark too many costs time. A missing mark gives other tokens than the whole
text has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .tokens import numbers, units
from .tokens.number_words import FLAT_WORDS, ONE_WORDS
from .tokens.tokenize import (
    AMOUNT_WORDS,
    DATE_RANGE_WORDS,
    PRICE_LINK_WORDS,
    PRICE_WORDS,
    RANGE_WORDS,
    SUM_WORDS,
    VERSION_WORDS,
)

FOLLOWS = 4  # may continue a figure before it
LEADS = 8  # a price word: a figure behind it is a price
LINKS = 16  # may stand between a price word and a figure, or between two figures
MONTH = 32  # may begin a date

_LOOK_AHEAD = re.compile(r"\(\?!.*?\)")
_GROUP = re.compile(r"\(\?:(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_BLANK = re.compile(r"(?:\\\.\??)? \??|\[ ·\*\]\?|\\\.\?|/")
_FIRST_LETTERS = re.compile(r"[^\W\d_]+")
_SOURCES = (
    units.UNIT,
    units.CURRENCY,
    units.MULTIPLIER,
    units.THOUSAND_ROUBLES,
    numbers.ANY_MONTH,
    "of|гг?|года|[xхrрpkcс]|[гмт]б|[gmt]b|го|th|st|nd|rd",
    "|".join(RANGE_WORDS),
    f"and|{ONE_WORDS}|{FLAT_WORDS}",
    "|".join(DATE_RANGE_WORDS),
    "obo|ono|firm|pcm|pw|в|за|per|a|мес|месяц|сутки|день|час|ночь|неделю|смену|month|mo|week|day|night|hour|hr",
)


def _words_of(source: str) -> str:
    """Convert a pattern of phrases to a pattern of the words in them."""
    plain = _LOOK_AHEAD.sub("", source)
    return f"{_BLANK.sub('|', plain)}|{_BLANK.sub('', plain)}"


def _alternatives(source: str) -> Iterator[str]:
    """Yield the alternatives of a pattern. A group that is an alternative itself is split too."""
    depth, start = 0, 0
    for position, character in enumerate(f"{source}|"):
        depth += (character == "(") - (character == ")")
        if character == "|" and not depth:
            alternative, start = source[start:position], position + 1
            yield from _alternatives(alternative[3:-1]) if _GROUP.fullmatch(alternative) else [alternative]


def _by_first_letter(source: str) -> str:
    """Group the alternatives by first letter. Most words are then rejected after one comparison."""
    endings: dict[str, list[str]] = {}
    for alternative in dict.fromkeys(_alternatives(source)):
        is_plain = alternative[0].isalpha() and alternative[1:2] not in tuple("?*+{")
        letter = alternative[0] if is_plain else ""
        endings.setdefault(letter, []).append(alternative.removeprefix(letter))
    return "|".join(f"{letter}(?:{'|'.join(rests)})" for letter, rests in endings.items())


# A multiplier may be joined to its unit: 5 тысруб.
_FOLLOWING = re.compile(
    f"(?:{_by_first_letter(units.MULTIPLIER)})?(?:{_by_first_letter('|'.join(map(_words_of, _SOURCES)))})"
)
_LEADING_WORDS = PRICE_WORDS | SUM_WORDS | VERSION_WORDS | AMOUNT_WORDS
_MONTH = re.compile(numbers.ENGLISH_MONTH)


def mark_before(chunk: str) -> int:
    """Return ``FOLLOWS`` if the first letters of a chunk may continue a figure before it, otherwise 0."""
    first_letters = _FIRST_LETTERS.match(chunk)
    return FOLLOWS if first_letters and _FOLLOWING.fullmatch(first_letters.group()) else 0


def mark_behind(surface: str, *, alone: bool = True) -> int:
    """Return the marks of a chunk's last word for a figure behind it.

    ``alone``: the chunk has no other word.
    """
    mark = MONTH if _MONTH.fullmatch(surface) else 0
    if (
        surface in PRICE_WORDS
        or surface in SUM_WORDS
        or surface in VERSION_WORDS
        or surface in AMOUNT_WORDS
        or surface == "one"
    ):
        mark |= LEADS
    if surface in PRICE_LINK_WORDS or surface in RANGE_WORDS or surface in DATE_RANGE_WORDS:
        # The price word may stand before the link in the same chunk: цена/от 5000.
        mark |= LINKS if alone else LINKS | LEADS
    if surface in RANGE_WORDS:
        mark |= LINKS
    return mark
