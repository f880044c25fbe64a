"""Noisy texts: read by a machine from paper, or typed in haste.

Many words are replaced, most of them by what looks like them.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import NamedTuple

from ..text.alignment.align import Alignment
from ..text.alignment.gaps import Gap, most_aligned_first, without_overlaps
from ..text.alignment.word_links import is_in_dictionary
from ..text.tokens.tokenize import Token
from .meanings import HEAD, Meaning
from .pair_context import PairContext
from .rules.base import is_replaced

# Chosen on scanned newspapers of nine languages: the similarity of gaps is mostly above 0.5 there, and below 0.22
# between two articles. No pair of another labelled set has so many words replaced and such a similarity.
MIN_NOISY_TOKENS = 12
MIN_NOISY_WORDS = 4
MIN_NOISY_SHARE = 0.07
MIN_LONG_TOKENS = 75
MIN_LENGTH_RATIO = 0.7
MIN_SIMILARITY = 0.45
MIN_UNKNOWN_SHARE = 0.5
MIN_SCAN_SIMILARITY = 0.5
MIN_MISSPELT_SIMILARITY = 0.6
MIN_SIMILARITY_IN_SCAN = 0.65
MAX_GAP_CHARACTERS = 2_000
USUAL_WORD_LENGTH = 6
WORD_RULES = frozenset(["replaced word", "replaced item"])
"""Rules whose meanings may be noise. Opposites, deals, conditions and titles never are."""

_WORD_KINDS = ("word", "latin")
_MIXED = re.compile(r"(?=.*\d)(?=.*[^\W\d_])")
Sides = tuple[list[Token], list[Token]]


class Replacement(NamedTuple):
    """The unaligned words of both sides of a gap, and their weights."""

    a: list[Token]
    b: list[Token]
    weight_a: float
    weight_b: float

    @property
    def texts(self) -> tuple[str, str]:
        return _text_of(self.a), _text_of(self.b)

    @property
    def has_unknown_side(self) -> bool:
        """Whether one side has no word of a dictionary."""
        return any(not any(map(_is_known, side)) for side in (self.a, self.b))


def character_score(context: PairContext) -> float | None:
    """Return the score of two noisy texts, 0..1: a gap counts as aligned by its similarity in characters.

    Return None if the texts are not noisy.
    """
    shorter, longer = sorted((len(context.a), len(context.b)))
    if shorter < MIN_NOISY_TOKENS or shorter < MIN_LENGTH_RATIO * longer:
        return None
    # A name that an advert repeats is one difference, however often it stands there.
    spellings = len({context.a.tokens[position].surface for position in context.alignment.spellings})
    needed = max(MIN_NOISY_WORDS, MIN_NOISY_SHARE * shorter) - spellings
    replaced = list(_replaced_words(context))
    if not replaced or len(replaced) < needed:
        return None
    texts = [replacement.texts for replacement in replaced]
    if len(set(texts)) < needed:
        return None
    unknown = sum(replacement.has_unknown_side for replacement in replaced)
    if unknown + spellings < MIN_UNKNOWN_SHARE * (len(replaced) + spellings):
        return None
    similarities = [_similarity(*pair) for pair in texts]
    if _mean(texts, similarities, spellings) < MIN_SIMILARITY:
        return None
    return _score(context.alignment, replaced, similarities)


def without_noise(context: PairContext, meanings: Sequence[Meaning]) -> list[Meaning]:
    """Return the meanings of noisy texts without those of misread and misspelt words.

    A code, a number or a name against another one is a difference in noisy texts too. In a language without a
    dictionary a word is misread only in a text of 75 tokens or more, or if the texts have a plain sign of a scan:
    figures inside words.
    """
    is_scan = any(_is_misread(*_unaligned(context, gap)) for gap in context.gaps)
    return [meaning for meaning in meanings if not _is_noise(context, meaning, is_scan)]


def _is_noise(context: PairContext, meaning: Meaning, is_scan: bool) -> bool:
    sides = _unaligned(context, meaning.gap)
    if meaning.decides == HEAD or not all(sides):
        return False
    if _is_misread(*sides):
        return True
    if meaning.rule not in WORD_RULES or not all(token.kind == "word" for side in sides for token in side):
        return False
    similarity = _similarity(*map(_text_of, sides))
    known = [list(map(_is_known, side)) for side in sides]
    if (all(known[0]) and not any(known[1])) or (all(known[1]) and not any(known[0])):
        return similarity >= MIN_MISSPELT_SIMILARITY
    if any(map(any, known)):
        return False
    if context.shorter_length >= MIN_LONG_TOKENS:
        return similarity >= MIN_SCAN_SIMILARITY
    is_name = any(token.is_capitalized for side in sides for token in side)
    return is_scan and not is_name and similarity >= MIN_SIMILARITY_IN_SCAN


def _is_misread(side_a: list[Token], side_b: list[Token]) -> bool:
    """Return whether one side mixes letters and figures where the other has only one kind: bi11s, 18C8."""
    if len(side_a) != 1 or len(side_b) != 1:
        return False
    a, b = side_a[0].surface, side_b[0].surface
    if bool(_MIXED.match(a)) == bool(_MIXED.match(b)) or min(len(a), len(b)) < MIN_NOISY_WORDS:
        return False
    return _similarity(a, b) >= MIN_SCAN_SIMILARITY


def _replaced_words(context: PairContext) -> Iterator[Replacement]:
    """Yield the replaced gaps that share no word, with words only on one side at least: bills, bi11s."""
    gaps = (
        gap for gap in most_aligned_first(context.gaps) if is_replaced(gap) and _is_of_words(context, gap)
    )
    for gap in without_overlaps(gaps):
        weights = (
            sum(side.text.weights[position] for position in range(start, end) if side.positions[position] < 0)
            for side, start, end in (
                (context.a, gap.start_a, gap.end_a),
                (context.b, gap.start_b, gap.end_b),
            )
        )
        yield Replacement(*_unaligned(context, gap), *weights)


def _is_of_words(context: PairContext, gap: Gap) -> bool:
    sides = _unaligned(context, gap)
    return all(sides) and any(all(token.kind in _WORD_KINDS for token in side) for side in sides)


def _unaligned(context: PairContext, gap: Gap) -> Sides:
    return context.a.unaligned_tokens(gap.start_a, gap.end_a), context.b.unaligned_tokens(
        gap.start_b, gap.end_b
    )


def _text_of(tokens: list[Token]) -> str:
    return " ".join(token.surface for token in tokens)[:MAX_GAP_CHARACTERS]


def _is_known(token: Token) -> bool:
    return is_in_dictionary(token.surface)


def _similarity(a: str, b: str) -> float:
    """Return 1 - the Levenshtein distance / the length of the longer text, 0..1."""
    # A web process that judges nothing must not load it.
    from rapidfuzz.distance import Levenshtein

    return Levenshtein.normalized_similarity(a, b)


def _mean(texts: list[tuple[str, str]], similarities: list[float], spellings: int) -> float:
    """Return the mean similarity, weighted by characters. A spelling counts as an equal word of usual length."""
    lengths = [len(a) + len(b) for a, b in texts]
    linked = 2 * USUAL_WORD_LENGTH * spellings
    total = sum(similarity * length for similarity, length in zip(similarities, lengths, strict=True))
    return (total + linked) / (sum(lengths) + linked)


def _score(alignment: Alignment, replaced: list[Replacement], similarities: list[float]) -> float:
    """Return the score if replaced words count as aligned by their similarity."""
    similar = list(zip(replaced, similarities, strict=True))
    weight_a = alignment.aligned_weight_a + sum(words.weight_a * similarity for words, similarity in similar)
    weight_b = alignment.aligned_weight_b + sum(words.weight_b * similarity for words, similarity in similar)
    return replace(alignment, aligned_weight_a=weight_a, aligned_weight_b=weight_b).score
