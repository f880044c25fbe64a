"""Figures of a text: numbers, codes and measures."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from ..tokens.tokenize import Token

HAN_NUMERALS = frozenset("零一二三四五六七八九十百千万两兩〇")
FIGURE_KINDS = frozenset(["number", "code", "measure"])


def is_figure(token: Token) -> bool:
    """Return whether a token is a number, a code or a measure."""
    return token.kind in FIGURE_KINDS or token.surface in HAN_NUMERALS


def count_figures(tokens: Sequence[Token]) -> Counter[str]:
    """Return the multiset of the numbers, codes and measures of a text."""
    return Counter([token.key for token in tokens if is_figure(token)])
