"""Powers of a random odd number modulo 2 ** 64, and of its inverse."""

from __future__ import annotations

import hashlib

import numpy as np

from .table import Hashes

MODULUS = 1 << 64
STEP_BITS = 2
STEP = 1 << STEP_BITS


class Powers:
    """``ascending[i]`` is the base to the power of ``i``, ``descending[i]`` its inverse."""

    def __init__(self, seed: bytes, size: int) -> None:
        base = int.from_bytes(hashlib.blake2b(seed, digest_size=8, person=b"base").digest(), "little") | 1
        self.ascending = _powers(base, size)
        self.descending = _powers(pow(base, -1, MODULUS), size)


def running_sums(values: Hashes) -> Hashes:
    """Sums of rows of ``STEP`` up to each value, in place, and what all rows before add to a row: uint64[rows].

    Half the time of one sum over all, each step of which waits for the one before.  ``values``: whole rows.
    """
    rows = values.reshape(-1, STEP)
    for column in range(1, STEP):
        rows[:, column] += rows[:, column - 1]
    before = np.zeros(len(rows), np.uint64)
    np.cumsum(rows[:-1, -1], out=before[1:])
    return before


def _powers(base: int, size: int) -> Hashes:
    powers = np.ones(size, np.uint64)
    done = 1
    while done < size:
        more = min(done, size - done)
        np.multiply(powers[:more], np.uint64(pow(base, done, MODULUS)), out=powers[done : done + more])
        done += more
    return powers
