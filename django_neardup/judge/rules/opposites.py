"""Opposites: another deal, an antonym, another condition, a negation."""

from __future__ import annotations

from typing import ClassVar

from ...text.alignment.gaps import Gap
from ...text.tokens.stopwords import NEGATIONS
from ..meanings import WORDS, Meaning
from ..pair_context import PairContext
from ..word_classes import token_classes
from ..word_sets import contrasts, deals_in
from .base import NARROW_GAP_WORDS, Rule, is_aligned, width


def _words_of_sides(context: PairContext, gap: Gap) -> tuple[frozenset[str], frozenset[str]]:
    return context.a.words_in(gap.start_a, gap.end_a), context.b.words_in(gap.start_b, gap.end_b)


class DealRule(Rule):
    """The texts offer different deals.

    отдам котёнка | возьму котёнка
    ищу работу продавца | ищем на работу продавца
    """

    name: ClassVar[str] = "deal"
    decides_by_words: ClassVar[bool] = False
    kind: ClassVar[str] = "deal"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if width(gap) > NARROW_GAP_WORDS:
            return None
        deals_a = deals_in(context.a.words_in(gap.start_a, gap.end_a))
        deals_b = deals_in(context.b.words_in(gap.start_b, gap.end_b)) if deals_a else frozenset()
        return self.meaning(gap) if deals_b and deals_a.isdisjoint(deals_b) else None


class AntonymRule(Rule):
    """The sides hold words of opposite meaning (``antonyms.txt``).

    курс вырос в понедельник | курс упал в понедельник
    """

    name: ClassVar[str] = "antonym"
    kind: ClassVar[str] = "opposite"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if width(gap) > NARROW_GAP_WORDS:
            return None
        words_a, words_b = _words_of_sides(context, gap)
        is_opposed = contrasts("antonyms").are_opposed(words_a, words_b)
        return self.meaning(gap, decides=WORDS) if is_opposed else None


class FunctionWordRule(Rule):
    """The sides hold function words that change what is offered (``function_words.txt``).

    детей до 7 лет | детей от 7 лет
    """

    name: ClassVar[str] = "function word"
    kind: ClassVar[str] = "opposite"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if width(gap) > 2 or not is_aligned(gap):
            return None
        words_a, words_b = _words_of_sides(context, gap)
        is_opposed = contrasts("function_words").are_opposed(words_a, words_b)
        return self.meaning(gap, decides=WORDS) if is_opposed else None


class NegationRule(Rule):
    """A narrow gap inside a sentence holds only a "not".

    рабочий | не рабочий
    """

    name: ClassVar[str] = "negation"
    kind: ClassVar[str] = "negation"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if width(gap) > 2 or not is_aligned(gap):
            return None
        tokens_a = context.a.unaligned_tokens(gap.start_a, gap.end_a)
        tokens_b = context.b.unaligned_tokens(gap.start_b, gap.end_b)
        negated_a = any(token.key in NEGATIONS for token in tokens_a)
        if negated_a == any(token.key in NEGATIONS for token in tokens_b):
            return None
        classes = token_classes(tokens_a, context.guard_words, frozenset(), context.ignored_classes)
        classes |= token_classes(tokens_b, context.guard_words, frozenset(), context.ignored_classes)
        is_sentence = context.a.are_whole_sentences(gap.start_a, gap.end_a) or context.b.are_whole_sentences(
            gap.start_b, gap.end_b
        )
        return self.meaning(gap, decides=WORDS) if classes == {"negation"} and not is_sentence else None
