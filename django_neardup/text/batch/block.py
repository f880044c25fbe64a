"""One block of texts: words looked up, islands read, and both put in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from ..document import CYRILLIC_LANGUAGES
from .context import ADDRESS
from .islands import Chunks, chunks_of, islands_of
from .lexical import Lexical, Piece
from .memory import Memory
from .runs import places_of
from .scan import Scan
from .table import Hashes, Marks, Places

Tokens = tuple[Hashes, Marks, Places]


class Block:
    """Texts without markup.  ``scripts``: memories for texts that are not mostly Cyrillic, and for those that are;
    ``unread``: numbers of texts of which ``whole`` alone is to be asked."""

    def __init__(
        self, texts: Sequence[str], unread: Collection[int], scripts: Sequence[Lexical], known: Memory
    ) -> None:
        prefer = scripts[0].language.lower()[:2] in CYRILLIC_LANGUAGES
        self.scan = Scan(texts, prefer, unread, known.alphabet, known.powers, known.scratch)
        self.scripts = scripts

    def read(self, whole: Callable[[int], Piece], found: Callable[[int, Piece], None]) -> Tokens:
        """Hashes and marks of the tokens, and the number of tokens of each text.

        ``whole`` gives the piece that a text is as a whole; ``found`` is told of pieces with codes or contacts.
        """
        scan = self.scan
        chunks = chunks_of(scan)
        soft = _outside(len(scan.starts), chunks)
        hashes, marks = self._words(soft)
        if self._has_addresses(marks):
            chunks = chunks_of(scan)
        islands = islands_of(scan, chunks, marks) if len(chunks.starts) else chunks
        pieces = self._pieces(islands, whole, found)
        return _spliced(scan, islands, pieces, hashes, marks)

    def _words(self, soft: Places | None) -> tuple[Hashes, Marks]:
        """Token hashes and marks of all words; 0 of those that the pieces hold."""
        scan = self.scan
        wanted = scan.hashes
        counts = np.diff(scan.firsts)
        scripts = set(scan.cyrillic[counts > 0].tolist())
        if soft is None and len(scripts) == 1:
            return self._look_up(scripts.pop(), wanted, None)
        hashes, marks = np.zeros(len(wanted), np.uint64), np.zeros(len(wanted), np.uint8)
        cyrillic = np.repeat(scan.cyrillic, counts)
        for script in scripts:
            places = np.flatnonzero(cyrillic == script) if soft is None else soft[cyrillic[soft] == script]
            hashes[places], marks[places] = self._look_up(script, wanted[places], places)
        return hashes, marks

    def _look_up(self, script: bool, wanted: Hashes, places: Places | None) -> tuple[Hashes, Marks]:
        """Words, all of them or those at some places, of texts of one script."""

        def spelt(few: Places) -> list[str]:
            return self.scan.spelt(few if places is None else places[few])

        return self.scripts[script].words(wanted, spelt)

    def _has_addresses(self, marks: Marks) -> bool:
        """Whether there are texts to be read as a whole for an address that no hard character shows."""
        places = np.flatnonzero(marks & ADDRESS)
        self.scan.whole[self.scan.text_of(self.scan.starts[places])] = True
        return len(places) > 0

    def _pieces(
        self, islands: Chunks, whole: Callable[[int], Piece], found: Callable[[int, Piece], None]
    ) -> list[Piece]:
        text, cyrillic, all_of_it = self.scan.text, self.scan.cyrillic.tolist(), self.scan.whole.tolist()
        read = [script.piece for script in self.scripts]
        pieces = []
        for start, end, place in zip(islands.starts.tolist(), islands.ends.tolist(), islands.texts.tolist()):
            piece = whole(place) if all_of_it[place] else read[cyrillic[place]](text[start:end])
            if piece.codes or piece.contacts:
                found(place, piece)
            pieces.append(piece)
        return pieces


def _outside(count: int, chunks: Chunks) -> Places | None:
    """The words that are in no chunk; None: all of them."""
    if not len(chunks.starts):
        return None
    kept = np.ones(count, bool)
    kept[places_of(chunks.first, chunks.last - chunks.first)] = False
    return np.flatnonzero(kept)


def _spliced(scan: Scan, islands: Chunks, pieces: list[Piece], hashes: Hashes, marks: Marks) -> Tokens:
    """Words outside of islands and the tokens of islands, in the order of the texts."""
    lengths = np.diff(scan.firsts)
    if not pieces:
        return hashes, marks, lengths
    kept = np.ones(len(hashes), bool)
    words = islands.last - islands.first
    kept[places_of(islands.first, words)] = False
    piece_hashes, piece_marks, counts = tokens_of(pieces)
    np.add.at(lengths, islands.texts, counts - words)
    total = int(lengths.sum())
    gone, come = np.cumsum(words) - words, np.cumsum(counts) - counts
    inside = places_of(islands.first - gone + come, counts)
    outside = np.ones(total, bool)
    outside[inside] = False
    all_hashes, all_marks = np.empty(total, np.uint64), np.empty(total, np.uint8)
    all_hashes[inside], all_marks[inside] = piece_hashes, piece_marks
    all_hashes[outside], all_marks[outside] = hashes[kept], marks[kept]
    return all_hashes, all_marks, lengths


def tokens_of(pieces: Sequence[Piece]) -> Tokens:
    """Pieces one after another."""
    hashes = np.frombuffer(b"".join([piece.hashes for piece in pieces]), np.uint64)
    marks = np.frombuffer(b"".join([piece.marks for piece in pieces]), np.uint8)
    return hashes, marks, np.fromiter((len(piece.marks) for piece in pieces), np.int64, len(pieces))
