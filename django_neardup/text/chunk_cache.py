"""A cache per process that maps chunks of folded texts to the records of their tokens.

A record is the hash of a token and its marks. There is a cache for each language, script, secret and
synonyms, at most ``MAX_CACHES`` of them. Each takes at most about 32 MB for chunks and 1 MB for pieces, and half as
much for chunks if more than half of the caches are in use. With half of these sizes an index of a million posts takes
a fifth longer: their words are read again and again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from sys import getsizeof
from typing import NamedTuple

from .chunk_context import FOLLOWS, mark_before, mark_behind
from .hashing import hash_word
from .normalization.offsets import PlainText
from .tokens.lexicon import get_lexicon
from .tokens.number_words import NUMBER_WORDS
from .tokens.stopwords import STOP_WORDS
from .tokens.synonyms import WORD_KINDS, Synonyms
from .tokens.tokenize import Token, is_only_word, tokenize

STOPPED, BARE = 1, 2
"""Marks of a stop word, and of a price or a contact. ``chunk_context`` has the others."""

RECORD = Struct("<QB")
MAX_CHUNKS = 100_000
MAX_BYTES = 15 << 20
"""Maximum bytes of each of the two generations.

Common texts reach the limit of chunks first, crafted ones this limit.
"""

MAX_PIECE_BYTES = 1 << 20
MAX_CACHES = 8
MAX_KEPT_LENGTH = 100
# Per key of a dictionary of MAX_CHUNKS keys, on Python 3.11. On Python 3.10 it is some 12 bytes more.
_ENTRY_BYTES = 40

_HARD = re.compile(r"[\d+*$€£¥₽₴₸°×·÷]")
_SOFT_KINDS = frozenset(["word", "latin"])
_EDGES = '.,!?:;()"«»…'
_LETTERS = re.compile(r"[^\W\d_]{1,40}")
# A letter that may belong to a house number, and "one", which may begin a number in words.
_READ_TOGETHER = re.compile(r"[а-я][,;)]+|\W*one\W*")


class Piece(NamedTuple):
    """Records of adjacent tokens, one after another, and the codes and contacts among them."""

    data: bytes
    codes: tuple[str, ...] = ()
    contacts: tuple[str, ...] = ()


class _Generations(dict[str, "bytes | None"]):
    """A dictionary of limited size that keeps the recently used values.

    A full dictionary becomes the older generation. Values used again move back. There is no lock: if two
    threads reach the limit at once, both generations may be lost. Their chunks are then read again.
    """

    def __init__(self) -> None:
        super().__init__()
        self.older: dict[str, bytes | None] = {}
        self.size = 0

    def keep(self, key: str, value: bytes | None, is_shared: bool) -> None:
        """Store a value. ``is_shared``: another key has the same object, which is counted once."""
        size = getsizeof(key) + _ENTRY_BYTES + (0 if is_shared else getsizeof(value))
        share = _share_of_memory()
        if len(self) >= MAX_CHUNKS * share or self.size + size > MAX_BYTES * share:
            self.older = dict(self)
            self.clear()
            self.size = 0
        self.size += size
        self[key] = value


def _share_of_memory() -> float:
    """Return the share of the limits that each cache may use, 0..1."""
    return 1.0 if chunk_cache.cache_info().currsize <= MAX_CACHES // 2 else 0.5


class ChunkCache(_Generations):
    """Chunks mapped to the records of their tokens, b"" for a chunk without tokens.

    The value is None if the chunk must be read together with adjacent ones. That is the case if it has a
    figure, or if its codes and contacts are needed. ``piece`` reads such chunks.
    """

    def __init__(self, language: str, cyrillic: bool, secret: bytes, synonyms: Synonyms | None) -> None:
        super().__init__()
        self.language, self.cyrillic, self.secret, self.synonyms = language, cyrillic, secret, synonyms
        self._lexicon = get_lexicon(language, cyrillic)
        self._pieces: dict[str, Piece] = {}
        self._pieces_size = 0

    def __missing__(self, chunk: str) -> bytes | None:
        older = self.older
        records = older[chunk] if chunk in older else self._read(chunk)
        if len(chunk) <= MAX_KEPT_LENGTH:
            # A word has the record of the word with signs around it: "стол," and "стол".
            self.keep(chunk, records, records is None or self.get(chunk.strip(_EDGES)) is records)
        return records

    def _read(self, chunk: str) -> bytes | None:
        if _HARD.search(chunk) or NUMBER_WORDS.search(chunk) or _READ_TOGETHER.fullmatch(chunk):
            return None
        word = chunk.strip(_EDGES)
        if _LETTERS.fullmatch(word) and is_only_word(word, chunk, self.cyrillic):
            return self._read_word(chunk, word)
        tokens = self.tokens(chunk)
        if not all(token.kind in _SOFT_KINDS for token in tokens):
            return None
        return self._marked(chunk, tokens) if tokens else b""

    def _read_word(self, chunk: str, word: str) -> bytes | None:
        """Read a chunk of one word and the signs around it, which are no part of the word."""
        if chunk != word:
            records = self[word]
            return records if records is None or chunk.startswith(word) else _not_following(records)
        key = self._lexicon.plain_key(word)
        if key is not None:
            return self._record(key, "word", mark_before(word) | mark_behind(word))
        entry = self._lexicon.get(word) or self._lexicon.make_entry(word)
        return self._record(entry.key, entry.kind, mark_before(word) | mark_behind(entry.surface))

    def _marked(self, chunk: str, tokens: Sequence[Token]) -> bytes:
        """Return the records of a chunk.

        The first is marked for a figure before the chunk, the last for a figure behind it.
        """
        marks = [0] * len(tokens)
        marks[0] |= mark_before(chunk)
        marks[-1] |= mark_behind(tokens[-1].surface, alone=len(tokens) == 1)
        return b"".join([self._record(token.key, token.kind, mark) for token, mark in zip(tokens, marks)])

    def _record(self, key: str, kind: str, marks: int = 0) -> bytes:
        if self.synonyms and kind in WORD_KINDS:
            key = self.synonyms.leading_key(key) or key
        if key in STOP_WORDS:
            marks |= STOPPED
        if kind in ("price", "contact"):
            marks |= BARE
        return RECORD.pack(hash_word(key, self.secret), marks)

    def tokens(self, text: str) -> Sequence[Token]:
        """Tokenize a part of a folded text."""
        return tokenize(PlainText(text), self.language, self.cyrillic).tokens

    def piece(self, text: str) -> Piece:
        """Read a figure and the chunks that may belong to it."""
        piece = self._pieces.get(text)
        if piece is None:
            piece = self.piece_of(self.tokens(text))
            if len(text) <= MAX_KEPT_LENGTH:
                self._keep_piece(text, piece)
        return piece

    def _keep_piece(self, text: str, piece: Piece) -> None:
        size = getsizeof(text) + _ENTRY_BYTES + getsizeof(piece) + getsizeof(piece.data)
        size += sum(map(getsizeof, (*piece.codes, *piece.contacts)))
        if self._pieces_size + size > MAX_PIECE_BYTES:
            self._pieces = {}
            self._pieces_size = 0
        self._pieces_size += size
        self._pieces[text] = piece

    def piece_of(self, tokens: Sequence[Token]) -> Piece:
        """Return the piece of tokens that already exist."""
        return Piece(
            b"".join([self._record(token.key, token.kind) for token in tokens]),
            tuple(token.key for token in tokens if token.kind == "code"),
            tuple(token.key for token in tokens if token.kind == "contact"),
        )


def _not_following(records: bytes) -> bytes:
    """Return a word's record without the mark for a figure before it: a sign stands between them."""
    value, marks = RECORD.unpack(records)
    return RECORD.pack(value, marks & ~FOLLOWS) if marks & FOLLOWS else records


@lru_cache(maxsize=MAX_CACHES)
def chunk_cache(language: str, cyrillic: bool, secret: bytes, synonyms: Synonyms | None) -> ChunkCache:
    """Return the cache of the process for this language, script, secret and synonyms."""
    return ChunkCache(language, cyrillic, secret, synonyms)
