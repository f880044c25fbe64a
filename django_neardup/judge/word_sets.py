"""Word lists of the judge, read from the data files of ``text/vocabulary``.

Words are lemmas or forms, folded and in lower case. ``_`` joins the words of a phrase.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from functools import cache, lru_cache

from ..text.alignment.word_links import MAX_CACHED_WORDS, possible_lemmas
from ..text.tokens.tokenize import Token
from ..text.vocabulary import read_lines
from ..text.word_lists import word_set

MAX_PHRASE_WORDS = 4
PHRASE_CONTEXT_WORDS = 2


@cache
def words_of(name: str, group: str = "") -> frozenset[str]:
    """Return the words of a data file, or those of its lines that begin with ``group:``."""
    lines = read_lines(name)
    if group:
        lines = tuple(line.removeprefix(f"{group}:") for line in lines if line.startswith(f"{group}:"))
    return frozenset(word for line in lines for word in line.split())


OFFER_TERMS = words_of("offer_terms", "any") | words_of("offer_terms", "late")
"""Words that begin terms of the deal: звонить, торг, доставка."""

ITEM_TERMS = words_of("offer_terms", "late")
"""Words that in the first clause may name the item: доставка воды, займы под залог."""

PART_WORDS = words_of("part_words")
"""Nouns before the number or letter of a part: часть, том, сторона."""

CONJUNCTIONS = word_set("и или да й та або чи and or und oder y o et ou 和 与 や と")


class Contrasts:
    """Lines ``side | other side | …``: words of different sides of one line contradict."""

    def __init__(self, name: str) -> None:
        self._sides: dict[str, set[tuple[int, int]]] = {}
        for number, line in enumerate(read_lines(name)):
            for side, words in enumerate(line.split("|")):
                for word in words.split():
                    self._sides.setdefault(word, set()).add((number, side))

    def are_opposed(self, a: Iterable[str], b: Iterable[str]) -> bool:
        """Return whether a word of a and a word of b stand on different sides of a line.

        Words of both texts, and words on one side of a line, are no contrast.
        """
        words_a, words_b = set(a), set(b)
        sides_a = {side for word in words_a - words_b for side in self._sides.get(word, ())}
        sides_b = {side for word in words_b - words_a for side in self._sides.get(word, ())}
        if sides_a & sides_b:
            return False
        return any(
            line == other and side != opposite for line, side in sides_a for other, opposite in sides_b
        )


@cache
def contrasts(name: str) -> Contrasts:
    """Return the contrasts of a data file."""
    return Contrasts(name)


@cache
def _deal_numbers() -> dict[str, int]:
    return {word: number for number, line in enumerate(read_lines("deals")) for word in line.split()}


def deals_in(words: Iterable[str]) -> frozenset[int]:
    """Return the numbers of the deals that the words and phrases name."""
    numbers = _deal_numbers()
    return frozenset(numbers[word] for word in words if word in numbers)


@cache
def _phrase_starts() -> frozenset[str]:
    """Return the first words of all phrases of the data files."""
    lists = ("deals", "antonyms", "function_words", "qualifiers", "item_triggers", "offer_terms")
    words = (word for name in lists for word in words_of(name))
    return frozenset(word.partition("_")[0] for word in words if "_" in word)


def words_and_phrases(tokens: Sequence[Token], start: int, end: int) -> frozenset[str]:
    """Return the words of a range as written and as compared, and the phrases that hold the whole range.

    A phrase may reach two words beyond the range on both sides.
    """
    forms = [_forms(token.surface, token.key) for token in tokens[start:end]]
    return frozenset(_phrases(tokens, start, end)).union(*forms)


@lru_cache(maxsize=MAX_CACHED_WORDS)
def _forms(surface: str, key: str) -> frozenset[str]:
    # The key is the most likely lemma only: отменен is read as отменный.
    return possible_lemmas(surface) | {surface, key}


def _phrases(tokens: Sequence[Token], start: int, end: int) -> Iterator[str]:
    phrase_starts, earliest = _phrase_starts(), max(0, start - PHRASE_CONTEXT_WORDS)
    for first, token in enumerate(tokens[earliest : start + 1], earliest):
        if token.surface not in phrase_starts and token.key not in phrase_starts:
            continue
        last_end = min(len(tokens), end + PHRASE_CONTEXT_WORDS, first + MAX_PHRASE_WORDS)
        for stop in range(max(end, first + 2), last_end + 1):
            phrase = tokens[first:stop]
            yield "_".join([token.surface for token in phrase])
            yield "_".join([token.key for token in phrase])
