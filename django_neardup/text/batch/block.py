"""One block of texts: words looked up, islands read, and both put in order."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from ..canonical_text import CYRILLIC_LANGUAGES
from .context import ADDRESS
from .islands import Chunks, chunks_of, islands_of
from .lexical import Lexical, Piece
from .memory import Memory
from .plainer import Plain
from .runs import fixed, lengths_of, where
from .scan import Scan
from .table import Hashes, Marks, Places

_2, _ADDRESS = fixed(2, np.uint8), fixed(ADDRESS, np.uint8)

Tokens = tuple[Hashes, Marks, Places]


class Block:
    """``scripts``: memories for texts that are not mostly Cyrillic, and for those that are; ``plain``: see ``Scan``;
    ``unread``: numbers of texts of which ``whole`` alone is to be asked."""

    def __init__(
        self,
        texts: Sequence[str],
        plain: Plain,
        unread: Collection[int],
        scripts: Sequence[Lexical],
        known: Memory,
    ) -> None:
        prefer = scripts[0].language.lower()[:2] in CYRILLIC_LANGUAGES
        self.scan = Scan(texts, prefer, plain, unread, known.alphabet, known.mixer, known.scratch)
        self.scripts = scripts

    def read(self, whole: Callable[[int], Piece], found: Callable[[int, Piece], None]) -> Tokens:
        """Hashes and marks of the tokens, and the number of tokens of each text.

        ``whole`` gives the piece that a text is as a whole; ``found`` is told of pieces with codes or contacts.
        """
        scan = self.scan
        chunks = chunks_of(scan)
        hashes, marks = self._words()
        if self._has_addresses(chunks, marks):
            chunks = chunks_of(scan)
        islands = islands_of(scan, chunks, marks) if len(chunks.starts) else chunks
        pieces = self._pieces(islands, whole, found)
        return _spliced(scan, islands, pieces, hashes, marks)

    def _words(self) -> tuple[Hashes, Marks]:
        """Token hashes and marks of all words, also of those that the pieces hold, which nobody asks for: to look for
        the others alone would cost more."""
        scan = self.scan
        counts = lengths_of(scan.firsts)
        scripts = {script for script, count in zip(scan.cyrillic.tolist(), counts.tolist()) if count}
        if len(scripts) == 1:
            return self.scripts[bool(scripts.pop())].words(scan.hashes, scan.spelt)
        hashes, marks = np.zeros(len(scan.hashes), np.uint64), np.zeros(len(scan.hashes), np.uint8)
        cyrillic = np.repeat(scan.cyrillic, counts)
        for script in scripts:
            places = where(cyrillic == script)
            hashes[places], marks[places] = self._look_up(script, places)
        return hashes, marks

    def _look_up(self, script: bool, places: Places) -> tuple[Hashes, Marks]:
        """The words at some places, of texts of one script."""
        scan = self.scan
        return self.scripts[script].words(scan.hashes[places], lambda few: scan.spelt(places[few]))

    def _has_addresses(self, chunks: Chunks, marks: Marks) -> bool:
        """Whether there are texts to be read as a whole for an address that no hard character shows."""
        places = where(marks & _ADDRESS)
        if len(places):
            places = places[
                chunks.last.searchsorted(places, "right") == chunks.first.searchsorted(places, "right")
            ]
            self.scan.whole[self.scan.text_of(self.scan.starts[places])] = True
        return len(places) > 0

    def _pieces(
        self, islands: Chunks, whole: Callable[[int], Piece], found: Callable[[int, Piece], None]
    ) -> list[Piece]:
        text, places = self.scan.text, islands.texts.tolist()
        written = [text[start:end] for start, end in zip(islands.starts.tolist(), islands.ends.tolist())]
        kinds = (self.scan.cyrillic + _2 * self.scan.whole).take(islands.texts).tolist()
        if len(set(kinds)) == 1 and kinds[0] < 2:
            pieces: list[Piece] = self.scripts[kinds[0]].pieces(written)
        else:
            met, read = zip(*((script.met, script.piece) for script in self.scripts))
            pieces = [
                whole(place) if kind > 1 else met[kind](piece) or read[kind](piece)
                for place, piece, kind in zip(places, written, kinds)
            ]
        for at in [at for at, piece in enumerate(pieces) if piece.codes or piece.contacts]:
            found(places[at], pieces[at])
        return pieces


def _spliced(scan: Scan, islands: Chunks, pieces: list[Piece], hashes: Hashes, marks: Marks) -> Tokens:
    """Words outside of islands and the tokens of islands, in the order of the texts."""
    lengths = lengths_of(scan.firsts)
    if not pieces:
        return hashes, marks, lengths
    parts: list[memoryview | bytes] = []
    marked: list[memoryview | bytes] = []
    end, words, seen = 0, hashes.data, marks.data
    for first, last, piece in zip(islands.first.tolist(), islands.last.tolist(), pieces):
        parts += words[end:first], piece.hashes
        marked += seen[end:first], piece.marks
        end = last
    parts.append(words[end:])
    marked.append(seen[end:])
    counts = np.fromiter(map(len, marked[1::2]), np.int64, len(pieces))
    np.add.at(lengths, islands.texts, counts - (islands.last - islands.first))
    return np.frombuffer(b"".join(parts), np.uint64), np.frombuffer(b"".join(marked), np.uint8), lengths


def tokens_of(pieces: Sequence[Piece]) -> Tokens:
    """Pieces one after another."""
    columns = list(zip(*pieces)) or [(), ()]
    hashes = np.frombuffer(b"".join(columns[0]), np.uint64)
    marks = np.frombuffer(b"".join(columns[1]), np.uint8)
    return hashes, marks, np.fromiter(map(len, columns[1]), np.int64, len(pieces))
