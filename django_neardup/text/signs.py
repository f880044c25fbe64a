"""Signs that carry meaning: + and − at figures and letters, ✅ and ❌, 👍 and 👎, and the number of stars.

Signs are no tokens: they change neither keys nor scores. The judge compares signs at the same aligned token.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from .normalization.offsets import OffsetText
from .tokens.tokenize import Token

_EMOJI = {
    "mark": {
        "✅": "+",
        "✔": "+",
        "☑": "+",
        "✓": "+",
        "❌": "-",
        "✖": "-",
        "✗": "-",
        "✘": "-",
        "🚫": "-",
        "⛔": "-",
    },
    "thumb": {"👍": "+", "👎": "-"},
}
_FAMILY_BY_EMOJI = {
    emoji: (family, value) for family, values in _EMOJI.items() for emoji, value in values.items()
}
_STARS = "⭐🌟★"
_SIGN = re.compile(
    r"(?P<number>(?<![\w.,)+\-/*×])[+\-](?=\d))"
    r"|(?P<letter>(?:(?<=\W[A-ZА-Я])|(?<=\W[A-ZА-Я]{2}))[+\-](?![\w+\-#\n]))"
    r"|(?P<figure>(?<=\d)\+(?![\w+]))"
    r"|(?P<alone>(?<=[^\W_] )[+\-](?= ?(?:[,.;)!?\n]|$)))"
    rf"|(?P<emoji>[{''.join(_FAMILY_BY_EMOJI)}])|(?P<stars>[{_STARS}](?:\s?[{_STARS}])*)"
)
# The first characters of signs, but no hyphen before a letter and no dash between words. A search for them is
# many times faster than one for their contexts, and a look back behind a set is faster than two branches.
_FIRST_CHARACTER = re.compile(
    rf"[+\-{''.join(_FAMILY_BY_EMOJI)}{_STARS}](?!(?<=[+\-])[^\W\d]|(?<= [+\-]) [^\W\d])"
)
# A search for one character is many times faster than one for a set.
_PLUS, _MINUS = re.compile(r"\+"), re.compile(r"-(?![^\W\d]|(?<= -) [^\W\d])")
_UNSIGNED_KINDS = frozenset(["contact", "price", "date"])


class Sign(NamedTuple):
    """A sign of a text.

    - ``family``: "polarity", "mark", "thumb" or "stars".
    - ``value``: "+" or "-", of stars their number.
    - ``token``: index of the token that the sign belongs to.
    - ``start``, ``end``: offsets in the raw text.
    - ``is_glued``: whether the sign touches a letter or a figure before it: O+, S10+.
    """

    family: str
    value: str
    token: int
    start: int
    end: int
    is_glued: bool


def find_signs(text: OffsetText, tokens: Sequence[Token], *, usual: bool) -> tuple[Sign, ...]:
    """Return the signs of a folded text, in order. ``usual``: the text has no emoji."""
    starts = _find_plus_and_minus(text.text) if usual else _find_first_characters(text.text)
    matches = list(_find_matches(text.text, starts)) if tokens else []
    return tuple(_signs(text, tokens, matches)) if matches else ()


def _find_plus_and_minus(text: str) -> list[int]:
    """Return the offsets of + and of - before no letter."""
    offsets = [match.start() for match in _MINUS.finditer(text)]
    return sorted(offsets + [match.start() for match in _PLUS.finditer(text)]) if "+" in text else offsets


def _find_first_characters(text: str) -> Iterator[int]:
    return (match.start() for match in _FIRST_CHARACTER.finditer(text))


def _find_matches(text: str, starts: Iterable[int]) -> Iterator[re.Match[str]]:
    end = 0
    for start in starts:
        match = _SIGN.match(text, start) if start >= end else None
        if match:
            yield match
            end = match.end()


def _signs(text: OffsetText, tokens: Sequence[Token], matches: Iterable[re.Match[str]]) -> Iterator[Sign]:
    starts = [token.start for token in tokens]
    for match in matches:
        start, end = text.raw_span(*match.span())
        following = bisect_left(starts, start)
        token = following if match.lastgroup == "number" else following - 1
        if not 0 <= token < len(tokens):
            token = min(max(token, 0), len(tokens) - 1)
        family, value = _family_and_value(match)
        if family == "polarity" and tokens[token].kind in _UNSIGNED_KINDS:
            continue
        yield Sign(family, value, token, start, end, match.lastgroup in ("letter", "figure"))


def _family_and_value(match: re.Match[str]) -> tuple[str, str]:
    if match.lastgroup == "emoji":
        return _FAMILY_BY_EMOJI[match.group()]
    if match.lastgroup == "stars":
        return "stars", str(len(match.group().replace(" ", "")))
    return "polarity", match.group()
