"""Other codes, numbers and measures."""

from __future__ import annotations

from typing import ClassVar

from ...text.alignment.gaps import Gap
from ...text.alignment.word_links import are_roman_numerals
from ...text.normalization.homoglyphs import TO_LATIN
from ...text.tokens.tokenize import Token
from ..judged_text import JudgedText
from ..meanings import Meaning
from ..pair_context import PairContext
from ..word_classes import PRECISE_CLASSES, most_decisive_class, token_classes
from .base import NARROW_GAP_WORDS, Rule, is_narrow, is_replaced, width


class FigureRule(Rule):
    """Both sides have codes, numbers, measures or Latin names, and the texts have other figures.

    Two figures that only changed places in the text are none.

    свая С140.35 | свая С90.30
    часть I: палатки | часть II: палатки
    """

    name: ClassVar[str] = "figure"
    decides_by_words: ClassVar[bool] = False

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if not is_replaced(gap) or not is_narrow(gap):
            return None
        tokens_a, tokens_b = (
            context.a.unaligned_tokens(gap.start_a, gap.end_a),
            context.b.unaligned_tokens(gap.start_b, gap.end_b),
        )
        if width(gap) <= NARROW_GAP_WORDS and _have_other_roman_numerals(tokens_a, tokens_b):
            return self.meaning(gap, "number")
        if _is_letter_with_sign(tokens_a, tokens_b) or _is_letter_with_sign(tokens_b, tokens_a):
            return self.meaning(gap, "code")
        classes_a = _precise_classes(context, tokens_a, context.b)
        classes_b = _precise_classes(context, tokens_b, context.a) if classes_a else set()
        if not classes_b or context.has_same_figures:
            return None
        is_sentence_replacement = (
            not context.is_in_title(gap)
            and width(gap) > 2
            and context.a.are_whole_sentences(gap.start_a, gap.end_a)
            and context.b.are_whole_sentences(gap.start_b, gap.end_b)
        )
        if is_sentence_replacement:
            return None
        kind = most_decisive_class(classes_a | classes_b)
        return self.meaning(gap, kind) if kind not in context.ignored_classes else None


def _precise_classes(context: PairContext, tokens: list[Token], other: JudgedText) -> set[str]:
    figures = [token for token in tokens if token.kind != "word"]
    if not figures:
        return set()
    return token_classes(figures, False, other.unaligned_keys, context.ignored_classes) & PRECISE_CLASSES


def _have_other_roman_numerals(a: list[Token], b: list[Token]) -> bool:
    """Return whether both sides are one Roman numeral, and not the same."""
    if len(a) != 1 or len(b) != 1 or a[0].surface == b[0].surface:
        return False
    return are_roman_numerals(a[0].surface, b[0].surface)


def _is_letter_with_sign(short: list[Token], long: list[Token]) -> bool:
    """Return whether one side is a letter and the other is the same letter with signs: C, C++."""
    if len(short) != 1 or len(long) != 1 or len(short[0].surface) != 1:
        return False
    return long[0].surface.rstrip("+#") in (short[0].surface, short[0].surface.translate(TO_LATIN))


class UnitRule(Rule):
    """The same figure with a unit of another dimension.

    бак 20 л | бак 20 кг
    """

    name: ClassVar[str] = "unit"
    decides_by_words: ClassVar[bool] = False
    kind: ClassVar[str] = "measure"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        units_a = _unaligned_units(context.a, gap.start_a, gap.end_a)
        units_b = _unaligned_units(context.b, gap.start_b, gap.end_b) if units_a else set()
        is_other = units_b and units_a.isdisjoint(units_b)
        return self.meaning(gap) if is_other and is_narrow(gap) else None


def _unaligned_units(side: JudgedText, start: int, end: int) -> set[str]:
    return {token.key for token in side.unaligned_tokens(start, end) if token.kind == "unit"}
