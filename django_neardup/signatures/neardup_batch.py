"""Keys of the default scheme for a batch of texts: `neardup_keys`, text by text, is the definition."""

from __future__ import annotations

from functools import partial

import numpy as np

from ..text.batch.mixing import mix_arrays, mix_runs
from ..text.batch.runs import Hashes, Integers, distinct, flagged, joined, lengths_of, offsets_of
from ..text.hashing import mix
from .bag_batch import pack_bags
from .neardup_keys import BAG, EXACT, GRAMS, PAIRS, SHORT
from .one_text import bag_of, distinct_of, passage_grams_of
from .passages_batch import passage_grams
from .signed_batch import Signatures, Words

Runs = tuple[Hashes, Integers]


def signed(batch: Words, window: int) -> Signatures:
    """Keys and payloads of the texts of a batch."""
    if len(batch) == 1:
        keys = _keys_of_one(batch, window)
        return Signatures(keys, np.array([0, len(keys)], np.int64), [bag_of(batch.hashes)])
    return Signatures.in_parts(batch, partial(_signed_many, window=window))


def _signed_many(batch: Words, window: int) -> Signatures:
    return Signatures(*keys_many(batch, window), pack_bags(batch.hashes, batch.offsets))


def _keys_of_one(batch: Words, window: int) -> Hashes:
    """`neardup_keys` of the only text."""
    hashes, stop = batch.hashes, batch.stop
    if np.count_nonzero(stop) == len(stop):
        return hashes[:0]
    parts = [mix_arrays(passage_grams_of(hashes, stop, window), seed=GRAMS)]
    others = [mix(int.from_bytes(batch.exacts[0][:8], "big"), seed=EXACT)]
    if len(hashes) <= SHORT and len(words := hashes[batch.content]):
        one, other = words[:-1], words[1:]
        parts.append(mix_arrays(np.minimum(one, other), np.maximum(one, other), seed=PAIRS))
        others.append(mix(*distinct_of(words).tolist(), seed=BAG))
    return distinct_of(np.concatenate([*parts, np.array(others, np.uint64)]))


def keys_many(batch: Words, window: int) -> Runs:
    """`neardup_keys` of every text, one after another, and their offsets."""
    grams, offsets = passage_grams(batch, window)
    words, bounds = _words_of_short_texts(batch)
    worded = lengths_of(flagged(~batch.stop, batch.offsets)[1]) > 0
    return distinct(
        *joined(
            (mix_arrays(grams, seed=GRAMS), offsets),
            _pairs(words, bounds),
            _bags(words, bounds),
            (exact_keys(batch)[worded], offsets_of(worded)),
        )
    )


def exact_keys(batch: Words) -> Hashes:
    """`exact_key` of every text: uint64, one a text."""
    halves = np.frombuffer(b"".join(batch.exacts), ">u8")
    return mix_arrays(halves[::2].astype(np.uint64), seed=EXACT)


def _words_of_short_texts(batch: Words) -> Runs:
    """Hashes of the content words, in order, of the texts that are short, and their offsets."""
    short = (batch.lengths <= SHORT).repeat(batch.lengths)
    places, offsets = flagged(batch.content & short, batch.offsets)
    return batch.hashes[places], offsets


def _pairs(words: Hashes, offsets: Integers) -> Runs:
    """A key for every two neighbours, in any order."""
    inner = np.ones(len(words), np.bool_)
    inner[offsets[1:][lengths_of(offsets) > 0] - 1] = False
    first, bounds = flagged(inner, offsets)
    one, other = words[first], words[first + 1]
    return mix_arrays(np.minimum(one, other), np.maximum(one, other), seed=PAIRS), bounds


def _bags(words: Hashes, offsets: Integers) -> Runs:
    """A key for the set of words of every text that has any."""
    members, bounds = distinct(words, offsets)
    sizes = lengths_of(bounds)
    return mix_runs(members, offsets_of(sizes[sizes > 0]), seed=BAG), offsets_of(sizes > 0)
