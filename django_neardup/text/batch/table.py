"""Hash of a word to the hash and marks of its token: open addressing in numpy arrays, in memory or in a shared file.

Readers take no lock.  Writers take turns; a slot's key is written last, so that a slot is complete or absent.  A table
that is a third full is copied into a larger one, and its old self says that it is retired.
"""

from __future__ import annotations

import threading

import numpy as np
from numpy.typing import NDArray

from .runs import fixed, where

Hashes = NDArray[np.uint64]
Marks = NDArray[np.uint8]
Places = NDArray[np.int64]

LEAST_BITS, MOST_BITS = 17, 21
FULL = 3  # a table of which more than a third is used grows
_PAIR = np.dtype("V16")
_BEHIND = np.arange(1, 5)
"""Slots behind its own where a key is looked for at once; no empty one stands before it."""
_FOLD = np.uint64(0x9E3779B97F4A7C15)


class Slots:
    """The arrays of one table of 2 ** bits slots.  ``pairs``: key and value of each, side by side, for one look at the
    memory; key 0 is an empty slot."""

    def __init__(self, pairs: Hashes, checks: NDArray[np.uint32], marks: Marks) -> None:
        self.pairs, self.checks, self.marks = pairs, checks, marks
        self.keys, self.values = pairs[0::2], pairs[1::2]
        self._together = pairs.view(_PAIR)
        self.bits = len(marks).bit_length() - 1
        self._shift = fixed(64 - self.bits, np.uint64)
        self._mask = fixed(len(marks) - 1, np.int64)

    @classmethod
    def empty(cls, bits: int) -> Slots:
        size = 1 << bits
        return cls(
            np.zeros(2 * size, np.uint64),
            np.zeros(size, np.uint32),
            np.zeros(size, np.uint8),
        )

    def find(self, wanted: Hashes) -> tuple[Hashes, Marks, Places]:
        """Values and marks of keys (none of them 0), and the places in ``wanted`` of those that are absent."""
        slots = self._home(wanted)
        pairs = self._together.take(slots, mode="clip").view(np.uint64)
        found, values = pairs[0::2], pairs[1::2].copy()
        marks = self.marks.take(slots, mode="clip")
        places = where(found != wanted)
        if not len(places):
            return values, marks, places
        absent, slots = [], slots[places]
        while len(places):
            near = (slots[:, None] + _BEHIND) & self._mask
            found = self.keys[near]
            rows, columns = (found == wanted[places][:, None]).nonzero()
            at, hits = places[rows], near[rows, columns]
            values[at], marks[at] = self.values[hits], self.marks[hits]
            if len(rows) == len(places):
                break
            ended = (found == 0).any(axis=1)
            ended[rows] = False
            absent.append(places[ended])
            ended[rows] = True
            places, slots = places[~ended], near[~ended, -1]
        return values, marks, np.concatenate(absent) if absent else places[:0]

    def add(self, keys: Hashes, values: Hashes, marks: Marks) -> int:
        """Insert distinct keys that are absent; the number of them.  There must be room."""
        left = np.arange(len(keys))
        slots = self._home(keys)
        while len(left):
            free = where(self.keys[slots] == 0)
            _, first = np.unique(slots[free], return_index=True)
            taken = free[first]
            self._write(slots[taken], keys[left[taken]], values[left[taken]], marks[left[taken]])
            waiting = np.ones(len(left), bool)
            waiting[taken] = False
            left, slots = left[waiting], (slots[waiting] + 1) & self._mask
        return len(keys)

    def held(self) -> tuple[Hashes, Hashes, Marks]:
        """Everything in the table, without order."""
        full = where(self.keys)
        return self.keys[full], self.values[full], self.marks[full]

    def sound(self) -> bool:
        """Whether every slot is what was once written."""
        keys, values, marks = self.held()
        return bool((checks_of(keys, values, marks) == self.checks[self.keys != 0]).all())

    def _home(self, keys: Hashes) -> Places:
        slots: Places = (keys >> self._shift).view(np.int64)
        return slots

    def _write(self, slots: Places, keys: Hashes, values: Hashes, marks: Marks) -> None:
        self.values[slots] = values
        self.marks[slots] = marks
        self.checks[slots] = checks_of(keys, values, marks)
        self.keys[slots] = keys


def checks_of(keys: Hashes, values: Hashes, marks: Marks) -> NDArray[np.uint32]:
    """A check sum of each slot."""
    mixed = ((keys * _FOLD) ^ values) + marks
    return ((mixed * _FOLD) >> np.uint64(32)).astype(np.uint32)


class Table:
    """A table in memory."""

    def __init__(self, bits: int = LEAST_BITS) -> None:
        self._least = bits
        self._slots = Slots.empty(bits)
        self._count = 0
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return self._count

    def find(self, wanted: Hashes) -> tuple[Hashes, Marks, Places]:
        """See ``Slots.find``."""
        return self._slots.find(wanted)

    def add(self, keys: Hashes, values: Hashes, marks: Marks) -> None:
        """Insert distinct keys; those that are there already stay as they are."""
        with self._lock:
            absent = self._slots.find(keys)[2]
            if FULL * (self._count + len(absent)) > len(self._slots.keys):
                self._slots, self._count = grown(self._slots, len(absent))
            self._count += self._slots.add(keys[absent], values[absent], marks[absent])


def grown(slots: Slots, more: int) -> tuple[Slots, int]:
    """A larger copy with room for ``more``, and how much it holds; an empty one where the copy would be too large."""
    held = slots.held()
    bits = bits_for(len(held[0]) + more)
    if bits > MOST_BITS:
        return Slots.empty(max(bits_for(more), LEAST_BITS)), 0
    larger = Slots.empty(max(bits, slots.bits))
    return larger, larger.add(*held)


def bits_for(count: int) -> int:
    """Bits of a table that is at most a sixth full."""
    return (6 * count - 1).bit_length()
