"""Which words may belong to a figure beside them: units, currencies, months, and what prices are led by."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..tokens import numbers, units
from ..tokens.tokenize import PRICE_LINK_WORDS, PRICE_WORDS, RANGE_WORDS

STOPPED = 1  # a stop word
FOLLOWS = 2  # may go on with a figure before it
LEADS = 4  # a price word before a figure makes it a price
LINKS = 8  # stands between a price word and a figure
MONTH = 16  # may begin a date
ADDRESS = 32  # may begin an address

_LOOKED_AHEAD = re.compile(r"\(\?!.*?\)")
_GROUP = re.compile(r"\(\?:(?:[^()]|\((?:[^()]|\([^()]*\))*\))*\)")
_BLANK = re.compile(r"(?:\\\.\??)? \??|\[ ·\*\]\?|\\\.\?|/")
_SOURCES = (
    units.UNIT,
    units.CURRENCY,
    units.MULTIPLIER,
    units.THOUSAND_ROUBLES,
    numbers.ANY_MONTH,
    "of|гг?|года|[xхrрpkcс]|[гмт]б|[gmt]b|го|th|st|nd|rd",
    "|".join(RANGE_WORDS),
)


def _parts(source: str) -> str:
    """A pattern of phrases, as a pattern of the words that they are made of."""
    plain = _LOOKED_AHEAD.sub("", source)
    return f"{_BLANK.sub('|', plain)}|{_BLANK.sub('', plain)}"


def _choices(source: str) -> Iterator[str]:
    """The alternatives of a pattern, and of groups that are an alternative themselves."""
    depth, start = 0, 0
    for place, sign in enumerate(f"{source}|"):
        depth += (sign == "(") - (sign == ")")
        if sign == "|" and not depth:
            one, start = source[start:place], place + 1
            yield from _choices(one[3:-1]) if _GROUP.fullmatch(one) else [one]


def _by_letter(source: str) -> str:
    """The same alternatives, those of one first letter together: a word that begins otherwise is soon given up."""
    behind: dict[str, list[str]] = {}
    for one in dict.fromkeys(_choices(source)):
        letter = one[0] if one[0].isalpha() and one[1:2] not in tuple("?*+{") else ""
        behind.setdefault(letter, []).append(one.removeprefix(letter))
    return "|".join(f"{letter}(?:{'|'.join(rests)})" for letter, rests in behind.items())


# A multiplier may be glued to what it multiplies: 5 тысруб.
_FOLLOWING = re.compile(
    f"(?:{_by_letter(units.MULTIPLIER)})?(?:{_by_letter('|'.join(map(_parts, _SOURCES)))})"
)
_MONTH = re.compile(numbers.ENGLISH_MONTH)


def marks(word: str, surface: str) -> int:
    """The bits above but the first, of a word as the tokenizer's pattern sees it and of its token's surface."""
    return (
        (FOLLOWS if _FOLLOWING.fullmatch(word) else 0)
        | (LEADS if surface in PRICE_WORDS else 0)
        | (LINKS if surface in PRICE_LINK_WORDS else 0)
        | (MONTH if _MONTH.fullmatch(word) else 0)
        | (ADDRESS if "www" in word else 0)
    )
