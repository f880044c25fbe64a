"""Declared heads (titles): texts with equal bodies under unlike heads are about two items."""

from __future__ import annotations

import re
from collections.abc import Iterator

from ..text.alignment.align import align
from ..text.alignment.gaps import Gap
from ..text.canonical_text import CanonicalText
from .judged_text import JudgedText
from .meanings import DOUBT, HEAD, OTHER_ITEM, Meaning
from .pair_context import PairContext
from .word_classes import difference_class

_BRACKETS = re.compile(r"[(\[][^)\]]*[)\]]?")


def find_other_heads(context: PairContext) -> Iterator[Meaning]:
    """Yield the content words that only one of two heads has.

    Heads are aligned apart from bodies. A town, a person or a bracket in a head is a doubt.

    Аналитик | Старший аналитик
    """
    head_a, head_b = _head_of(context.a.text), _head_of(context.b.text)
    if head_a is None or head_b is None:
        return
    alignment = align(head_a, head_b)
    side_a, side_b = JudgedText(head_a, alignment.forward), JudgedText(head_b, alignment.backward)
    for gap in dict.fromkeys(alignment.gaps):
        effects = {
            *_effects(side_a, gap.start_a, gap.end_a, context.ignored_classes),
            *_effects(side_b, gap.start_b, gap.end_b, context.ignored_classes),
        }
        if effects and not context.is_in_terms(gap):
            effect = OTHER_ITEM if OTHER_ITEM in effects else DOUBT
            yield Meaning(_within(gap, context), "name", "head", effect, HEAD)


def _head_of(text: CanonicalText) -> CanonicalText | None:
    """Return the head as a separate text. Return None if none is declared."""
    return text.with_raw(text.raw[: text.head]) if text.head else None


def _effects(side: JudgedText, start: int, end: int, ignored_classes: frozenset[str]) -> Iterator[str]:
    """Yield the effect of every content word of a range that has no counterpart."""
    brackets = [match.span() for match in _BRACKETS.finditer(side.text.raw)]
    for position in range(start, end):
        token = side.tokens[position]
        kind = difference_class(token, True)
        if side.positions[position] >= 0 or not kind or kind in ignored_classes:
            continue
        is_in_brackets = any(first <= token.start < last for first, last in brackets)
        yield DOUBT if is_in_brackets or (token.is_name and token.is_capitalized) else OTHER_ITEM


def _within(gap: Gap, context: PairContext) -> Gap:
    """Return a gap of the heads as a range of the whole texts, which begin with them."""
    return gap._replace(
        end_a=min(gap.end_a, len(context.a)),
        end_b=min(gap.end_b, len(context.b)),
        is_left_aligned=True,
        is_right_aligned=True,
    )
