"""Which chunks of a text may belong to a figure beside them: units, currencies, months, and words that lead to prices.

The reader splits a text at blanks, and some token rules reach over a blank.  What is marked here is read together with
the figure.  A mark too many costs time; a mark too few gives other tokens than the whole text has.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from .tokens import numbers, units
from .tokens.tokenize import PRICE_LINK_WORDS, PRICE_WORDS, RANGE_WORDS

FOLLOWS = 4  # may go on with a figure before it
LEADS = 8  # a price word, which makes a price of a figure behind it
LINKS = 16  # may stand between a price word and a figure
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
)


def _words_of(source: str) -> str:
    """Turn a pattern of phrases into a pattern of the words that they consist of."""
    plain = _LOOK_AHEAD.sub("", source)
    return f"{_BLANK.sub('|', plain)}|{_BLANK.sub('', plain)}"


def _alternatives(source: str) -> Iterator[str]:
    """Yield the alternatives of a pattern, and those of groups that are an alternative themselves."""
    depth, start = 0, 0
    for place, sign in enumerate(f"{source}|"):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            alternative, start = source[start:place], place + 1
            yield from _alternatives(alternative[3:-1]) if _GROUP.fullmatch(alternative) else [alternative]


def _by_first_letter(source: str) -> str:
    """Group the alternatives by their first letter: most words are given up after one comparison."""
    endings: dict[str, list[str]] = {}
    for alternative in dict.fromkeys(_alternatives(source)):
        is_plain = alternative[0].isalpha() and alternative[1:2] not in tuple("?*+{")
        letter = alternative[0] if is_plain else ""
        endings.setdefault(letter, []).append(alternative.removeprefix(letter))
    return "|".join(f"{letter}(?:{'|'.join(rests)})" for letter, rests in endings.items())


# A multiplier may be glued to what it multiplies: 5 тысруб.
_FOLLOWING = re.compile(
    f"(?:{_by_first_letter(units.MULTIPLIER)})?(?:{_by_first_letter('|'.join(map(_words_of, _SOURCES)))})"
)
_MONTH = re.compile(numbers.ENGLISH_MONTH)


def mark_before(chunk: str) -> int:
    """Return ``FOLLOWS`` if the first letters of a chunk may go on with a figure before it, else 0."""
    first = _FIRST_LETTERS.match(chunk)
    return FOLLOWS if first and _FOLLOWING.fullmatch(first.group()) else 0


def mark_behind(surface: str, *, alone: bool = True) -> int:
    """Return what the last word of a chunk says of a figure behind it; ``alone``: the chunk has no other word."""
    mark = MONTH if _MONTH.fullmatch(surface) else 0
    if surface in PRICE_WORDS:
        mark |= LEADS
    if surface in PRICE_LINK_WORDS:
        # The price word may stand before the link in the same chunk: цена/от 5000.
        mark |= LINKS if alone else LINKS | LEADS
    return mark
