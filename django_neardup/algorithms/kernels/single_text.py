"""Signing of one text: the same steps as for many, without the offsets of each."""

from __future__ import annotations

import numpy as np

from ...text.hashing import GOLDEN_RATIO_64
from ..bag_of_words import MAX_MEMBERS, pack_members
from ..default.neardup_keys import GRAM_WORDS, MAX_GRAMS, MAX_UNWINNOWED_GRAMS
from .hash_mixing import constant, mix_arrays
from .passages import GREATEST_HASH
from .ragged import Flags, Hashes, Integers
from .sketches import EMPTY_SLOT, round_factor_array, round_tags, slots_of

THROWS_PER_SLOT = 7
_HALF_BITS, _ODD_FACTOR = constant(32), constant(GOLDEN_RATIO_64)


def sketch_of(hashes: Hashes, slots: int) -> Hashes:
    """Return ``similarity_sketch.fast_similarity_sketch`` of one set that is not empty: uint64[slots]."""
    factors, tags = round_factor_array(slots)[:, None], round_tags(slots)
    # Several rounds are thrown together, so that a slot rarely stays empty.
    members, number, throws = (hashes >> _HALF_BITS).astype(np.uint32), 0, THROWS_PER_SLOT * slots
    sketch = np.full(slots, EMPTY_SLOT)
    while True:
        end = number + 1 + throws // len(members)
        thrown = factors[number:end] * members
        slot_numbers = slots_of(thrown, slots)
        if end > slots:
            late = max(number, slots)
            slot_numbers[late - number :] = np.arange(late - slots, number + len(thrown) - slots)[:, None]
        values = tags[number:end] | thrown
        # The high half of a value is its round, so the minimum belongs to the earliest round.
        np.minimum.at(sketch, slot_numbers.reshape(-1).astype(np.intp), values.reshape(-1))
        if sketch.max() != EMPTY_SLOT:
            return sketch
        number, throws = end, 2 * throws


def passage_grams_of(hashes: Hashes, stop: Flags, window: int) -> Hashes:
    """Return ``neardup_keys.passage_grams`` of one text. It may have repeats."""
    count = len(hashes) - GRAM_WORDS + 1
    if count < 1:
        return hashes[:0]
    grams = mix_arrays(*(hashes[step : step + count] for step in range(GRAM_WORDS)))
    only_stop_words = stop[:count] & stop[1 : count + 1] & stop[2:]
    has_many = count > MAX_UNWINNOWED_GRAMS and _count_distinct(grams) > MAX_UNWINNOWED_GRAMS
    grams[only_stop_words] = GREATEST_HASH
    if has_many:
        grams = _window_minima(grams, window)
    kept: Hashes = grams[grams != GREATEST_HASH]
    return kept


def _count_distinct(values: Hashes) -> int:
    """Return the number of distinct values."""
    values = values.copy()
    values.sort()
    return 1 + int(np.count_nonzero(values[1:] != values[:-1]))


def _window_minima(values: Hashes, window: int) -> Hashes:
    """Return the minimum of every window. Adjacent windows with equal minima count once."""
    while 2 * len(values) > MAX_GRAMS * (window + 1):
        window *= 2
    window, size = min(window, len(values)), 1
    while size < window:
        step = min(size, window - size)
        values = np.minimum(values[:-step], values[step:])
        size += step
    is_new = np.empty(len(values), np.bool_)
    is_new[0] = True
    np.not_equal(values[1:], values[:-1], is_new[1:])
    return values[is_new]


def sort_distinct(values: Hashes) -> Hashes:
    """Sort the values in place, and return each value once."""
    values.sort()
    is_repeated = values[1:] == values[:-1]
    return np.delete(values, is_repeated.nonzero()[0]) if np.count_nonzero(is_repeated) else values


def pack_bag_array(hashes: Hashes) -> bytes:
    """Return ``bag_of_words.pack_bag`` of one text."""
    words = hashes.copy()
    words.sort()
    is_repeated = words[1:] == words[:-1]
    if np.count_nonzero(is_repeated):
        words[1:] += _numbers_in_runs(is_repeated).view(np.uint64) * _ODD_FACTOR
    members = (words >> _HALF_BITS).astype("<u4")
    members.sort()
    return bytes(4) + members.tobytes() if len(members) <= MAX_MEMBERS else pack_members(members.tolist())


def _numbers_in_runs(equal: Flags) -> Integers:
    """Return for every position how many adjacent flags end there."""
    numbers = equal.cumsum(dtype=np.int64)
    return numbers - np.maximum.accumulate(numbers * ~equal)
