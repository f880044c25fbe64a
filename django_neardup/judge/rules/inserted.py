"""Words that only one text has, beside the noun or the model that names the item."""

from __future__ import annotations

from typing import ClassVar

from ...text.alignment.gaps import Gap
from ...text.tokens.stopwords import STOP_WORDS
from ...text.tokens.tokenize import Token
from ...text.word_lists import word_set
from ..judged_text import JudgedText
from ..meanings import WORDS, Meaning
from ..pair_context import PairContext
from ..word_sets import deals_in, words_of
from .base import Rule, is_aligned

MAX_INSERTED_WORDS = 3
HEAD_WORDS = 12
MIN_NAME_LETTERS = 3
NOT_ITEMS = word_set(
    """
    срочно недорого дешево объявление предложение вариант качество состояние штука номер друг привет внимание
    urgent urgently cheap hello hi dear please offer brand number no quote
    """
)
"""Nouns of greetings and praise, which name no item."""


def _inserted_side(context: PairContext, gap: Gap) -> tuple[JudgedText, int, int] | None:
    """Return the text with the inserted words and their range. Return None if both sides have words."""
    if not is_aligned(gap):
        return None
    if gap.start_a == gap.end_a:
        return context.b, gap.start_b, gap.end_b
    return (context.a, gap.start_a, gap.end_a) if gap.start_b == gap.end_b else None


class InsertedConditionRule(Rule):
    """A condition of the thing is inserted: used, broken, for parts, a replica.

    двери межкомнатные, шпон | двери межкомнатные б/у, шпон
    """

    name: ClassVar[str] = "inserted condition"
    kind: ClassVar[str] = "opposite"
    conditions: ClassVar[frozenset[str]] = words_of("qualifiers", "state")

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        inserted = _inserted_side(context, gap)
        if not inserted or not context.guard_words:
            return None
        side, start, end = inserted
        if start >= HEAD_WORDS or end - start > MAX_INSERTED_WORDS:
            return None
        is_condition = not self.conditions.isdisjoint(side.words_in(start, end))
        return self.meaning(gap, decides=WORDS) if is_condition else None


class InsertedQualifierRule(Rule):
    """A word that names something is inserted beside the head noun or the model, in the clause of the item.

    The clause of the item is the first one with a noun. Inserted nouns, Latin words and codes count, and of the
    other words only words that name a model, a rank, a state, a part or a purpose (``qualifiers.txt``). Names of
    people and places, greetings and terms of the deal do not count.

    iPhone 13, 128 ГБ | iPhone 13 Pro Max, 128 ГБ
    требуется водитель на автомобиль | требуется помощник водителя на автомобиль
    """

    name: ClassVar[str] = "inserted qualifier"
    kind: ClassVar[str] = "name"
    qualifiers: ClassVar[frozenset[str]] = words_of("qualifiers") - frozenset(["term:", "share:"])

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        inserted = _inserted_side(context, gap)
        if not inserted or not context.guard_words or "name" in context.ignored_classes:
            return None
        side, start, end = inserted
        if end - start > MAX_INSERTED_WORDS or not self._is_in_item_clause(side, start, end):
            return None
        if not side.term_positions.isdisjoint(range(start, end)):
            return None
        words = side.words_in(start, end)
        is_qualifier = not self.qualifiers.isdisjoint(words)
        names_something = any(map(self._names_something, side.tokens[start:end]))
        return self.meaning(gap, decides=WORDS) if is_qualifier or names_something else None

    @staticmethod
    def _is_in_item_clause(side: JudgedText, start: int, end: int) -> bool:
        """Return whether the words stand in the first clause with a noun, which has more words than these."""
        first, last = side.item_clause
        is_inside = first <= start and end <= last and last - first > end - start
        phrase_start, phrase_end = side.item_phrase
        is_beside = start <= phrase_end and end >= phrase_start
        return is_inside and is_beside and start < HEAD_WORDS and side.has_item_clause

    @staticmethod
    def _names_something(token: Token) -> bool:
        forms = token.key, token.surface
        if token.key in STOP_WORDS or not NOT_ITEMS.isdisjoint(forms) or deals_in(forms):
            return False
        if token.kind == "code":
            return True
        if token.kind not in ("word", "latin") or len(token.surface) < MIN_NAME_LETTERS:
            return False
        return not token.is_name and token.pos in ("NOUN", "")
