"""Keys of the default scheme for a batch of texts: `neardup_keys`, text by text, is the definition."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ..text.batch.mixing import mix_arrays, mix_runs
from ..text.batch.runs import Hashes, Integers, distinct, flagged, joined, offsets_of
from .neardup_keys import BAG, EXACT, GRAMS, PAIRS, SHORT
from .passages_batch import passage_grams

if TYPE_CHECKING:
    from ..text.batch import Batch

Runs = tuple[Hashes, Integers]


def keys_many(batch: Batch, window: int) -> Runs:
    """`neardup_keys` of every text, one after another, and their offsets."""
    grams, offsets = passage_grams(batch, window)
    words, bounds = _words_of_short_texts(batch)
    worded = np.diff(flagged(~batch.stop, batch.offsets)[1]) > 0
    return distinct(
        *joined(
            (mix_arrays(grams, seed=GRAMS), offsets),
            _pairs(words, bounds),
            _bags(words, bounds),
            (exact_keys(batch)[worded], offsets_of(worded)),
        )
    )


def exact_keys(batch: Batch) -> Hashes:
    """`exact_key` of every text: uint64, one a text."""
    halves = np.frombuffer(b"".join(batch.exacts), ">u8")
    return mix_arrays(halves[::2].astype(np.uint64), seed=EXACT)


def _words_of_short_texts(batch: Batch) -> Runs:
    """Hashes of the content words, in order, of the texts that are short, and their offsets."""
    short = np.repeat(batch.lengths <= SHORT, batch.lengths)
    places, offsets = flagged(batch.content & short, batch.offsets)
    return batch.hashes[places], offsets


def _pairs(words: Hashes, offsets: Integers) -> Runs:
    """A key for every two neighbours, in any order."""
    inner = np.ones(len(words), np.bool_)
    inner[offsets[1:][np.diff(offsets) > 0] - 1] = False
    first, bounds = flagged(inner, offsets)
    one, other = words[first], words[first + 1]
    return mix_arrays(np.minimum(one, other), np.maximum(one, other), seed=PAIRS), bounds


def _bags(words: Hashes, offsets: Integers) -> Runs:
    """A key for the set of words of every text that has any."""
    members, bounds = distinct(words, offsets)
    sizes = np.diff(bounds)
    return mix_runs(members, offsets_of(sizes[sizes > 0]), seed=BAG), offsets_of(sizes > 0)
