"""Winnowed runs of words of a batch of texts.

``neardup_keys.passage_grams``, for one text, is the definition.
"""

from __future__ import annotations

import numpy as np

from ..default.neardup_keys import GRAM_WORDS, MAX_GRAMS, MAX_UNWINNOWED_GRAMS
from .hash_mixing import constant, mix_neighbours
from .ragged import Flags, Hashes, Integers, flagged, lengths_of, places_of
from .signatures import TokenArrays

CELLS_PER_TEXT = 512
GREATEST_HASH = constant((1 << 64) - 1)


def passage_grams(batch: TokenArrays, window: int) -> tuple[Hashes, Integers]:
    """Return the grams that ``passage_grams`` chooses in every text, and their offsets.

    A text may have repeats.
    """
    grams = mix_neighbours(batch.hashes, GRAM_WORDS)
    counts = np.maximum(batch.lengths - (GRAM_WORDS - 1), 0)
    is_winnowed = _has_many_grams(grams, batch.offsets, counts)
    chosen = np.zeros(len(grams), np.bool_)
    chosen[places_of(batch.offsets[:-1][~is_winnowed], counts[~is_winnowed])] = True
    # A gram of only stop words gets the greatest value. It is removed at the end.
    np.copyto(grams, GREATEST_HASH, where=_has_only_stop_words(batch.stop))
    if is_winnowed.any():
        _winnow(grams, chosen, batch.offsets[:-1][is_winnowed], counts[is_winnowed], window)
    positions, offsets = flagged(chosen, batch.offsets)
    grams = grams.take(positions)
    kept, offsets = flagged(grams != GREATEST_HASH, offsets)
    return grams.take(kept), offsets


def _has_only_stop_words(stop: Flags) -> Flags:
    """Return whether each gram, by its first position, consists of stop words only."""
    only_stop_words = stop.copy()
    for step in range(1, GRAM_WORDS):
        only_stop_words[:-step] &= stop[step:]
    return only_stop_words


def _has_many_grams(grams: Hashes, offsets: Integers, counts: Integers) -> Flags:
    """Return which texts have over ``MAX_UNWINNOWED_GRAMS`` distinct grams.

    The grams of a text are spread over cells. If enough cells are filled, the grams are not counted.
    """
    cells = np.zeros((len(counts), CELLS_PER_TEXT), np.bool_)
    cell_numbers = np.arange(0, cells.size, CELLS_PER_TEXT, dtype=np.uint64).repeat(lengths_of(offsets))
    cell_numbers += grams & constant(CELLS_PER_TEXT - 1)
    cells.reshape(-1)[cell_numbers.view(np.int64)] = True
    has_many: Flags = counts > MAX_UNWINNOWED_GRAMS
    # Two grams of each text reach over its end: they may fill cells, but they do not count.
    unsure = has_many & (np.count_nonzero(cells, axis=1) <= MAX_UNWINNOWED_GRAMS + GRAM_WORDS - 1)
    for text in unsure.nonzero()[0].tolist():
        start = offsets[text]
        has_many[text] = len(np.unique(grams[start : start + counts[text]])) > MAX_UNWINNOWED_GRAMS
    return has_many


def _winnow(grams: Hashes, chosen: Flags, starts: Integers, counts: Integers, window: int) -> None:
    """Choose the minimum of every window of these texts.

    Flag the first position of the window, and store the minimum there. Adjacent windows with equal
    minima count once.
    """
    sizes = np.minimum(windows_for(counts, window), counts)
    minima, size = grams.copy(), 1
    for wanted_size in sorted(set(sizes.tolist())):
        widen_minima(minima, size, wanted_size)
        size, last_windows = wanted_size, np.where(sizes == wanted_size, starts + counts - wanted_size, -1)
        last_windows = np.append(last_windows, -1)  # for positions before the first text
        is_new = np.empty(len(minima) + 1, np.bool_)
        np.not_equal(minima[1:], minima[:-1], is_new[1:-1])
        is_new[starts] = True
        positions = is_new[:-1].nonzero()[0]
        positions = positions.compress(
            positions <= last_windows.take(starts.searchsorted(positions, "right") - 1)
        )
        chosen[positions] = True
        grams[positions] = minima.take(positions)


def windows_for(counts: Integers, window: int) -> Integers:
    """Return ``window_for`` of every number of grams."""
    windows = np.full(len(counts), window)
    while (is_too_small := 2 * counts > MAX_GRAMS * (windows + 1)).any():
        windows[is_too_small] *= 2
    return windows


def widen_minima(minima: Hashes, size: int, wanted_size: int) -> None:
    """Widen the minima of ``size`` values from each position to those of ``wanted_size`` values, in place.

    The last minima are of fewer values.
    """
    while size < wanted_size:
        step = min(size, wanted_size - size)
        np.minimum(minima[:-step], minima[step:], out=minima[:-step])
        size += step
