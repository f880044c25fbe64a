"""Figures next to a gap. 5-20 and 20-40 share the 20, but they are two different ranges."""

from __future__ import annotations

from collections.abc import Sequence

from ..text.alignment.figures import is_figure
from ..text.alignment.gaps import Gap
from ..text.tokens.tokenize import Token


class FigureGapWidener:
    """Widens the gaps of an alignment (see ``gaps``) over adjacent figures."""

    def __init__(
        self, a: Sequence[Token], b: Sequence[Token], forward: Sequence[int], backward: Sequence[int]
    ) -> None:
        self.tokens_a, self.tokens_b, self.forward, self.backward = a, b, forward, backward

    def widen(self, gap: Gap) -> Gap:
        """Return the gap with the shared figures next to it and the unaligned figures behind those.

        Return the gap unchanged unless exactly one side of it has a figure.
        """
        if not self._is_figure(gap.start_a - 1) and not self._is_figure(gap.end_a):
            return gap
        has_figure_a, has_figure_b = (
            any(map(is_figure, tokens))
            for tokens in (self.tokens_a[gap.start_a : gap.end_a], self.tokens_b[gap.start_b : gap.end_b])
        )
        if has_figure_a == has_figure_b:
            return gap
        end_a, end_b = self._skip_figures(gap.end_a, gap.end_b, 1)
        before_a, before_b = self._skip_figures(gap.start_a - 1, gap.start_b - 1, -1)
        return gap._replace(start_a=before_a + 1, end_a=end_a, start_b=before_b + 1, end_b=end_b)

    def _is_figure(self, position_a: int) -> bool:
        return 0 <= position_a < len(self.tokens_a) and is_figure(self.tokens_a[position_a])

    def _skip_figures(self, position_a: int, position_b: int, step: int) -> tuple[int, int]:
        start = position_a
        while (
            self._is_inside(position_a, position_b)
            and self.forward[position_a] == position_b
            and is_figure(self.tokens_a[position_a])
        ):
            position_a, position_b = position_a + step, position_b + step
        if position_a == start:
            return position_a, position_b
        return _skip_unaligned_figures(
            self.tokens_a, self.forward, position_a, step
        ), _skip_unaligned_figures(self.tokens_b, self.backward, position_b, step)

    def _is_inside(self, position_a: int, position_b: int) -> bool:
        return 0 <= position_a < len(self.tokens_a) and 0 <= position_b < len(self.tokens_b)


def _skip_unaligned_figures(
    tokens: Sequence[Token], positions: Sequence[int], position: int, step: int
) -> int:
    while 0 <= position < len(tokens) and positions[position] < 0 and is_figure(tokens[position]):
        position += step
    return position
