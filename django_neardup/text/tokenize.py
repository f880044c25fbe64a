"""Folded text to typed tokens with places in the raw text, and to sentences."""

from __future__ import annotations

import re
from typing import NamedTuple

from . import contacts
from .grammar import GLYPH, token_pattern
from .lexicon import Entry, Lexicon, LongTextLexicon, lexicon
from .lists import words
from .readers import READERS, Words
from .sentences import ends_here, trailing_end
from .traced import Traced

MAX_TOKENS = 200_000
LONG_TEXT = 20_000

KINDS = ("word", "latin", "number", "code", "measure", "price", "date", "contact", "numeral")
PRICE_WORDS = words("цена цену цене ценой стоимость стоимостью вартість ціна ціною price cost prices")
RANGE_WORDS = words("до to")
PRICE_LINKS = words("от до from is в")


class Token(NamedTuple):
    """A word or what stands for one; ``raw[start:end]`` is what the reader sees.

    ``surface``: folded, in lower case.  ``key``: what is compared (lemma, stem, canonical number, code,
    contact).  ``kind``: one of ``KINDS``.  ``pos``: pymorphy's part of speech or "".  ``name``: a person,
    a place or a brand according to the dictionary.
    """

    surface: str
    key: str
    kind: str
    start: int
    end: int
    capital: bool = False
    pos: str = ""
    name: bool = False


class Tokens(NamedTuple):
    """Tokens, the half-open ranges of tokens that are sentences, and whether the text was too long."""

    tokens: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]
    truncated: bool


_new = tuple.__new__


def tokenize(traced: Traced, language: str, cyrillic: bool) -> Tokens:
    """Tokens and sentences of a folded text (see ``normalize``); ``cyrillic``: the script of the text."""
    return _Tokenizer(traced, lexicon(language, cyrillic)).run()


class _Tokenizer:
    def __init__(self, traced: Traced, shared: Lexicon) -> None:
        self.traced = traced.sub(GLYPH, lambda match: f" {match.group()} ")
        self.text = self.traced.text
        self.lowered = _lower(self.text)
        self.words: Words = shared if len(self.text) < LONG_TEXT else LongTextLexicon(shared)
        self.tokens: list[Token] = []
        self.ends: list[int] = []
        self.last_end = -1

    def run(self) -> Tokens:
        """The loop is written out for words: nearly every token is one."""
        text, entries, tokens = self.text, self.words, self.tokens
        starts, ends = self.traced.tables() or (None, None)
        pattern = token_pattern(bool(contacts.HINT.search(self.lowered)), not entries.cyrillic)
        for match in pattern.finditer(self.lowered):
            group = match.lastgroup
            if group == "word":
                start, end = match.span()
                surface, key, kind, pos, name = entries[match.group()]
                capital = text[start].isupper() and not text[start:end].isupper()
                self.last_end = end
                if starts is not None and ends is not None:
                    start, end = starts[start], ends[end - 1]
                tokens.append(_new(Token, (surface, key, kind, start, end, capital, pos, name)))
            elif group == "end":
                self._mark_end(match)
            else:
                self._add_parts(str(group), match)
            if len(tokens) >= MAX_TOKENS:
                return Tokens(tuple(tokens), self._sentences(), True)
        return Tokens(tuple(tokens), self._sentences(), self.traced.truncated)

    def _add(self, entry: Entry, start: int, end: int) -> None:
        surface, key, kind, pos, name = entry
        written = self.text[start:end]
        capital = written[:1].isupper() and not written.isupper()
        first, last = self.traced.span(start, end)
        self.tokens.append(Token(surface, key, kind, first, last, capital, pos, name))

    def _add_parts(self, group: str, match: re.Match[str]) -> None:
        before = len(self.tokens)
        if group == "price":
            self._price_range()
        for entry, start, end in READERS[group](self.words, match.group(), match.start()):
            self._add(self._priced(entry), start, end)
        self.last_end = match.end()
        dotted = match.group().endswith(".") and len(self.tokens) > before
        if dotted and trailing_end(self.text, match.end()):
            self.ends.append(len(self.tokens))

    def _mark_end(self, match: re.Match[str]) -> None:
        if not self.tokens or (self.ends and self.ends[-1] == len(self.tokens)):
            return
        word = self.tokens[-1].surface if self.last_end == match.start() else ""
        if ends_here(self.text, match.start(), match.end(), word):
            self.ends.append(len(self.tokens))

    def _sentences(self) -> tuple[tuple[int, int], ...]:
        ends = [*self.ends, len(self.tokens)]
        return tuple((start, end) for start, end in zip([0, *ends], ends) if start < end)

    def _price_range(self) -> None:
        """Before a price "от 5000 до" is a price too."""
        if (
            len(self.tokens) > 1
            and self.tokens[-1].surface in RANGE_WORDS
            and self.tokens[-2].kind == "number"
        ):
            self.tokens[-2] = self.tokens[-2]._replace(key="¤" + self.tokens[-2].key, kind="price")

    def _priced(self, entry: Entry) -> Entry:
        """A number is a price when the words before say so: цена 5000, цена от 5000."""
        if entry.kind != "number" or len(entry.key) < 2:
            return entry
        last = self.tokens[-2:]
        if last and last[-1].surface in PRICE_LINKS:
            last.pop()
        named = bool(last) and last[-1].surface in PRICE_WORDS
        return entry._replace(key="¤" + entry.key, kind="price") if named else entry


def _lower(text: str) -> str:
    """Lower case of the same length (İ alone would grow)."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(char.lower()[:1] for char in text)
