"""Differences that never decide: terms of the deal, and classes that the adapter ignores."""

from __future__ import annotations

from typing import ClassVar

from ...text.alignment.gaps import Gap
from ...text.tokens.stopwords import STOP_WORDS
from ..meanings import IGNORED, Meaning
from ..pair_context import PairContext
from ..word_classes import CLASS_BY_KIND, is_given_name
from .base import Rule


class TermsRule(Rule):
    """All differing words are in terms of the deal, from a word such as звонить, торг or доставка to the end
    of the clause.

    мотоблок, двигатель Субару, торг уместен | мотоблок, двигатель Субару, без торга
    печь, сталь 8 мм, звонить с 9 до 18 | печь, сталь 8 мм, звонить с 10 до 21
    """

    name: ClassVar[str] = "terms"
    decides_by_words: ClassVar[bool] = False
    kind: ClassVar[str] = "word"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        return self.meaning(gap, effect=IGNORED) if context.is_in_terms(gap) else None


class IgnoredClassRule(Rule):
    """All differing words are prices, dates, contacts or given names, or what the adapter ignores.

    кирпич, цена 500 руб | кирпич, цена 700 руб
    """

    name: ClassVar[str] = "ignored class"
    decides_by_words: ClassVar[bool] = False

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        kinds = set()
        for side, start, end in ((context.a, gap.start_a, gap.end_a), (context.b, gap.start_b, gap.end_b)):
            for position in range(start, end):
                if side.positions[position] >= 0:
                    continue
                token = side.tokens[position]
                kind = CLASS_BY_KIND.get(token.kind, "word")
                if kind == "word" and token.is_name and token.is_capitalized and is_given_name(token.surface):
                    kind = "contact"
                if token.key in STOP_WORDS:
                    continue
                if kind not in context.ignored_classes:
                    return None
                kinds.add(kind)
        return self.meaning(gap, min(kinds), effect=IGNORED) if kinds else None
