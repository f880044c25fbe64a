"""Words that stand where the other text has other words."""

from __future__ import annotations

import re
from typing import ClassVar

from ...text.alignment.gaps import Gap
from ...text.tokens.stopwords import NEGATIONS, STOP_WORDS
from ...text.tokens.tokenize import Token
from ..judged_text import JudgedText, names_item
from ..meanings import WORDS, Meaning
from ..pair_context import PairContext
from ..word_classes import difference_class, most_decisive_class, token_classes
from .base import NARROW_GAP_WORDS, Rule, is_aligned, is_narrow, is_replaced, width

HAN = re.compile("[\u3400-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]")
UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]")
MAX_GLYPHS = 12
MIN_GLYPHS_WITHOUT_HAN = 2
MIN_BLOCK_WORDS, MIN_HEADLINE_WORDS = 4, 2
MIN_BLOCK_SHARE, MAX_BLOCK_VERBS = 0.8, 1
MAX_HEADLINE_TEXT = 100


class LetterRule(Rule):
    """Both sides are a single letter: a size, a category, the side of a cassette.

    кассета, сторона А | кассета, сторона Б
    """

    name: ClassVar[str] = "letter"
    kind: ClassVar[str] = "name"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        are_letters = context.a.is_letter_of_part(gap.start_a, gap.end_a) and context.b.is_letter_of_part(
            gap.start_b, gap.end_b
        )
        if not are_letters or not context.guard_words or "name" in context.ignored_classes:
            return None
        return self.meaning(gap)


class GlyphRule(Rule):
    """Runs of glyphs of a script without blanks differ: one Chinese character, or two of Thai.

    自転車を売ります | 自転車を買います
    """

    name: ClassVar[str] = "glyphs"
    kind: ClassVar[str] = "name"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if not context.guard_words or width(gap) > MAX_GLYPHS or not is_replaced(gap):
            return None
        if not is_aligned(gap):
            return None
        sides = [
            "".join(token.surface for token in side.unaligned_tokens(start, end))
            for side, start, end in (
                (context.a, gap.start_a, gap.end_a),
                (context.b, gap.start_b, gap.end_b),
            )
        ]
        has_han = all(HAN.search(side) for side in sides)
        has_others = all(UNSPACED.search(side) for side in sides) and width(gap) >= MIN_GLYPHS_WITHOUT_HAN
        return self.meaning(gap, decides=WORDS) if has_han or has_others else None


class ReplacedWordRule(Rule):
    """Both sides name things: nouns, adjectives, names, Latin words. A whole replaced sentence is none.

    грузчик, работа на складе мебели | грузчик, работа на складе обуви
    """

    name: ClassVar[str] = "replaced word"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        guard_words = context.guard_words or context.is_in_title(gap)
        if not guard_words or not is_replaced(gap) or not is_narrow(gap):
            return None
        tokens_a, tokens_b = (
            context.a.unaligned_tokens(gap.start_a, gap.end_a),
            context.b.unaligned_tokens(gap.start_b, gap.end_b),
        )
        if _is_negated(tokens_a) != _is_negated(tokens_b):
            return None
        classes_a = token_classes(tokens_a, True, context.b.unaligned_keys, context.ignored_classes)
        classes_b = token_classes(tokens_b, True, context.a.unaligned_keys, context.ignored_classes)
        if not classes_a or not classes_b or self._is_sentence_replacement(context, gap):
            return None
        if width(gap) > NARROW_GAP_WORDS and not self._has_identifying_starts(context, gap):
            return None
        kind = most_decisive_class(classes_a | classes_b)
        return self.meaning(gap, kind, decides=WORDS) if kind not in context.ignored_classes else None

    @staticmethod
    def _is_sentence_replacement(context: PairContext, gap: Gap) -> bool:
        return (
            not context.is_in_title(gap)
            and width(gap) > 1
            and context.a.are_whole_sentences(gap.start_a, gap.end_a)
            and context.b.are_whole_sentences(gap.start_b, gap.end_b)
        )

    @staticmethod
    def _has_identifying_starts(context: PairContext, gap: Gap) -> bool:
        """Return whether a wide gap inside a sentence begins with an identifying word on both sides."""
        if (
            not is_aligned(gap)
            or context.a.has_sentence_end_inside(gap.start_a, gap.end_a)
            or context.b.has_sentence_end_inside(gap.start_b, gap.end_b)
        ):
            return False
        return bool(
            difference_class(context.a.tokens[gap.start_a], True)
            and difference_class(context.b.tokens[gap.start_b], True)
        )


class ReplacedItemRule(ReplacedWordRule):
    """Words of both sides name the item itself: a noun beside the head noun, or a word written as a name.

    It decides as ``ReplacedWordRule`` does, and is surer.

    Нужен повар | Нужен пекарь
    """

    name: ClassVar[str] = "replaced item"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        # The cheap condition comes first: ``ReplacedWordRule`` is asked about the gap again.
        names_item = _names_item(context.a, gap.start_a, gap.end_a) and _names_item(
            context.b, gap.start_b, gap.end_b
        )
        return super().find(context, gap) if names_item else None


class BlockRule(Rule):
    """One block of other words stands in a common frame, and holds nearly all that differs.

    It describes a thing, so it has at most one verb, or it is a headline. A replaced sentence of a story has more.

    We are open. Garden hose, brass nozzle. We take cards | We are open. Snow shovel, steel handle. We take cards
    """

    name: ClassVar[str] = "block"
    kind: ClassVar[str] = "name"

    def find(self, context: PairContext, gap: Gap) -> Meaning | None:
        if not context.guard_words:
            return None
        words_a = _naming_words(context.a.unaligned_tokens(gap.start_a, gap.end_a))
        words_b = _naming_words(context.b.unaligned_tokens(gap.start_b, gap.end_b))
        if min(len(words_a), len(words_b)) < (MIN_HEADLINE_WORDS if gap.start_a == 0 else MIN_BLOCK_WORDS):
            return None
        unaligned = len(context.a.unaligned_positions) + len(context.b.unaligned_positions)
        inside = len(context.a.unaligned_tokens(gap.start_a, gap.end_a))
        inside += len(context.b.unaligned_tokens(gap.start_b, gap.end_b))
        if inside < MIN_BLOCK_SHARE * unaligned:
            return None
        if _count_verbs(context, gap) > MAX_BLOCK_VERBS and not self._is_headline(context, gap):
            return None
        # Another sentence about the terms of the deal makes no other item.
        is_about_terms = any(
            side.term_positions.issuperset(range(start, end))
            for side, start, end in ((context.a, gap.start_a, gap.end_a), (context.b, gap.start_b, gap.end_b))
        )
        return None if is_about_terms else self.meaning(gap, decides=WORDS)

    @staticmethod
    def _is_headline(context: PairContext, gap: Gap) -> bool:
        """Return whether the block opens both texts: a headline above a common body."""
        return gap.start_a == gap.start_b == 0 and context.shorter_length <= MAX_HEADLINE_TEXT


def _count_verbs(context: PairContext, gap: Gap) -> int:
    tokens = (*context.a.tokens[gap.start_a : gap.end_a], *context.b.tokens[gap.start_b : gap.end_b])
    return sum(token.pos in ("VERB", "INFN") for token in tokens)


def _names_item(side: JudgedText, start: int, end: int) -> bool:
    """Return whether an unaligned word of the range names the item: a noun beside the head noun, or a name.

    Without parts of speech, as in English, only a word written as a name counts: "bought" is no item.
    """
    phrase_start, phrase_end = side.item_phrase
    return any(
        (token.pos == "NOUN" and phrase_start <= position < phrase_end and names_item(token))
        or (token.is_capitalized and position not in side.sentence_edges)
        or token.kind in ("latin", "code")
        for position, token in enumerate(side.tokens[start:end], start)
        if side.positions[position] < 0
    )


def _naming_words(tokens: list[Token]) -> list[str]:
    return [token.key for token in tokens if difference_class(token, True) and token.key not in STOP_WORDS]


def _is_negated(tokens: list[Token]) -> bool:
    return any(token.key in NEGATIONS for token in tokens)
