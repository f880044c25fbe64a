"""``read_batch``: many texts to the hashes of their tokens."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from itertools import accumulate

import numpy as np

from ..canonical_text import CanonicalText
from ..normalization.markup import ENTITY
from ..normalization.offsets import PlainText
from ..normalization.plain_text import MARKED_APOSTROPHE_SEARCHES, MAX_BYTES, plain_text
from ..tokens.synonyms import Synonyms
from ..tokens.tokenize import LONG_TEXT_CHARACTERS
from .batch import Batch, Reading
from .block import Block, Tokens, tokens_of
from .lexical import Piece, piece_of_document
from .memory import BLOCK, memory

_BEGUN = {
    "<": re.compile("<(?=[a-zA-Z/!?])").search,
    "&": ENTITY.search,
    "[": re.compile(r"\[(?=[a-zA-Z*/])").search,
    "*": re.compile(r"\*(?<=[^\W_]\*)\*{0,2}[^\W_]").search,
}
"""Literal first letters, for which a text is searched at once."""
FEW = 180  # characters that are sooner read one by one
SAMPLE = 16
"""So many texts of a batch tell whether tags are usual in it."""


def read_batch(
    texts: Sequence[str],
    *,
    language: str = "ru",
    quotes: str = "keep",
    secret: bytes = b"",
    synonyms: Synonyms | None = None,
) -> Batch:
    """Texts canonised side by side: equal to ``Document(text, …)`` of each of them, which is the definition.

    The arguments are those of ``Document``; ValueError for ``quotes`` that it does not know.  Fastest in batches of a
    hundred texts and more; a word met before costs a look-up.
    """
    return _Reader(texts, Reading(language, quotes, secret, synonyms)).batch()


class _Reader:
    def __init__(self, texts: Sequence[str], reading: Reading) -> None:
        self.texts, self.reading = texts, reading
        self.memory = memory()
        self.tagged = _tagged(texts)
        """Texts that are made plain before their block is read."""
        self.documents: dict[int, CanonicalText] = {}
        self.pieces: dict[int, list[Piece]] = {}
        self.plain: dict[int, str] = {}

    def batch(self) -> Batch:
        if sum(map(len, self.texts)) <= FEW:
            hashes, marks, lengths = self._one_by_one()
        else:
            blocks = [self._read(first, block) for first, block in self._blocks()]
            hashes, marks, lengths = blocks[0] if len(blocks) == 1 else map(np.concatenate, zip(*blocks))
        return Batch(
            self.texts, self.reading, hashes, marks, lengths, self.pieces, self.documents, self.plain
        )

    def _one_by_one(self) -> Tokens:
        pieces = []
        for place in range(len(self.texts)):
            self._plain(place)
            pieces.append(self._whole(place))
        self.pieces = {place: [piece] for place, piece in enumerate(pieces)}
        return tokens_of(pieces)

    def _blocks(self) -> Iterator[tuple[int, list[str]]]:
        """Runs of texts that are not too long together; texts too long by themselves are left empty.

        Tags and entities are dropped before a block is read, which would else be read twice."""
        texts = list(self.texts)
        for place in self.tagged:
            texts[place] = self._plain(place)
        ends = [0, *accumulate(len(text) + 1 for text in texts)]
        first = 0
        while ends[-1] - ends[first] >= BLOCK:
            last = bisect_left(ends, ends[first] + BLOCK) - 1
            yield first, texts[first:last]
            first = last
        yield first, texts[first:]

    def _plain(self, place: int) -> str:
        """The text that a reader sees, as ``plain_text`` finds it; "" of one too long."""
        raw, drop = self.texts[place], self.reading.quotes == "drop"
        text = plain_text(raw, self.reading.quotes, PlainText).text if _marked(raw, drop) else raw
        if text is not raw:
            self.plain[place] = text
        if len(text) < LONG_TEXT_CHARACTERS:
            return text
        self._whole(place)
        return ""

    def _whole(self, place: int) -> Piece:
        """The piece that a text is which the plain canoniser reads."""
        document = self.documents.get(place)
        if document is None:
            document = self.documents[place] = self.reading.document(self.texts[place])
        return piece_of_document(document)

    def _read(self, first: int, texts: list[str]) -> Tokens:
        given = self.reading
        scripts = [
            self.memory.lexical(given.language, script, given.secret, given.synonyms)
            for script in (False, True)
        ]
        unread = {place - first for place in self.documents if first <= place < first + len(texts)}

        def plain(place: int) -> str:
            if place in unread or first + place in self.tagged:
                return texts[place]
            text = self._plain(first + place)
            if first + place in self.documents:
                unread.add(place)
            return text

        block = Block(texts, plain, unread, scripts, self.memory)
        return block.read(
            lambda place: self._whole(first + place),
            lambda place, piece: self.pieces.setdefault(first + place, []).append(piece),
        )


def _tagged(texts: Sequence[str]) -> set[int]:
    """Numbers of the texts that are very long; and, where tags and entities are usual, of those that have any: to look
    for them in every text costs more than to read few texts again."""
    usual = any("<" in raw or "&" in raw for raw in texts[:: 1 + len(texts) // SAMPLE])
    return {
        place
        for place, raw in enumerate(texts)
        if len(raw) >= LONG_TEXT_CHARACTERS or (usual and ("<" in raw or "&" in raw))
    }


def _marked(raw: str, drop: bool) -> bool:
    """Whether ``plain_text`` may change a text."""
    return (
        len(raw) * 4 > MAX_BYTES  # may be cut
        or any(mark in raw and begun(raw) for mark, begun in _BEGUN.items())
        or ("]" in raw and "](" in raw)
        or ("~" in raw and "~~" in raw)
        or any(mark in raw and begun(raw) for mark, begun in MARKED_APOSTROPHE_SEARCHES.items())
        or (drop and ">" in raw)
    )
