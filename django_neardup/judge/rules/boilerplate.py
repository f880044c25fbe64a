"""The furniture of a page in a long text: counters, relative times, menus."""

from __future__ import annotations

from typing import ClassVar

from ...text.alignment.gaps import Gap
from ..judged_text import JudgedText
from ..meanings import IGNORED, Meaning
from ..pair_context import PairContext
from ..word_sets import words_of
from .base import Rule

MIN_LONG_TOKENS = 100
WORDS_AROUND = 2
MAX_MENU_WORDS = 12
_FIGURE_KINDS = frozenset(["number", "measure", "unit", "date"])


class BoilerplateRule(Rule):
    """Ignore counters, relative times and menus in texts of over 100 tokens (``boilerplate.txt``).

    A figure beside a word such as "ago" or "views" is one. A menu is a row of capitalized words with a word such as
    "Facebook" among them.

    2 Hours Ago | 3 Hours Ago
    """

    name: ClassVar[str] = "boilerplate"
    counters: ClassVar[frozenset[str]] = words_of("boilerplate", "counter")
    menus: ClassVar[frozenset[str]] = words_of("boilerplate", "menu")

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if context.shorter_length < MIN_LONG_TOKENS:
            return None
        sides = (context.a, gap.start_a, gap.end_a), (context.b, gap.start_b, gap.end_b)
        if all(self._is_counter(*side) for side in sides) or self._is_menu(*sides):
            return self.meaning(gap, "word", IGNORED)
        return None

    def _is_counter(self, side: JudgedText, start: int, end: int) -> bool:
        tokens = side.unaligned_tokens(start, end)
        if not all(token.kind in _FIGURE_KINDS or token.surface in self.counters for token in tokens):
            return False
        words = {token.surface for token in tokens} | side.keys_around(start, end, WORDS_AROUND, WORDS_AROUND)
        return not self.counters.isdisjoint(words)

    def _is_menu(self, *sides: tuple[JudgedText, int, int]) -> bool:
        tokens = [token for side, start, end in sides for token in side.unaligned_tokens(start, end)]
        return (
            len(tokens) <= MAX_MENU_WORDS
            and any(token.surface in self.menus for token in tokens)
            and all(token.is_capitalized or token.surface in self.menus for token in tokens)
        )
