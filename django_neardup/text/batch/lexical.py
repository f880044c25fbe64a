"""Tokens of words and of pieces of text, remembered: one memory for each language, script, secret and synonyms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple, cast

import numpy as np

from ..canonical_text import CanonicalText
from ..hashing import hash_word
from ..normalization.homoglyphs import LATIN_LETTER, fold_mixed_words
from ..normalization.normalize import normalize_piece
from ..normalization.offsets import PlainText
from ..tokens.lexicon import get_lexicon
from ..tokens.stopwords import STOP_WORDS
from ..tokens.synonyms import WORD_KINDS, Synonyms
from ..tokens.tokenize import Token, tokenize
from .context import STOPPED, marks
from .table import Hashes, Marks, Places, Table
from .words import LONGEST_WORD

BARE = 64  # a price or a contact: no content
CACHE_PIECES = 30_000
LONGEST_KEPT = 200

Spelling = Callable[[Places], list[str]]


class Piece(NamedTuple):
    """The tokens of a piece of text: their hashes as bytes, their marks (``STOPPED``, ``BARE``), what they hold."""

    hashes: bytes
    marks: bytes
    codes: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()


class Lexical:
    """Words and pieces of texts of one script, to the tokens that the plain canoniser makes of them.

    ``met``: gives what is remembered of a piece, or None.
    """

    def __init__(
        self, language: str, cyrillic: bool, secret: bytes, synonyms: Synonyms | None, table: Table
    ) -> None:
        self.language, self.cyrillic, self.secret, self.synonyms = language, cyrillic, secret, synonyms
        self.table = table
        self._lexicon = get_lexicon(language, cyrillic)
        self._pieces: dict[str, Piece] = {}
        self.met = self._pieces.get

    def words(self, hashes: Hashes, spelling: Spelling) -> tuple[Hashes, Marks]:
        """Token hashes and marks of words; ``spelling`` gives the words at some places, folded, in small letters."""
        values, found, absent = self.table.find(hashes)
        if len(absent):
            missing, first, back = np.unique(hashes[absent], return_index=True, return_inverse=True)
            new_values, new_marks = self._met(spelling(absent[first]))
            self.table.add(missing, new_values, new_marks)
            values[absent], found[absent] = new_values[back], new_marks[back]
        return values, found

    def _met(self, words: Sequence[str]) -> tuple[Hashes, Marks]:
        values, marks = np.empty(len(words), np.uint64), np.empty(len(words), np.uint8)
        plain = self._lexicon.plain_keys(words).get
        for place, word in enumerate(words):
            key = plain(word)
            token = self._token(word, word, key, "word") if key else self._word(word)
            values[place], marks[place] = token
        return values, marks

    def _word(self, word: str) -> tuple[int, int]:
        if len(word) > LONGEST_WORD:
            return 0, 0
        mixed = not word.isascii() and LATIN_LETTER.search(word)
        folded = fold_mixed_words(PlainText(word), self.cyrillic).text if mixed else word
        entry = self._lexicon.get(folded) or self._lexicon.make_entry(folded)
        return self._token(folded, entry.surface, entry.key, entry.kind)

    def _token(self, word: str, surface: str, key: str, kind: str) -> tuple[int, int]:
        if self.synonyms and kind in WORD_KINDS:
            key = self.synonyms.leading_key(key) or key
        return hash_word(key, self.secret), (STOPPED if key in STOP_WORDS else 0) | marks(word, surface)

    def pieces(self, texts: Sequence[str]) -> list[Piece]:
        """The tokens of pieces between two blanks."""
        found = list(map(self.met, texts))
        if None in found:
            return list(map(self.piece, texts))
        return cast("list[Piece]", found)

    def piece(self, text: str) -> Piece:
        """The tokens of a piece between two blanks."""
        found = self._pieces.get(text)
        if found is None:
            tokens = tokenize(normalize_piece(text, self.cyrillic), self.language, self.cyrillic)
            applied = self.synonyms.apply(tokens) if self.synonyms else tokens
            found = piece_of(applied.tokens, [hash_word(token.key, self.secret) for token in applied.tokens])
            if len(self._pieces) >= CACHE_PIECES:
                self._pieces.clear()
            if len(text) <= LONGEST_KEPT:
                self._pieces[text] = found
        return found


def piece_of(tokens: Iterable[Token], hashes: Iterable[int]) -> Piece:
    """A piece of ready tokens."""
    tokens = tuple(tokens)
    return Piece(
        np.array(tuple(hashes), np.uint64).tobytes(),
        bytes([_marks(token) for token in tokens]),
        tuple(token.key for token in tokens if token.kind == "code"),
        tuple(token.key for token in tokens if token.kind == "contact"),
    )


def _marks(token: Token) -> int:
    return (STOPPED if token.key in STOP_WORDS else 0) | (BARE if token.kind in ("price", "contact") else 0)


def piece_of_document(document: CanonicalText) -> Piece:
    """A whole text as one piece."""
    return piece_of(document.tokens, document.hashes)
