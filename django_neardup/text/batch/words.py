"""The runs of letters of a text and their hashes, slice by slice: what is at work stays in the processor's cache."""

from __future__ import annotations

import threading
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from .characters import LETTER, Alphabet, Classes, Codes
from .powers import STEP, STEP_BITS, Powers, running_sums
from .runs import where
from .table import Hashes, Places

Points = NDArray[np.uint32]

SLICE = 1 << 15
"""Characters, a little more than the longest text that is not left to the plain canoniser."""


class Scratch(threading.local):
    """Arrays as long as a block or a slice, used again for each: fresh memory costs more than what is done in it."""

    def __init__(self, block: int) -> None:
        self.classes = np.empty(block, np.uint16)
        self.masked = np.empty(block, np.uint16)
        self.flags = np.empty(block, bool)
        self.codes = np.empty(SLICE, np.intp)
        self.letters = np.empty(SLICE, bool)
        self.sums = np.empty(SLICE + STEP, np.uint64)


class Words(NamedTuple):
    """Where words start and end, and their hashes, none of which is 0."""

    starts: Places
    ends: Places
    hashes: Hashes


def characters_of(text: str, alphabet: Alphabet, scratch: Scratch) -> tuple[Points, Classes]:
    """The code points of a text, and their classes, good until ``scratch`` is used again."""
    points = np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<u4")
    classes = scratch.classes[: len(text)]
    for start in range(0, len(text), SLICE):
        part = points[start : start + SLICE]
        codes = scratch.codes[: len(part)]
        codes[:] = part
        alphabet.classify(codes, classes[start : start + SLICE])
    return points, classes


def read_words(
    points: Points,
    classes: Classes,
    cuts: Sequence[int],
    alphabet: Alphabet,
    powers: Powers,
    scratch: Scratch,
) -> Words:
    """Words of a text that begins and ends with a line's end; ``cuts``: 0, places behind other line ends, the end."""
    found = []
    for start, end in zip([0, *(cut - 1 for cut in cuts[1:])], cuts[1:]):
        codes = scratch.codes[: end - start]
        codes[:] = points[start:end]
        found.append(_read(codes, classes[start:end], start, alphabet, powers, scratch))
    starts, ends, hashes = (np.concatenate(column) for column in zip(*found))
    return Words(starts, ends, hashes)


def _read(
    codes: Codes, classes: Classes, place: int, alphabet: Alphabet, powers: Powers, scratch: Scratch
) -> tuple[Places, Places, Hashes]:
    letters = np.bitwise_and(classes, LETTER, out=scratch.letters[: len(codes)], casting="unsafe")
    borders = where(letters[1:] != letters[:-1])
    before, last = borders[0::2].copy(), borders[1::2].copy()
    hashes = _hashes(codes, before, last, alphabet, powers, scratch)
    return before + (place + 1), last + (place + 1), hashes


def _hashes(
    codes: Codes, before: Places, last: Places, alphabet: Alphabet, powers: Powers, scratch: Scratch
) -> Hashes:
    """Polynomials of the characters behind ``before`` up to ``last``."""
    size = len(codes)
    sums = scratch.sums[: -(-size // STEP) * STEP]
    alphabet.values.take(codes, out=sums[:size], mode="clip")
    sums[:size] *= powers.ascending[:size]
    rows = running_sums(sums)
    hashes = sums.take(last)
    hashes += rows.take(last >> STEP_BITS)
    hashes -= sums.take(before)
    hashes -= rows.take(before >> STEP_BITS)
    hashes *= powers.descending.take(before)
    if not hashes.all():
        hashes[hashes == 0] = 1
    return hashes
