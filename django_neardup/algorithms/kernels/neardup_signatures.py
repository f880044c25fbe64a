"""Keys of the default scheme for a batch of texts. ``neardup_keys``, for one text, is the definition."""

from __future__ import annotations

from functools import partial

import numpy as np

from ...text.hashing import mix
from ..default.neardup_keys import EXACT_SEED, GRAM_SEED, PAIR_SEED, SHORT_TEXT_WORDS, WORD_SET_SEED
from .bags import pack_bags
from .hash_mixing import mix_arrays, mix_runs
from .passages import passage_grams
from .ragged import Hashes, Integers, distinct, flagged, joined, lengths_of, offsets_of
from .signatures import Signatures, TokenArrays
from .single_text import pack_bag_array, passage_grams_of, sort_distinct

HashRuns = tuple[Hashes, Integers]


def sign_batch(batch: TokenArrays, window: int) -> Signatures:
    """Return the keys and payloads of the texts of a batch."""
    if len(batch) == 1:
        keys = _keys_of_one(batch, window)
        return Signatures(keys, np.array([0, len(keys)], np.int64), [pack_bag_array(batch.hashes)])
    return Signatures.sign_in_parts(batch, partial(_sign_many, window=window))


def _sign_many(batch: TokenArrays, window: int) -> Signatures:
    return Signatures(*keys_many(batch, window), pack_bags(batch.hashes, batch.offsets))


def _keys_of_one(batch: TokenArrays, window: int) -> Hashes:
    """Return ``neardup_keys`` of the only text of the batch."""
    hashes, stop = batch.hashes, batch.stop
    if np.count_nonzero(stop) == len(stop):
        return hashes[:0]
    parts = [mix_arrays(passage_grams_of(hashes, stop, window), seed=GRAM_SEED)]
    others = [mix(int.from_bytes(batch.exacts[0][:8], "big"), seed=EXACT_SEED)]
    if len(hashes) <= SHORT_TEXT_WORDS and len(words := hashes[batch.content]):
        first_words, second_words = words[:-1], words[1:]
        parts.append(
            mix_arrays(
                np.minimum(first_words, second_words), np.maximum(first_words, second_words), seed=PAIR_SEED
            )
        )
        others.append(mix(*sort_distinct(words).tolist(), seed=WORD_SET_SEED))
    return sort_distinct(np.concatenate([*parts, np.array(others, np.uint64)]))


def keys_many(batch: TokenArrays, window: int) -> HashRuns:
    """Return ``neardup_keys`` of every text, one after another, and their offsets."""
    grams, offsets = passage_grams(batch, window)
    words, bounds = _words_of_short_texts(batch)
    has_words = lengths_of(flagged(~batch.stop, batch.offsets)[1]) > 0
    return distinct(
        *joined(
            (mix_arrays(grams, seed=GRAM_SEED), offsets),
            _pair_keys(words, bounds),
            _word_set_keys(words, bounds),
            (exact_keys(batch)[has_words], offsets_of(has_words)),
        )
    )


def exact_keys(batch: TokenArrays) -> Hashes:
    """Return ``exact_key`` of every text: uint64, one per text."""
    halves = np.frombuffer(b"".join(batch.exacts), ">u8")
    return mix_arrays(halves[::2].astype(np.uint64), seed=EXACT_SEED)


def _words_of_short_texts(batch: TokenArrays) -> HashRuns:
    """Return the hashes of the content words of the short texts, in order, and their offsets."""
    is_short = (batch.lengths <= SHORT_TEXT_WORDS).repeat(batch.lengths)
    positions, offsets = flagged(batch.content & is_short, batch.offsets)
    return batch.hashes[positions], offsets


def _pair_keys(words: Hashes, offsets: Integers) -> HashRuns:
    """Return a key for every two adjacent words, in any order."""
    has_next = np.ones(len(words), np.bool_)
    has_next[offsets[1:][lengths_of(offsets) > 0] - 1] = False
    positions, bounds = flagged(has_next, offsets)
    first_words, second_words = words[positions], words[positions + 1]
    return mix_arrays(
        np.minimum(first_words, second_words), np.maximum(first_words, second_words), seed=PAIR_SEED
    ), bounds


def _word_set_keys(words: Hashes, offsets: Integers) -> HashRuns:
    """Return a key for the set of words of every text that has any."""
    members, bounds = distinct(words, offsets)
    sizes = lengths_of(bounds)
    return mix_runs(members, offsets_of(sizes[sizes > 0]), seed=WORD_SET_SEED), offsets_of(sizes > 0)
