"""What a batch of one text is signed by: the same steps as of many, without the bookkeeping of where each begins."""

from __future__ import annotations

import numpy as np

from ..text.batch.mixing import constant, mix_arrays
from ..text.batch.runs import Flags, Hashes, Integers
from ..text.hashing import GOLDEN
from .bag import MOST, shifted
from .neardup_keys import ALL_UP_TO, GRAM
from .neardup_keys import MOST as MOST_GRAMS
from .passages_batch import LAST
from .sketch_batch import EMPTY, factors_of, rounds_of, slots_of

THROWS = 7
_HALF, _ODD = constant(32), constant(GOLDEN)


def sketch_of(hashes: Hashes, slots: int) -> Hashes:
    """`similarity_sketch.sketch` of one set that is not empty: uint64[slots].

    So many rounds at once that a slot is seldom left empty: the least value tells the earliest round as well.
    """
    factors, tags = factors_of(slots)[:, None], rounds_of(slots)
    members, number, throws = (hashes >> _HALF).astype(np.uint32), 0, THROWS * slots
    found = np.full(slots, EMPTY)
    while True:
        end = number + 1 + throws // len(members)
        thrown = factors[number:end] * members
        places = slots_of(thrown, slots)
        if end > slots:
            late = max(number, slots)
            places[late - number :] = np.arange(late - slots, number + len(thrown) - slots)[:, None]
        values = tags[number:end] | thrown
        np.minimum.at(found, places.reshape(-1).astype(np.intp), values.reshape(-1))
        if found.max() != EMPTY:
            return found
        number, throws = end, 2 * throws


def passage_grams_of(hashes: Hashes, stop: Flags, window: int) -> Hashes:
    """`neardup_keys.passage_grams` of one text; some may repeat."""
    count = len(hashes) - GRAM + 1
    if count < 1:
        return hashes[:0]
    grams = mix_arrays(*(hashes[step : step + count] for step in range(GRAM)))
    alone = stop[:count] & stop[1 : count + 1] & stop[2:]
    many = count > ALL_UP_TO and _number_of(grams) > ALL_UP_TO
    grams[alone] = LAST
    if many:
        grams = _least_of_windows(grams, window)
    kept: Hashes = grams[grams != LAST]
    return kept


def _number_of(values: Hashes) -> int:
    """How many are distinct."""
    values = values.copy()
    values.sort()
    return 1 + int(np.count_nonzero(values[1:] != values[:-1]))


def _least_of_windows(values: Hashes, window: int) -> Hashes:
    """The least of every window, of equal neighbours one."""
    while 2 * len(values) > MOST_GRAMS * (window + 1):
        window *= 2
    window, size = min(window, len(values)), 1
    while size < window:
        step = min(size, window - size)
        values = np.minimum(values[:-step], values[step:])
        size += step
    fresh = np.empty(len(values), np.bool_)
    fresh[0] = True
    np.not_equal(values[1:], values[:-1], fresh[1:])
    return values[fresh]


def distinct_of(values: Hashes) -> Hashes:
    """Sorted, in place, each value once."""
    values.sort()
    equal = values[1:] == values[:-1]
    return np.delete(values, equal.nonzero()[0]) if np.count_nonzero(equal) else values


def bag_of(hashes: Hashes) -> bytes:
    """`bag.pack_bag` of one text."""
    words = hashes.copy()
    words.sort()
    equal = words[1:] == words[:-1]
    if np.count_nonzero(equal):
        words[1:] += _numbers_in_runs(equal).view(np.uint64) * _ODD
    members = (words >> _HALF).astype("<u4")
    members.sort()
    return bytes(4) + members.tobytes() if len(members) <= MOST else shifted(members.tolist())


def _numbers_in_runs(equal: Flags) -> Integers:
    """Of every place how many flags in a row end there."""
    numbers = equal.cumsum(dtype=np.int64)
    return numbers - np.maximum.accumulate(numbers * ~equal)
