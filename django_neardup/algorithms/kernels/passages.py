"""Winnowed runs of words of a batch of texts: `neardup_keys.passage_grams`, text by text, is the definition."""

from __future__ import annotations

import numpy as np

from ..default.neardup_keys import GRAM_WORDS, MAX_GRAMS, MAX_UNWINNOWED_GRAMS
from .hash_mixing import constant, mix_neighbours
from .ragged import Flags, Hashes, Integers, flagged, lengths_of, places_of
from .signatures import TokenArrays

CELLS_PER_TEXT = 512
GREATEST_HASH = constant((1 << 64) - 1)


def passage_grams(batch: TokenArrays, window: int) -> tuple[Hashes, Integers]:
    """The grams that `passage_grams` chooses in every text, and their offsets; some may repeat in a text.

    A gram of stop words alone has the greatest value there is, which is never chosen in the end.
    """
    grams = mix_neighbours(batch.hashes, GRAM_WORDS)
    counts = np.maximum(batch.lengths - (GRAM_WORDS - 1), 0)
    winnowed = _has_many_grams(grams, batch.offsets, counts)
    chosen = np.zeros(len(grams), np.bool_)
    chosen[places_of(batch.offsets[:-1][~winnowed], counts[~winnowed])] = True
    np.copyto(grams, GREATEST_HASH, where=_has_only_stop_words(batch.stop))
    if winnowed.any():
        _winnow(grams, chosen, batch.offsets[:-1][winnowed], counts[winnowed], window)
    places, offsets = flagged(chosen, batch.offsets)
    grams = grams.take(places)
    kept, offsets = flagged(grams != GREATEST_HASH, offsets)
    return grams.take(kept), offsets


def _has_only_stop_words(stop: Flags) -> Flags:
    """Whether a gram that begins at a place is of stop words alone."""
    alone = stop.copy()
    for step in range(1, GRAM_WORDS):
        alone[:-step] &= stop[step:]
    return alone


def _has_many_grams(grams: Hashes, offsets: Integers, counts: Integers) -> Flags:
    """Which texts have more distinct grams than are all chosen: told by the cells they fall in, or counted.

    Two grams of each text reach over its end: they do not count.
    """
    cells = np.zeros((len(counts), CELLS_PER_TEXT), np.bool_)
    own = np.arange(0, cells.size, CELLS_PER_TEXT, dtype=np.uint64).repeat(lengths_of(offsets))
    own += grams & constant(CELLS_PER_TEXT - 1)
    cells.reshape(-1)[own.view(np.int64)] = True
    many: Flags = counts > MAX_UNWINNOWED_GRAMS
    unsure = many & (np.count_nonzero(cells, axis=1) <= MAX_UNWINNOWED_GRAMS + GRAM_WORDS - 1)
    for text in unsure.nonzero()[0].tolist():
        start = offsets[text]
        many[text] = len(np.unique(grams[start : start + counts[text]])) > MAX_UNWINNOWED_GRAMS
    return many


def _winnow(grams: Hashes, chosen: Flags, starts: Integers, counts: Integers, window: int) -> None:
    """Flag where windows of those texts begin, and put the least of each there, of equal neighbours once."""
    sizes = np.minimum(windows_for(counts, window), counts)
    least, size = grams.copy(), 1
    for each in sorted(set(sizes.tolist())):
        widen_minima(least, size, each)
        size, lasts = each, np.where(sizes == each, starts + counts - each, -1)
        lasts = np.append(lasts, -1)  # of what stands before the first text
        fresh = np.empty(len(least) + 1, np.bool_)
        np.not_equal(least[1:], least[:-1], fresh[1:-1])
        fresh[starts] = True
        places = fresh[:-1].nonzero()[0]
        places = places.compress(places <= lasts.take(starts.searchsorted(places, "right") - 1))
        chosen[places] = True
        grams[places] = least.take(places)


def windows_for(counts: Integers, window: int) -> Integers:
    """`window_for` of every number of grams."""
    windows = np.full(len(counts), window)
    while (large := 2 * counts > MAX_GRAMS * (windows + 1)).any():
        windows[large] *= 2
    return windows


def widen_minima(minima: Hashes, size: int, wanted_size: int) -> None:
    """From the least of the `size` values from each place on to that of `wanted`, in place; the last are of fewer."""
    while size < wanted_size:
        step = min(size, wanted_size - size)
        np.minimum(minima[:-step], minima[step:], out=minima[:-step])
        size += step
