"""What a batch of one text is signed by: the same steps as of many, without the bookkeeping of where each begins."""

from __future__ import annotations

import numpy as np

from ...text.hashing import GOLDEN_RATIO_64
from ..bag_of_words import MAX_MEMBERS, pack_members
from ..default.neardup_keys import GRAM_WORDS, MAX_UNWINNOWED_GRAMS
from ..default.neardup_keys import MAX_GRAMS as MOST_GRAMS
from .hash_mixing import constant, mix_arrays
from .passages import GREATEST_HASH
from .ragged import Flags, Hashes, Integers
from .sketches import EMPTY_SLOT, round_factor_array, round_tags, slots_of

THROWS_PER_SLOT = 7
_HALF_BITS, _ODD_FACTOR = constant(32), constant(GOLDEN_RATIO_64)


def sketch_of(hashes: Hashes, slots: int) -> Hashes:
    """`similarity_sketch.sketch` of one set that is not empty: uint64[slots].

    So many rounds at once that a slot is seldom left empty: the least value tells the earliest round as well.
    """
    factors, tags = round_factor_array(slots)[:, None], round_tags(slots)
    members, number, throws = (hashes >> _HALF_BITS).astype(np.uint32), 0, THROWS_PER_SLOT * slots
    found = np.full(slots, EMPTY_SLOT)
    while True:
        end = number + 1 + throws // len(members)
        thrown = factors[number:end] * members
        places = slots_of(thrown, slots)
        if end > slots:
            late = max(number, slots)
            places[late - number :] = np.arange(late - slots, number + len(thrown) - slots)[:, None]
        values = tags[number:end] | thrown
        np.minimum.at(found, places.reshape(-1).astype(np.intp), values.reshape(-1))
        if found.max() != EMPTY_SLOT:
            return found
        number, throws = end, 2 * throws


def passage_grams_of(hashes: Hashes, stop: Flags, window: int) -> Hashes:
    """`neardup_keys.passage_grams` of one text; some may repeat."""
    count = len(hashes) - GRAM_WORDS + 1
    if count < 1:
        return hashes[:0]
    grams = mix_arrays(*(hashes[step : step + count] for step in range(GRAM_WORDS)))
    alone = stop[:count] & stop[1 : count + 1] & stop[2:]
    many = count > MAX_UNWINNOWED_GRAMS and _count_distinct(grams) > MAX_UNWINNOWED_GRAMS
    grams[alone] = GREATEST_HASH
    if many:
        grams = _window_minima(grams, window)
    kept: Hashes = grams[grams != GREATEST_HASH]
    return kept


def _count_distinct(values: Hashes) -> int:
    """How many are distinct."""
    values = values.copy()
    values.sort()
    return 1 + int(np.count_nonzero(values[1:] != values[:-1]))


def _window_minima(values: Hashes, window: int) -> Hashes:
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


def sort_distinct(values: Hashes) -> Hashes:
    """Sorted, in place, each value once."""
    values.sort()
    equal = values[1:] == values[:-1]
    return np.delete(values, equal.nonzero()[0]) if np.count_nonzero(equal) else values


def pack_bag_array(hashes: Hashes) -> bytes:
    """`bag.pack_bag` of one text."""
    words = hashes.copy()
    words.sort()
    equal = words[1:] == words[:-1]
    if np.count_nonzero(equal):
        words[1:] += _numbers_in_runs(equal).view(np.uint64) * _ODD_FACTOR
    members = (words >> _HALF_BITS).astype("<u4")
    members.sort()
    return bytes(4) + members.tobytes() if len(members) <= MAX_MEMBERS else pack_members(members.tolist())


def _numbers_in_runs(equal: Flags) -> Integers:
    """Of every place how many flags in a row end there."""
    numbers = equal.cumsum(dtype=np.int64)
    return numbers - np.maximum.accumulate(numbers * ~equal)
