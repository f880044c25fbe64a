"""Figures beside a gap: 5-20 and 20-40 share the 20, yet they are two ranges."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from .gaps import Gap
from .tokenize import Token

NUMERIC = frozenset(["number", "code", "numeral", "measure"])


def is_figure(token: Token) -> bool:
    """Whether a token is a number, a code or a measure."""
    return token.kind in NUMERIC


def figures(tokens: Sequence[Token]) -> Counter[str]:
    """Multiset of the numbers, codes and measures of a text."""
    return Counter([token.key for token in tokens if token.kind in NUMERIC])


class FigureGaps:
    """Widens gaps of an alignment (see `gaps`) over the figures beside them."""

    def __init__(
        self, a: Sequence[Token], b: Sequence[Token], forward: Sequence[int], backward: Sequence[int]
    ) -> None:
        self.a, self.b, self.forward, self.backward = a, b, forward, backward

    def widened(self, gap: Gap) -> Gap:
        """The gap with the shared figures beside it and the unaligned ones behind those; as it is, unless just one
        side of it has a figure."""
        ours, theirs = (
            any(map(is_figure, tokens)) for tokens in (self.a[gap.i : gap.j], self.b[gap.p : gap.q])
        )
        if ours == theirs:
            return gap
        j, q = self._beyond(gap.j, gap.q, 1)
        i, p = self._beyond(gap.i - 1, gap.p - 1, -1)
        return gap._replace(i=i + 1, j=j, p=p + 1, q=q)

    def _beyond(self, i: int, p: int, step: int) -> tuple[int, int]:
        start = i
        while self._inside(i, p) and self.forward[i] == p and is_figure(self.a[i]):
            i, p = i + step, p + step
        if i == start:
            return i, p
        return _over_free(self.a, self.forward, i, step), _over_free(self.b, self.backward, p, step)

    def _inside(self, i: int, p: int) -> bool:
        return 0 <= i < len(self.a) and 0 <= p < len(self.b)


def _over_free(tokens: Sequence[Token], places: Sequence[int], i: int, step: int) -> int:
    while 0 <= i < len(tokens) and places[i] < 0 and is_figure(tokens[i]):
        i += step
    return i
