"""Tokenizer: folded text to typed tokens, with offsets in the raw text, and to sentences."""

from __future__ import annotations

import re
from typing import NamedTuple

from ..normalization.offsets import OffsetText
from ..word_lists import word_set
from . import contacts
from .lexicon import Lexicon, LexiconEntry, LongTextLexicon, get_lexicon
from .number_words import write_in_figures
from .sentences import is_end_after_abbreviation, is_sentence_end
from .token_pattern import UNSPACED_GLYPH, Words
from .token_rules import TABLE

MAX_TOKENS = 200_000
LONG_TEXT_CHARACTERS = 20_000

TOKEN_KINDS = TABLE.kinds
PRICE_WORDS = word_set(
    "цена цену цене ценой стоимость стоимостью вартість ціна ціною прошу price cost prices asking"
)
RANGE_WORDS = word_set("до to")
DATE_RANGE_WORDS = word_set("до по to till until")
SUM_WORDS = word_set("за всего for only")
VERSION_WORDS = word_set(
    """
    версия версии version versions v ver релиз прошивка firmware гост ту снип арт артикул код размер сечение
    ubuntu debian macos ios android windows php mysql
    """
)
"""Words before a figure such as 12.04 that is not the fourth of December."""
AMOUNT_WORDS = word_set(
    "пробег пробегом накат ресурс тираж население аудитория охват около более менее свыше mileage over about"
)
"""Words before thousands that are not a price: пробег 150 тыс."""
PRICE_LINK_WORDS = word_set("от до from is в")


class Token(NamedTuple):
    """A word, number or other unit of a text. ``raw[start:end]`` is the visible form.

    - ``surface``: folded, in lower case.
    - ``key``: what is compared (lemma, stem, canonical number, code, contact).
    - ``kind``: one of ``TOKEN_KINDS``.
    - ``pos``: pymorphy's part of speech or "".
    - ``is_name``: a person, a place or a brand according to the dictionary.
    """

    surface: str
    key: str
    kind: str
    start: int
    end: int
    is_capitalized: bool = False
    pos: str = ""
    is_name: bool = False


class TokenizedText(NamedTuple):
    """Tokens, the half-open token ranges of the sentences, and whether the text is too long to be read."""

    tokens: tuple[Token, ...]
    sentences: tuple[tuple[int, int], ...]
    too_long: bool


DAY_AND_MONTH = re.compile(r"(?:0[1-9]|[12]\d|3[01])\.(?:0[1-9]|1[0-2])")
THOUSANDS = re.compile(r"тыс(?:яч[а-я]?)?\.?$|\dк$|thousand$")
ROUND_SUM, YEAR = re.compile(r"\d{2,}0"), re.compile(r"(?:19|20)\d\d")
_new_tuple = tuple.__new__


def tokenize(offset_text: OffsetText, language: str, cyrillic: bool) -> TokenizedText:
    """Return the tokens and sentences of a folded text (see ``normalize``).

    ``cyrillic``: the text's script.
    """
    return _Tokenizer(offset_text, get_lexicon(language, cyrillic)).run()


class _Tokenizer:
    def __init__(self, offset_text: OffsetText, shared_lexicon: Lexicon) -> None:
        self.offset_text = write_in_figures(
            offset_text.sub(UNSPACED_GLYPH, lambda match: f" {match.group()} ")
        )
        self.text = self.offset_text.text
        self.lowered = lower(self.text)
        self.lexicon: Words = (
            shared_lexicon if len(self.text) < LONG_TEXT_CHARACTERS else LongTextLexicon(shared_lexicon)
        )
        self.tokens: list[Token] = []
        self.sentence_ends: list[int] = []
        self.last_token_end = -1

    def run(self) -> TokenizedText:
        """Tokenize the text."""
        text, entries, tokens = self.text, self.lexicon, self.tokens
        starts, ends = self.offset_text.offset_tables() or (None, None)
        pattern = TABLE.pattern(bool(contacts.ADDRESS_HINT.search(self.lowered)), not entries.is_cyrillic)
        for match in pattern.finditer(self.lowered):
            group = match.lastgroup
            # Nearly every token is a word, so this loop has their case inline.
            if group == "word":
                start, end = match.span()
                surface, key, kind, pos, is_name = entries[match.group()]
                is_capitalized = text[start].isupper() and not text[start:end].isupper()
                self.last_token_end = end
                if starts is not None and ends is not None:
                    start, end = starts[start], ends[end - 1]
                tokens.append(
                    _new_tuple(Token, (surface, key, kind, start, end, is_capitalized, pos, is_name))
                )
            else:
                self._apply(match)
            if len(tokens) >= MAX_TOKENS:
                return TokenizedText((), (), True)
        return TokenizedText(tuple(tokens), self._sentence_ranges(), self.offset_text.too_long)

    def _add_token(self, entry: LexiconEntry, start: int, end: int) -> None:
        surface, key, kind, pos, is_name = entry
        raw_form = self.text[start:end]
        is_capitalized = raw_form[:1].isupper() and not raw_form.isupper()
        raw_start, raw_end = self.offset_text.raw_span(start, end)
        self.tokens.append(Token(surface, key, kind, raw_start, raw_end, is_capitalized, pos, is_name))

    def _apply(self, match: re.Match[str]) -> None:
        """Add the tokens that the matching rule builds, or mark the end of a sentence."""
        build = TABLE.builders[str(match.lastgroup)]
        if build is None:
            return self._mark_sentence_end(match)
        count_before = len(self.tokens)
        for entry, start, end in build(self.lexicon, match.group(), match.start()):
            if entry.kind == "price":
                self._mark_price_range()
            elif entry.kind == "date":
                self._mark_date_range()
            self._add_token(self._read_in_context(entry, end), start, end)
        self.last_token_end = match.end()
        ends_with_dot = match.group().endswith(".") and len(self.tokens) > count_before
        if ends_with_dot and is_end_after_abbreviation(self.text, match.end()):
            self.sentence_ends.append(len(self.tokens))

    def _mark_sentence_end(self, match: re.Match[str]) -> None:
        if not self.tokens or (self.sentence_ends and self.sentence_ends[-1] == len(self.tokens)):
            return
        word_before = self.tokens[-1].surface if self.last_token_end == match.start() else ""
        if is_sentence_end(self.text, match.start(), match.end(), word_before):
            self.sentence_ends.append(len(self.tokens))

    def _sentence_ranges(self) -> tuple[tuple[int, int], ...]:
        ends = [*self.sentence_ends, len(self.tokens)]
        return tuple((start, end) for start, end in zip([0, *ends], ends) if start < end)

    def _mark_price_range(self) -> None:
        """Make a price of the number in "от 5000 до" before a price."""
        if (
            len(self.tokens) > 1
            and self.tokens[-1].surface in RANGE_WORDS
            and self.tokens[-2].kind == "number"
        ):
            self.tokens[-2] = self.tokens[-2]._replace(key="¤" + self.tokens[-2].key, kind="price")

    def _mark_date_range(self) -> None:
        """Make a date of the number in "с 10 по 15 мая" before a date."""
        if (
            len(self.tokens) > 1
            and self.tokens[-1].surface in DATE_RANGE_WORDS
            and self.tokens[-2].kind == "number"
            and len(self.tokens[-2].key) <= 2
        ):
            self.tokens[-2] = self.tokens[-2]._replace(key=self.tokens[-2].key.zfill(2), kind="date")

    def _read_in_context(self, entry: LexiconEntry, end: int) -> LexiconEntry:
        """Return the entry of a number as a price or a date, if the words around it say so."""
        if entry.kind != "number" or len(entry.key) < 2:
            return entry
        if self._follows_price_word() or self._is_bare_price(entry, end):
            return entry._replace(key="¤" + entry.key, kind="price")
        if DAY_AND_MONTH.fullmatch(entry.surface) and not self._follows(VERSION_WORDS):
            return entry._replace(key=f"{entry.surface[3:]}-{entry.surface[:2]}", kind="date")
        return entry

    def _follows(self, words: frozenset[str]) -> bool:
        return bool(self.tokens) and self.tokens[-1].surface in words

    def _follows_price_word(self) -> bool:
        """Return whether a price word stands before: цена 5000, цена от 5000."""
        previous = self.tokens[-2:]
        if previous and previous[-1].surface in PRICE_LINK_WORDS:
            previous.pop()
        return bool(previous) and previous[-1].surface in PRICE_WORDS

    def _is_bare_price(self, entry: LexiconEntry, end: int) -> bool:
        """Return whether a number closes a clause: 7 тысяч, село Петрово; отдам за 700, самовывоз."""
        if self.lowered[end : end + 1] not in (",", ";", ".", "!", ")"):
            return False
        is_round = ROUND_SUM.fullmatch(entry.key) is not None and not YEAR.fullmatch(entry.key)
        return (bool(THOUSANDS.search(entry.surface)) and not self._follows(AMOUNT_WORDS)) or (
            is_round and self._follows(SUM_WORDS)
        )


def is_only_word(word: str, text: str, cyrillic: bool) -> bool:
    """Return whether this word, by the rule "word", is the only token of a folded text in lower case."""
    matches = TABLE.pattern(True, not cyrillic).finditer(text)
    tokens = [(match.lastgroup, match.group()) for match in matches if TABLE.builders[str(match.lastgroup)]]
    return tokens == [("word", word)]


def lower(text: str) -> str:
    """Return the text in lower case with its length unchanged (only İ would become longer)."""
    lowered = text.lower()
    return lowered if len(lowered) == len(text) else "".join(char.lower()[:1] for char in text)
