"""Boilerplate of a site: passages that texts of many authors, or many texts of one author, share.

They are counted once and frozen as a snapshot. ``rules/boilerplate.py`` knows the furniture of a page without one.
"""

from __future__ import annotations

import sys
import zlib
from array import array
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import blake2b
from itertools import groupby
from typing import TYPE_CHECKING
from weakref import WeakKeyDictionary

from ..text.canonical_text import CanonicalText
from .differences import Difference, Passage, Span, text_offsets
from .word_classes import IGNORED_CLASSES

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

FORMAT = b"neardup boilerplate 1\n"
RUN_WORDS = 6
"""Neighbouring words that are hashed together."""

MIN_WORDS = 12
"""Words of the shortest passage that counts. Shorter ones are figures of speech."""

FIGURE_CLASSES = frozenset(["code", "number", "measure", "sign"])
MAX_FIGURE_WORDS = 2
"""Words of a figure with its unit. A longer difference replaces more than the figure in it."""

HASH_BYTES = 8
MULTIPLIER = 0x9E3779B97F4A7C15
"""An odd number of 64 bits: 2**64 divided by the golden ratio."""

CACHED_WORDS = 50_000


@dataclass(frozen=True, eq=False)
class BoilerplateSnapshot:
    """The hashes of all runs of ``RUN_WORDS`` words in the boilerplate of a site.

    - ``found``: runs that were found in posts. A run of one author's boilerplate is hashed with the author.
    - ``listed``: runs of the passages that staff have listed.

    Both are ascending unsigned 64-bit numbers. No secret of a scheme is in them: a snapshot is valid under every
    scheme. One without runs is false.
    """

    found: array[int]
    listed: array[int]
    _ranges: WeakKeyDictionary[CanonicalText, dict[str, list[Span]]] = field(
        default_factory=WeakKeyDictionary, init=False, repr=False
    )
    """Ranges by author of texts in memory: a text is compared with many others."""

    @classmethod
    def from_runs(cls, found: Iterable[int] = (), listed: Iterable[int] = ()) -> BoilerplateSnapshot:
        """Return the snapshot of runs in any order."""
        return cls(array("Q", sorted(set(found))), array("Q", sorted(set(listed))))

    def __bool__(self) -> bool:
        return bool(self.found or self.listed)

    @cached_property
    def digest(self) -> str:
        """32 hexadecimal digits that name the snapshot in a scheme. It is empty for one without runs."""
        return blake2b(self._serialize(), digest_size=16).hexdigest() if self else ""

    def with_listed(self, listed: Iterable[int]) -> BoilerplateSnapshot:
        """Return the snapshot of the same found runs, and other listed ones."""
        return BoilerplateSnapshot(self.found, array("Q", sorted(set(listed))))

    def pack(self) -> bytes:
        """Return the snapshot as bytes, 8 for each run. Equal snapshots give equal bytes."""
        return FORMAT + zlib.compress(self._serialize(), 1)

    @classmethod
    def unpack(cls, data: bytes) -> BoilerplateSnapshot:
        """Return the snapshot that ``pack`` stored. Raise ValueError for any other bytes."""
        if not data.startswith(FORMAT):
            raise ValueError("these bytes are no snapshot of boilerplate")
        try:
            numbers = zlib.decompress(data[len(FORMAT) :])
        except zlib.error as error:
            raise ValueError(f"these bytes are no snapshot of boilerplate: {error}") from error
        border = HASH_BYTES * (1 + int.from_bytes(numbers[:HASH_BYTES], "little"))
        if len(numbers) % HASH_BYTES or border > len(numbers):
            raise ValueError("the snapshot of boilerplate is cut off")
        return cls(_parse(numbers[HASH_BYTES:border]), _parse(numbers[border:]))

    def find_ranges(self, text: CanonicalText, author: str = "") -> list[Span]:
        """Return the half-open ranges of words of a text that are boilerplate, in order.

        ``author``: also find the passages that many texts of this author share.
        """
        by_author = self._ranges.setdefault(text, {})
        if author not in by_author:
            by_author[author] = self._find_ranges(text, author)
        return by_author[author]

    def _find_ranges(self, text: CanonicalText, author: str) -> list[Span]:
        runs = hash_runs(text)
        are_found = _are_in(runs, self.found)
        if author:
            are_found |= _are_in(of_author(runs, author), self.found)
        are_listed = _are_in(runs, self.listed)
        # Most texts have none.
        if not (are_found.any() or are_listed.any()):
            return []
        return _join(
            [*known_ranges(are_found.tolist(), MIN_WORDS), *known_ranges(are_listed.tolist(), RUN_WORDS)]
        )

    def _serialize(self) -> bytes:
        return len(self.found).to_bytes(HASH_BYTES, "little") + _dump(self.found) + _dump(self.listed)


def hash_runs(text: CanonicalText) -> NDArray[np.uint64]:
    """Return the hash of every run of ``RUN_WORDS`` words, in order: a polynomial of the words' hashes modulo 2**64."""
    import numpy as np

    words = np.array([_WORD_HASHES[token.key] for token in text.tokens], np.uint64)
    count = max(len(words) - RUN_WORDS + 1, 0)
    runs = np.zeros(count, np.uint64)
    for offset in range(RUN_WORDS):
        runs = runs * MULTIPLIER + words[offset : offset + count]
    return runs


def of_author(runs: NDArray[np.uint64], author: str) -> NDArray[np.uint64]:
    """Return the runs hashed with an author: those of the author's own boilerplate."""
    import numpy as np

    return runs ^ np.uint64(_hash(f"{author}\n"))


def known_ranges(are_known: Iterable[bool], min_words: int) -> Iterator[Span]:
    """Yield the ranges of words whose runs are all known, of at least so many words.

    ``are_known``: for the run that begins at each word, whether it is known.
    """
    start = 0
    for is_known, group in groupby(are_known):
        end = start + len(list(group))
        if is_known and end + RUN_WORDS - 1 - start >= min_words:
            yield start, end + RUN_WORDS - 1
        start = end


def without_ranges(text: CanonicalText, ranges: Sequence[Span]) -> CanonicalText:
    """Return the text without ranges of its words."""
    raw, parts, end, head = text.raw, list[str](), 0, text.head
    for start, stop in (text_offsets(text.tokens, words) for words in ranges):
        parts.append(raw[end:start])
        if start < text.head:
            # A line break takes the place of the passage.
            head += 1 - (min(stop, text.head) - start)
        end = stop
    # The words before and after a passage do not form one sentence.
    return text.with_raw("\n".join([*parts, raw[end:]])).with_head(head)


def only_figures_differ(
    differences: Iterable[Difference], ranges_a: Sequence[Span], ranges_b: Sequence[Span]
) -> bool:
    """Return whether a figure makes another item, and no other words beside the boilerplate differ.

    One template of С140.35 and С90.30 is no footer: its items differ in what the template is about.
    """
    inside_a, inside_b = _positions(ranges_a), _positions(ranges_b)
    own = [
        difference
        for difference in differences
        if difference.kind not in IGNORED_CLASSES
        and not (
            inside_a.issuperset(range(*difference.token_range_a))
            and inside_b.issuperset(range(*difference.token_range_b))
        )
    ]
    return bool(own) and all(
        item.is_decisive
        and item.kind in FIGURE_CLASSES
        and max(end - start for start, end in (item.token_range_a, item.token_range_b)) <= MAX_FIGURE_WORDS
        for item in own
    )


def part_passages(
    a: CanonicalText,
    b: CanonicalText,
    passages: Iterable[Passage],
    ranges_a: Sequence[Span],
    ranges_b: Sequence[Span],
) -> tuple[Passage, ...]:
    """Return the passages, cut where boilerplate of both texts begins and ends, with the boilerplate marked."""
    inside_a, inside_b = _positions(ranges_a), _positions(ranges_b)
    return tuple(part for passage in passages for part in _part_passage(a, b, passage, inside_a, inside_b))


def _part_passage(
    a: CanonicalText, b: CanonicalText, passage: Passage, inside_a: frozenset[int], inside_b: frozenset[int]
) -> Iterator[Passage]:
    (start_a, end_a), (start_b, end_b) = passage.token_range_a, passage.token_range_b
    # One word may match two words of the other text. So a counterpart may be off by a word or two.
    counterparts = [
        start_b + index * (end_b - start_b) // (end_a - start_a) for index in range(end_a - start_a)
    ]
    marks = [
        position in inside_a and counterpart in inside_b
        for position, counterpart in enumerate(counterparts, start_a)
    ]
    start = 0
    for is_boilerplate, group in groupby(marks):
        end = start + len(list(group))
        range_a = start_a + start, start_a + end
        range_b = counterparts[start], counterparts[end] if end < len(counterparts) else end_b
        spans = text_offsets(a.tokens, range_a), text_offsets(b.tokens, range_b)
        yield Passage(range_a, range_b, *spans, is_boilerplate=is_boilerplate)
        start = end


def _join(ranges: Iterable[Span]) -> list[Span]:
    """Return the ranges in order. Join ranges that overlap or touch."""
    joined: list[Span] = []
    for start, end in sorted(ranges):
        if joined and start <= joined[-1][1]:
            previous = joined.pop()
            start, end = previous[0], max(end, previous[1])
        joined.append((start, end))
    return joined


def _positions(ranges: Iterable[Span]) -> frozenset[int]:
    return frozenset(position for words in ranges for position in range(*words))


def _are_in(runs: NDArray[np.uint64], numbers: array[int]) -> NDArray[np.bool_]:
    """Return whether each run is among the ascending numbers."""
    import numpy as np

    if not numbers:
        return np.zeros(len(runs), np.bool_)
    known = np.frombuffer(numbers, np.uint64)
    places = np.minimum(np.searchsorted(known, runs), len(known) - 1)
    are_known: NDArray[np.bool_] = known[places] == runs
    return are_known


def _hash(word: str) -> int:
    data = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(data, digest_size=HASH_BYTES).digest(), "little")


class _WordHashCache(dict[str, int]):
    def __missing__(self, word: str) -> int:
        value = _hash(word)
        if len(self) < CACHED_WORDS:
            self[word] = value
        return value


_WORD_HASHES = _WordHashCache()


def _dump(numbers: array[int]) -> bytes:
    return _little_endian(array("Q", numbers)).tobytes()


def _parse(data: bytes) -> array[int]:
    return _little_endian(array("Q", data))


def _little_endian(numbers: array[int]) -> array[int]:
    """Swap the bytes of the numbers on a machine of the other byte order."""
    if sys.byteorder == "big":
        numbers.byteswap()
    return numbers
