"""The furniture of a page in a long text: counters, relative times, menus."""

from __future__ import annotations

import re
from typing import ClassVar

from ...text.alignment.gaps import Gap
from ...text.tokens.tokenize import Token
from ..judged_text import JudgedText
from ..meanings import IGNORED, Meaning
from ..pair_context import PairContext
from ..word_sets import words_of
from .base import Rule

MIN_ARTICLE_TOKENS = 100
# On a board of adverts, followers and views are traded. Few adverts are so long.
MIN_ADVERT_TOKENS = 300
MIN_START = 12
WORDS_AROUND = 2
MAX_MENU_WORDS = 12
_FIGURE = re.compile(r"\d+(?:[.,]\d+)?[kmhdкмчд]?")


class BoilerplateRule(Rule):
    """Ignore counters, relative times and menus in long texts (``boilerplate.txt``), behind their first words.

    A figure beside a word such as "ago" or "views" is one, and so is a figure between buttons such as "Share" and
    "Tweet". A menu is a row of capitalized words with a word such as "Facebook" among them. Long are texts of 100
    tokens among articles, and of 300 among adverts.

    2 Hours Ago | 3 Hours Ago
    """

    name: ClassVar[str] = "boilerplate"
    counters: ClassVar[frozenset[str]] = words_of("boilerplate", "counter")
    menus: ClassVar[frozenset[str]] = words_of("boilerplate", "menu")

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        shortest = MIN_ADVERT_TOKENS if context.guard_words else MIN_ARTICLE_TOKENS
        if context.shorter_length < shortest or context.is_in_title(gap):
            return None
        if context.guard_words and min(gap.start_a, gap.start_b) < MIN_START:
            return None
        sides = (context.a, gap.start_a, gap.end_a), (context.b, gap.start_b, gap.end_b)
        if all(self._is_counter(*side) for side in sides) or self._is_menu(*sides):
            return self.meaning(gap, "word", IGNORED)
        return None

    def _is_counter(self, side: JudgedText, start: int, end: int) -> bool:
        tokens = side.unaligned_tokens(start, end)
        if not all(token.surface in self.counters or _is_figure(token) for token in tokens):
            return False
        words = {token.surface for token in tokens} | side.keys_around(start, end, WORDS_AROUND, WORDS_AROUND)
        return not self.counters.isdisjoint(words) or self._is_between_buttons(side, start, end)

    def _is_between_buttons(self, side: JudgedText, start: int, end: int) -> bool:
        """Return whether the words before and behind are capitalized, and one of them is a button."""
        beside = [*side.tokens[max(0, start - 1) : start], *side.tokens[end : end + 1]]
        has_button = any(token.surface in self.menus for token in beside)
        return has_button and all(token.is_capitalized for token in beside)

    def _is_menu(self, *sides: tuple[JudgedText, int, int]) -> bool:
        tokens = [token for side, start, end in sides for token in side.unaligned_tokens(start, end)]
        return (
            len(tokens) <= MAX_MENU_WORDS
            and any(token.surface in self.menus for token in tokens)
            and all(token.is_capitalized or token.surface in self.menus for token in tokens)
        )


def _is_figure(token: Token) -> bool:
    return token.kind in ("number", "date") or _FIGURE.fullmatch(token.surface) is not None
