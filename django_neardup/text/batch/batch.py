"""What ``read_batch`` returns."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ..canonical_text import CanonicalText
from ..hashing import digest
from ..tokens.synonyms import Synonyms
from .context import STOPPED
from .lexical import BARE, Piece
from .runs import fixed, lengths_of, offsets_of, where
from .table import Hashes, Marks

_STOPPED, _NO_CONTENT = fixed(STOPPED, np.uint8), fixed(STOPPED | BARE, np.uint8)

Flags = NDArray[np.bool_]
Integers = NDArray[np.int64]


class Reading:
    """How texts are read: the arguments of ``Document`` besides the text."""

    def __init__(self, language: str, quotes: str, secret: bytes, synonyms: Synonyms | None) -> None:
        if quotes not in ("keep", "drop"):
            raise ValueError("quotes is 'keep' or 'drop'")
        self.language, self.quotes, self.secret, self.synonyms = language, quotes, secret, synonyms

    def document(self, text: str) -> CanonicalText:
        return CanonicalText(
            text, language=self.language, quotes=self.quotes, secret=self.secret, synonyms=self.synonyms
        )


class Batch:
    """Texts canonised side by side, each as ``Document`` makes it.

    ``texts``: as they were given; ``hashes``: uint64, tokens of all texts one after another; ``offsets``: int64[n + 1],
    text ``i`` has the tokens ``offsets[i]:offsets[i + 1]``; ``lengths``: int64[n], tokens of each; ``stop``: bool, for
    each token whether it is a stop word; ``truncated``: bool[n].  ``len()`` is the number of texts.
    """

    def __init__(
        self,
        texts: Sequence[str],
        reading: Reading,
        hashes: Hashes,
        marks: Marks,
        lengths: Integers,
        pieces: dict[int, list[Piece]],
        documents: dict[int, CanonicalText],
        plain: dict[int, str],
    ) -> None:
        self.texts = texts
        self.hashes = hashes
        self.lengths = lengths
        self.offsets = offsets_of(lengths)
        self.stop: Flags = (marks & _STOPPED).view(np.bool_)
        self._marks = marks
        self._reading, self._pieces, self._documents, self._plain = reading, pieces, documents, plain

    def __len__(self) -> int:
        return len(self.texts)

    def document(self, i: int) -> CanonicalText:
        """The plain document of a text, made when first asked for."""
        found = self._documents.get(i)
        if found is None:
            found = self._documents[i] = self._reading.document(self.texts[i])
        return found

    def plain(self, i: int) -> str:
        """What a reader sees of a text, as ``plain_text`` finds it; after ``forget`` the text as it was given."""
        return self._plain.get(i, self.texts[i])

    def forget(self) -> None:
        """Let the documents go, to save memory: they are made anew when asked for. Those that were cut stay."""
        self._plain = {}
        self._documents = {i: each for i, each in self._documents.items() if each.truncated}

    @cached_property
    def content(self) -> Flags:
        """bool: of each token whether it is neither a stop word nor a price nor a contact."""
        content: Flags = (self._marks & _NO_CONTENT) == 0
        return content

    @cached_property
    def truncated(self) -> Flags:
        cut = np.zeros(len(self), bool)
        for i, document in self._documents.items():
            cut[i] = document.truncated
        return cut

    @cached_property
    def content_words(self) -> Integers:
        """int64[n]: tokens of each text that are not stop words."""
        return self.lengths - lengths_of(where(self.stop).searchsorted(self.offsets))

    def exact(self, i: int) -> bytes:
        """16-byte keyed digest of the hashes of a text."""
        return self.exacts[i]

    @cached_property
    def exacts(self) -> list[bytes]:
        """``exact`` of every text."""
        data, places = self.hashes.astype("<u8", copy=False).tobytes(), (8 * self.offsets).tolist()
        secret = self._reading.secret
        return [digest([data[start:end]], secret) for start, end in pairwise(places)]

    def codes(self, i: int) -> frozenset[str]:
        """Canonical codes of a text."""
        return frozenset(code for piece in self._pieces.get(i, ()) for code in piece.codes)

    def contacts(self, i: int) -> tuple[str, ...]:
        """Canonical contacts of a text, each once, in order."""
        return tuple(
            dict.fromkeys(contact for piece in self._pieces.get(i, ()) for contact in piece.contacts)
        )
