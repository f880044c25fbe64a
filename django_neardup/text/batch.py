"""The reader's results for many texts, as arrays: the input of the signing kernels."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from itertools import accumulate, repeat
from typing import TypedDict

import numpy as np
from numpy.typing import NDArray

from .canonical_text import CanonicalText
from .chunk_cache import BARE, RECORD, STOPPED
from .tokens.synonyms import Synonyms

Flags = NDArray[np.bool_]
Hashes = NDArray[np.uint64]
Integers = NDArray[np.int64]

_RECORD = np.dtype([("hash", "<u8"), ("marks", "u1")])  # chunk_cache.RECORD
# Arrays without dimensions: with a short array, an operation costs half as much as with a scalar.
_STOPPED, _NO_CONTENT = np.array(STOPPED, np.uint8), np.array(STOPPED | BARE, np.uint8)


class Options(TypedDict):
    """Keyword arguments of ``CanonicalText`` that all texts of a batch share."""

    language: str
    quotes: str
    secret: bytes
    synonyms: Synonyms | None
    markup: str | None


def read_batch(
    texts: Sequence[str],
    *,
    language: str = "ru",
    quotes: str = "keep",
    secret: bytes = b"",
    synonyms: Synonyms | None = None,
    heads: Sequence[int] = (),
    markup: str | None = None,
) -> Batch:
    """Read texts side by side. The arguments are those of ``CanonicalText``.

    ``heads``: the length of each text's head. By default, no text has one.
    """
    options: Options = {
        "language": language,
        "quotes": quotes,
        "secret": secret,
        "synonyms": synonyms,
        "markup": markup,
    }
    lengths = heads or repeat(0, len(texts))
    return Batch(
        [CanonicalText(text, head=head, **options) for text, head in zip(texts, lengths, strict=True)]
    )


class Batch:
    """Texts side by side. ``len()`` is the number of texts. The values are those of ``CanonicalText``.

    - ``hashes``: uint64, the tokens of all texts one after another.
    - ``lengths``: int64[n], the number of tokens of each text.
    - ``offsets``: int64[n + 1]. Text ``i`` has the tokens ``offsets[i]:offsets[i + 1]``.
    - ``stop``: bool, whether each token is a stop word.
    """

    def __init__(self, documents: Sequence[CanonicalText]) -> None:
        self._documents = list(documents)
        data = [document.reading.data for document in documents]
        records = np.frombuffer(b"".join(data), _RECORD)
        self.hashes: Hashes = records["hash"].astype(np.uint64)
        self._marks: NDArray[np.uint8] = records["marks"]
        ends = [end // RECORD.size for end in accumulate(map(len, data), initial=0)]
        self.offsets: Integers = np.array(ends, np.int64)
        self.lengths: Integers = self.offsets[1:] - self.offsets[:-1]
        self.stop: Flags = (self._marks & _STOPPED).view(np.bool_)

    def __len__(self) -> int:
        return len(self._documents)

    @cached_property
    def content(self) -> Flags:
        """bool: whether each token is neither a stop word nor a price nor a contact."""
        content: Flags = (self._marks & _NO_CONTENT) == 0
        return content

    @cached_property
    def too_long(self) -> Flags:
        """bool[n]: whether each text is too long to be read."""
        return np.array([document.too_long for document in self._documents], np.bool_)

    @cached_property
    def content_words(self) -> Integers:
        """int64[n]: the number of tokens of each text that are not stop words."""
        stop_positions = self.stop.nonzero()[0]
        bounds = stop_positions.searchsorted(self.offsets)
        return self.lengths - (bounds[1:] - bounds[:-1])

    @cached_property
    def exacts(self) -> list[bytes]:
        """``CanonicalText.exact_digest`` of every text."""
        return [document.exact_digest for document in self._documents]

    def exact(self, i: int) -> bytes:
        """Return ``CanonicalText.exact_digest`` of text i."""
        return self.exacts[i]

    def document(self, i: int) -> CanonicalText:
        """Return the canonical text of text i."""
        return self._documents[i]

    def codes(self, i: int) -> frozenset[str]:
        """Return the canonical codes of text i."""
        return self._documents[i].codes

    def contacts(self, i: int) -> tuple[str, ...]:
        """Return the canonical contacts of text i, each once, in order."""
        return self._documents[i].contacts

    def plain(self, i: int) -> str:
        """Return text i without markup, as a person sees it."""
        return self._documents[i].plain

    def forget(self) -> None:
        """Drop the tokens of all texts to save memory. They are computed again on demand."""
        self._documents = [document.without_tokens() for document in self._documents]
