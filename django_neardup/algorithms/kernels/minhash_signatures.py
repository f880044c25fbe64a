"""``minhash-lsh`` for a batch of texts. ``keys``, ``payload`` and ``screen`` of ``MinHashLSH`` are the definitions."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ..minhash.minhash_lsh import (
    MAX_QUOTATION_KEYS,
    QUOTATION_SEED,
    SHORT_TEXT_WORDS,
    MinHashLSH,
    quotation_keys,
)
from .bags import intersection_sizes_many, pack_bags
from .hash_mixing import mix_arrays, mix_neighbours
from .ragged import Hashes, Integers, distinct, flagged, joined, lengths_of, offsets_of, places_of
from .signatures import Signatures, TokenArrays
from .single_text import sketch_of, sort_distinct
from .sketches import band_keys, equal_shares, sketch_many


def sign_batch(algorithm: MinHashLSH, batch: TokenArrays) -> Signatures:
    """Return the keys and payloads of the texts of a batch."""
    if len(batch) == 1 and not algorithm.containment:
        return _sign_one(algorithm, batch.hashes)
    return Signatures.sign_in_parts(batch, partial(_sign_many, algorithm))


def _sign_many(algorithm: MinHashLSH, batch: TokenArrays) -> Signatures:
    shingles, offsets = shingles_of(batch, algorithm.size)
    has_shingles = lengths_of(offsets) > 0
    sketches = sketch_many(shingles, offsets, algorithm.slots)[has_shingles]
    bands = band_keys(sketches, algorithm.bands, algorithm.rows).reshape(-1)
    keys = bands, offsets_of(has_shingles * algorithm.bands)
    payloads = _pack_sketches(sketches, has_shingles)
    if algorithm.containment:
        sample = sample_of(shingles, offsets, algorithm.containment)
        keys = joined(keys, _quotation_keys(*sample, algorithm.containment))
        bags = pack_bags(*sample)
        payloads = [slots + bag if slots else b"" for slots, bag in zip(payloads, bags, strict=True)]
    return Signatures(*distinct(*keys), payloads)


def _sign_one(algorithm: MinHashLSH, words: Hashes) -> Signatures:
    size = 1 if len(words) < SHORT_TEXT_WORDS else algorithm.size
    runs = len(words) - size + 1
    if runs < 1:
        return Signatures(words[:0], np.zeros(2, np.int64), [b""])
    shingles = mix_arrays(*(words[step : step + runs] for step in range(size)))
    sketch = sketch_of(shingles, algorithm.slots)
    keys = sort_distinct(band_keys(sketch[None], algorithm.bands, algorithm.rows)[0])
    return Signatures(keys, np.array([0, len(keys)], np.int64), [sketch.astype("<u4").tobytes()])


def shingles_of(batch: TokenArrays, size: int) -> tuple[Hashes, Integers]:
    """Return the shingles of every text, one after another, as in ``MinHashLSH.shingles``, and their offsets."""
    words, starts, lengths = batch.hashes, batch.offsets[:-1], batch.lengths
    is_short = lengths < SHORT_TEXT_WORDS
    counts = np.maximum(lengths - np.where(is_short, 0, size - 1), 0)
    hashes = mix_neighbours(words, size)
    if is_short.any():
        positions = places_of(starts[is_short], lengths[is_short])
        hashes[positions] = mix_arrays(words[positions])
    return hashes.take(places_of(starts, counts)), offsets_of(counts)


def sample_of(shingles: Hashes, offsets: Integers, divisor: int) -> tuple[Hashes, Integers]:
    """Return the distinct shingles of every text that are divisible by the power of two, and their offsets."""
    positions, offsets = flagged(shingles & np.uint64(divisor - 1) == 0, offsets)
    return distinct(shingles[positions], offsets)


def _quotation_keys(sample: Hashes, offsets: Integers, divisor: int) -> tuple[Hashes, Integers]:
    has_many_keys = lengths_of(offsets) > MAX_QUOTATION_KEYS
    if not has_many_keys.any():
        return mix_arrays(sample, seed=QUOTATION_SEED), offsets
    runs = [quotation_keys(run.tolist(), divisor) for run in np.split(sample, offsets[1:-1])]
    flat = np.array([key for run in runs for key in run], np.uint64)
    return flat, offsets_of(np.array([len(run) for run in runs]))


def _pack_sketches(sketches: Hashes, has_shingles: NDArray[np.bool_]) -> list[bytes]:
    """Return ``pack_sketch`` of every row. A text without shingles has b""."""
    rows = iter(sketches.astype("<u4").view(f"V{4 * sketches.shape[1]}").reshape(-1).tolist())
    return [next(rows) if own else b"" for own in has_shingles.tolist()]


def measure_pairs(
    algorithm: MinHashLSH, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]
) -> NDArray[np.float64]:
    """Return ``MinHashLSH.measure`` of many pairs."""
    end = 4 * algorithm.slots
    return equal_shares(*([payload[:end] for payload in payloads] for payloads in (payloads_a, payloads_b)))


def screen_pairs(
    algorithm: MinHashLSH, payloads_a: Sequence[bytes], payloads_b: Sequence[bytes]
) -> NDArray[np.float64]:
    """Return ``MinHashLSH.screen`` of many pairs."""
    if not algorithm.containment:
        return measure_pairs(algorithm, payloads_a, payloads_b)
    end = 4 * algorithm.slots
    nonempty = [index for index, pair in enumerate(zip(payloads_a, payloads_b, strict=True)) if all(pair)]
    a, b = ([payloads[index] for index in nonempty] for payloads in (payloads_a, payloads_b))
    sizes_a, sizes_b, common = intersection_sizes_many(
        [payload[end:] for payload in a], [payload[end:] for payload in b]
    )
    shares = np.zeros(len(payloads_b))
    shares[nonempty] = np.maximum(
        measure_pairs(algorithm, a, b),
        common / np.maximum(np.minimum(sizes_a, sizes_b), 1),
    )
    return shares
