"""How well the sketch of minhash-lsh estimates the likeness of two sets."""

from __future__ import annotations

from collections.abc import Iterator
from math import sqrt
from typing import NamedTuple

from benchmarks.figures import Bar, Figure, Sizes, row

SLOTS = 128
PAIRS = 4000
CASES = [(10, 0.54), (30, 0.5), (100, 0.7), (200, 0.5), (200, 0.8), (2000, 0.5)]
LARGE = 2000


class Spread(NamedTuple):
    """Of many estimates: standard deviation over sqrt(J(1-J)/slots), and the mean less J."""

    deviation: float
    bias: float


@row("6", "the sketch as an estimator of likeness")
def estimator(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Pairs of random sets of n members each with the likeness J, 128 slots, `sketch_many`: the standard deviation of
    the share of equal slots over that of 128 independent minima, sqrt(J(1-J)/128), and its bias."""
    pairs = sizes.texts if sizes.quick else PAIRS
    with bar("estimator", len(CASES)) as progress:
        found = {}
        for members, likeness in CASES:
            found[members, likeness] = spread(members, likeness, pairs)
            progress.update(1)
    small = max(each.deviation for (members, _), each in found.items() if members < LARGE)
    large = max(each.deviation for (members, _), each in found.items() if members >= LARGE)
    bias = max(abs(each.bias) for each in found.values())
    yield Figure("6.1", "deviation over theory, n = 10 to 200, the worst", small, "", "<= 0.85", "<= 0.8")
    yield Figure("6.2", "deviation over theory, n = 2,000", large, "", "<= 1.05", "<= 1.0")
    yield Figure("6.3", "bias, the worst", bias, "", "<= 0.005", "<= 0.003")
    for place, ((members, likeness), each) in enumerate(found.items(), 4):
        yield Figure(
            f"6.{place}", f"deviation over theory, n = {members:,}, J = {likeness}", each.deviation, ""
        )


def spread(members: int, likeness: float, pairs: int) -> Spread:
    """Of `pairs` pairs of sets of `members` members each."""
    import numpy as np

    from django_neardup.algorithms.kernels.sketches import sketch_many

    shared = round(2 * members * likeness / (1 + likeness))
    exact = shared / (2 * members - shared)
    chance = np.random.default_rng(members * 1000 + round(likeness * 100))
    values = chance.integers(0, 1 << 64, (pairs, 2 * members - shared), np.uint64)
    offsets = np.arange(pairs + 1, dtype=np.int64) * members
    one = sketch_many(np.ascontiguousarray(values[:, :members]).reshape(-1), offsets, SLOTS)
    other = sketch_many(np.ascontiguousarray(values[:, -members:]).reshape(-1), offsets, SLOTS)
    estimates = (one == other).mean(axis=1)
    return Spread(float(estimates.std() / sqrt(exact * (1 - exact) / SLOTS)), float(estimates.mean() - exact))
