"""The runs of letters of a text and their hashes."""

from __future__ import annotations

import hashlib
import threading
from typing import NamedTuple

import numpy as np

from .characters import FIRST_LETTER, Alphabet, Bytes, Points, points_of
from .runs import fixed, where
from .table import Hashes, Places

SLICE = 1 << 15
WINDOW = 8
LONGEST_WORD = 64
"""Longer words are read as pieces."""

# Which bytes of a window belong to a word of which so many are left.
_MASKS = np.array([(1 << 8 * size) - 1 for size in range(WINDOW + 1)], np.uint64)
_SHIFT, _HALF = fixed(29, np.uint64), fixed(32, np.uint64)
_0, _1, _WINDOW = (fixed(value, np.int64) for value in (0, 1, WINDOW))
_FIRST_LETTER = fixed(FIRST_LETTER, np.uint8)


class Scratch(threading.local):
    """Arrays as long as a block or a slice, used again for each: fresh memory costs more than what is done in it."""

    def __init__(self, block: int) -> None:
        self.bytes = np.zeros(block + WINDOW, np.uint8)
        self.flags = np.empty(block, bool)
        self.shifted = np.empty(block, np.uint8)
        self.codes = np.empty(SLICE, np.intp)


class Words(NamedTuple):
    """Where words start and end, and their hashes, none of which is 0."""

    starts: Places
    ends: Places
    hashes: Hashes


class Mixer:
    """Hashes of words: 64 bits from eight letters and eight more, with random odd numbers.

    Words of up to eight letters never share one: each step can be undone."""

    def __init__(self, seed: bytes) -> None:
        data = hashlib.blake2b(seed, digest_size=24, person=b"mixer").digest()
        factors = np.frombuffer(data, np.uint64) | np.uint64(1)
        self._first, self._next, self._chain = (fixed(factor, np.uint64) for factor in factors.tolist())

    def hashes(self, windows: Hashes, starts: Places, lengths: Places) -> Hashes:
        """Of words at some places; ``windows``: the eight bytes from each place on."""
        hashes = self._taken(windows, starts, lengths, self._first)
        hashes ^= hashes >> _HALF
        longer = where(lengths > _WINDOW)
        done = WINDOW
        while len(longer) and done <= LONGEST_WORD:
            left = lengths.take(longer) - done
            mixed = self._taken(windows, starts.take(longer) + done, left, self._next)
            mixed ^= hashes.take(longer)
            mixed *= self._chain
            mixed ^= mixed >> _HALF
            hashes[longer] = mixed
            longer, done = longer[left > WINDOW], done + WINDOW
        if np.count_nonzero(hashes) < len(hashes):
            hashes[hashes == 0] = 1
        return hashes

    def _taken(self, windows: Hashes, places: Places, left: Places, factor: Hashes) -> Hashes:
        taken = windows[places]
        taken &= _MASKS.take(left, mode="clip")
        taken ^= taken >> _SHIFT
        taken *= factor
        return taken


def characters_of(text: str, alphabet: Alphabet, scratch: Scratch) -> tuple[Points, Bytes]:
    """The code points of a text, and their bytes, good until ``scratch`` is used again."""
    points = points_of(text)
    found = scratch.bytes[: len(text)]
    for start in range(0, len(text), SLICE):
        part = points[start : start + SLICE]
        codes = scratch.codes[: len(part)]
        codes[:] = part
        alphabet.classify(codes, found[start : start + SLICE])
    return points, found


def others_of(found: Bytes, scratch: Scratch) -> Places:
    """Places of what is no letter, in a text as ``characters_of`` left it."""
    return where(np.less(found, _FIRST_LETTER, out=scratch.flags[: len(found)]))


def read_words(others: Places, size: int, mixer: Mixer, scratch: Scratch) -> Words:
    """Words of a text of ``size`` characters, as ``characters_of`` left it, that begins and ends with a blank; they
    stand between those that are no letters."""
    lengths = others[1:] - others[:-1]
    lengths -= _1
    before = where(lengths != _0)
    lengths = lengths.take(before)
    starts = others.take(before)
    starts += _1
    windows: Hashes = np.ndarray((size,), np.uint64, scratch.bytes.data, strides=(1,))
    return Words(starts, starts + lengths, mixer.hashes(windows, starts, lengths))
