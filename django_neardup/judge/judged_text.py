"""One of two judged texts: its words, where they are aligned, its clauses, and the words that never decide."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

from ..text.alignment.gaps import unaligned_runs
from ..text.canonical_text import CanonicalText
from ..text.tokens.stopwords import STOP_WORDS
from ..text.tokens.tokenize import Token
from ..text.word_lists import word_set
from .word_sets import ITEM_TERMS, OFFER_TERMS, PART_WORDS, deals_in, words_and_phrases

GREETINGS = word_set(
    """
    день вечер утро сутки друг господин дама внимание привет hello hi dear
    """
)
MAX_LETTERS_OF_PART = 2
MAX_TITLE_WORDS = 8
MAX_ITEM_CLAUSE_WITH_VERB = 5
MAX_UNTITLED_WORDS = 20
MAX_TERM_CLAUSE_WORDS = 4
CLAUSE_SIGN = re.compile(r"[,;:.!?…\n()—–•|]|(?<=\s)-(?=\s)")
LIST_SIGN = re.compile(r"[,;:.!?…\n()•|]")


def names_item(token: Token) -> bool:
    """Return whether a word may name the item: a noun that is no greeting and no deal, a Latin word or a code."""
    if token.key in GREETINGS or token.key in STOP_WORDS or deals_in((token.key, token.surface)):
        return False
    return token.kind in ("latin", "code") or token.pos == "NOUN" or (token.kind == "word" and not token.pos)


def _qualifies(token: Token) -> bool:
    return token.kind in ("number", "code", "measure", "latin") or token.pos in ("ADJF", "PRTF", "NUMR")


class JudgedText:
    """A text and the positions of its words in the other text (-1 for a word without a counterpart)."""

    def __init__(self, text: CanonicalText, positions: Sequence[int]) -> None:
        self.text, self.positions = text, positions
        self.tokens: Sequence[Token] = text.tokens
        self._words: dict[tuple[int, int], frozenset[str]] = {}

    def __len__(self) -> int:
        return len(self.positions)

    @cached_property
    def forms(self) -> frozenset[str]:
        """The words of the text, as written and as compared."""
        return frozenset([token.key for token in self.tokens]).union([token.surface for token in self.tokens])

    @cached_property
    def title_end(self) -> int:
        """The number of words of a first line or sentence that is short enough for a title.

        It is 0 if there is no such line or sentence, or if the whole text is short.
        """
        if not self.text.sentences or len(self) <= MAX_UNTITLED_WORDS:
            return 0
        end = self.text.sentences[0][1]
        return end if end <= MAX_TITLE_WORDS else 0

    @cached_property
    def sentence_edges(self) -> frozenset[int]:
        """Positions at which sentences begin and end."""
        return frozenset({0} | {end for _, end in self.text.sentences})

    def signs_before(self, position: int) -> str:
        """Return the characters between a word and the word before it."""
        start = self.tokens[position - 1].end if position else 0
        end = self.tokens[position].start if position < len(self.tokens) else len(self.text.raw)
        return self.text.raw[start:end]

    @cached_property
    def clause_starts(self) -> tuple[int, ...]:
        """Positions at which clauses begin: behind a comma, a dash, a bracket or the end of a sentence."""
        edges, raw, tokens = self.sentence_edges, self.text.raw, self.tokens
        starts, end = [0], tokens[0].end if tokens else 0
        for position in range(1, len(tokens)):
            token = tokens[position]
            signs = raw[end : token.start]
            # Most words are parted by a blank.
            if position in edges or (signs != " " and CLAUSE_SIGN.search(signs)):
                starts.append(position)
            end = token.end
        return tuple(starts)

    @cached_property
    def item_clause(self) -> tuple[int, int]:
        """The range of the clause that names the item: the first one with a noun, a Latin word or a code."""
        ends = (*self.clause_starts[1:], len(self.tokens))
        for start, end in zip(self.clause_starts, ends, strict=True):
            if any(names_item(token) for token in self.tokens[start:end]):
                return start, end
        return 0, len(self.tokens)

    @cached_property
    def item_phrase(self) -> tuple[int, int]:
        """The range of the words that name the item: the head noun with the nouns, adjectives and models beside it."""
        first, last = self.item_clause
        # The item stands behind the deal, if that is named: в компанию «Маяк» требуется водитель.
        first = next((x + 1 for x in reversed(range(first, last - 1)) if self._names_deal(x)), first)
        start = next((x for x in range(first, last) if names_item(self.tokens[x])), first)
        end = start
        while start > first and self.tokens[start - 1].pos in ("ADJF", "PRTF", "NUMR"):
            start -= 1
        while end < last and (names_item(self.tokens[end]) or _qualifies(self.tokens[end])):
            end += 1
        return start, end

    def _names_deal(self, position: int) -> bool:
        token, following = self.tokens[position], self.tokens[position + 1]
        return bool(deals_in((token.key, token.surface, f"{token.surface}_{following.surface}")))

    @cached_property
    def has_item_clause(self) -> bool:
        """Whether the clause of the item only names it: it is short, or has no verb but that of the deal."""
        start, end = self.item_clause
        return end - start <= MAX_ITEM_CLAUSE_WITH_VERB or not any(
            token.pos == "VERB" and not deals_in((token.key, token.surface))
            for token in self.tokens[start:end]
        )

    @cached_property
    def term_positions(self) -> frozenset[int]:
        """Positions of words in terms of the deal: торг уместен, звонить до 22.

        A window goes from a word of ``OFFER_TERMS`` to the end of the clause. A short clause is a window as a
        whole. The first clause names the item, so it has windows only behind the word.
        """
        if OFFER_TERMS.isdisjoint(self.forms):
            return frozenset()
        positions: set[int] = set()
        ends = (*self.clause_starts[1:], len(self.tokens))
        for start, end in zip(self.clause_starts, ends, strict=True):
            terms = OFFER_TERMS if start else OFFER_TERMS - ITEM_TERMS
            trigger = next((index for index in range(start, end) if self.has_key_in(index, terms)), None)
            if not trigger:
                continue
            is_window = start > 0 and end - start <= MAX_TERM_CLAUSE_WORDS
            positions.update(range(start if is_window else trigger, end))
        return frozenset(positions)

    def has_key_in(self, position: int, words: frozenset[str]) -> bool:
        """Return whether a word, as written or as compared, is one of the words."""
        token = self.tokens[position]
        return token.key in words or token.surface in words

    @cached_property
    def unaligned_positions(self) -> tuple[int, ...]:
        """Positions of the words that have no counterpart in the other text, in order."""
        return tuple([position for run in unaligned_runs(self.positions) for position in range(*run)])

    @cached_property
    def unaligned_keys(self) -> frozenset[str]:
        """Keys of the words that have no counterpart in the other text."""
        return frozenset([self.tokens[position].key for position in self.unaligned_positions])

    def are_whole_sentences(self, start: int, end: int) -> bool:
        """Return whether the words are one or more whole sentences."""
        return start < end and start in self.sentence_edges and end in self.sentence_edges

    def has_sentence_end_inside(self, start: int, end: int) -> bool:
        """Return whether a sentence ends inside the range."""
        return not self.sentence_edges.isdisjoint(range(start + 1, end))

    def is_letter_of_part(self, start: int, end: int) -> bool:
        """Return whether the range is a letter, or two, that name a size, a category or a part.

        They are capital letters, or stand behind a word such as "сторона".
        """
        if end - start != 1 or len(self.tokens[start].surface) > MAX_LETTERS_OF_PART:
            return False
        is_capital = self.text.raw[self.tokens[start].start : self.tokens[start].end].isupper()
        return is_capital or (start > 0 and self.has_key_in(start - 1, PART_WORDS))

    def unaligned_tokens(self, start: int, end: int) -> list[Token]:
        """Return the words of the range that have no counterpart in the other text."""
        return [self.tokens[position] for position in range(start, end) if self.positions[position] < 0]

    def words_in(self, start: int, end: int) -> frozenset[str]:
        """Return the words and phrases of a range, see ``word_sets.words_and_phrases``."""
        words = self._words.get((start, end))
        if words is None:
            words = self._words[start, end] = words_and_phrases(self.tokens, start, end)
        return words

    def keys_around(self, start: int, end: int, before: int, after: int) -> set[str]:
        """Return keys and surfaces of the words around a range, and the pairs of neighbours as phrases."""
        first, last = max(0, start - before), min(len(self.tokens), end + after)
        around = (*self.tokens[first:start], *self.tokens[end:last])
        phrases = {f"{a.surface}_{b.surface}" for a, b in pairwise(self.tokens[first:last])}
        return {token.key for token in around} | {token.surface for token in around} | phrases
