"""Min-wise sketches: a set of hashes as one least value a hash function, and the bands of a sketch as keys.

For a random function, the least values of two sets are equal with probability |A∩B| / |A∪B| (Broder, "On the
resemblance and containment of documents", 1997). So the share of equal slots estimates the resemblance J,
with standard error sqrt(J (1 - J) / functions).

The functions are in a registry of named families, 1024 functions in each. They are numbered and the same in
every process. They take hashes that are keyed already (``CanonicalText.hashes``), so they need no secret.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import count

from ...text.canonical_text import CanonicalText
from ...text.hashing import MASK_64, mix

HashFamily = Callable[[Sequence[int], Sequence[int]], list[int]]
"""Takes hashes (at least one) and the numbers of functions. Returns the least value of each function."""

FUNCTIONS_PER_FAMILY = 1024
MERSENNE_PRIME_61 = (1 << 61) - 1
FACTOR_SEED, SUMMAND_SEED, BIN_SEED, NEXT_BIN_SEED, DRAW_SEED, BAND_SEED = 11, 12, 13, 14, 15, 16
MASK_32 = 0xFFFFFFFF


def minwise_sketch(
    hashes: Iterable[int], functions: int, family: str = "affine", sample: int = 0
) -> list[int]:
    """Return the least value of each of ``functions`` functions over the hashes. Both are unsigned 64-bit.

    ``family`` is a name in ``FAMILIES``. ``sample`` says which functions of the family are drawn (see
    ``draw_functions``). Return [] if there are no hashes. Raise ValueError for an unknown family, and unless
    ``functions`` is 1 to 1024.
    """
    numbers = draw_functions(functions, sample)
    values = list(set(hashes))
    return get_family(family)(values, numbers) if values else []


def get_family(name: str) -> HashFamily:
    """Return the family of this name. Raise ValueError if there is none."""
    if name not in FAMILIES:
        raise ValueError(f"no family of hash functions {name!r}; known are {', '.join(sorted(FAMILIES))}")
    return FAMILIES[name]


@lru_cache(maxsize=64)
def draw_functions(functions: int, sample: int = 0) -> tuple[int, ...]:
    """Return ascending numbers of the functions of a sample.

    Sample 0 has the first functions, other samples have a random choice. Raise ValueError unless ``functions``
    is 1 to 1024.
    """
    if not 1 <= functions <= FUNCTIONS_PER_FAMILY:
        raise ValueError(f"functions is {functions}: it is 1 to {FUNCTIONS_PER_FAMILY}")
    if not sample:
        return tuple(range(functions))
    shuffled = sorted(
        range(FUNCTIONS_PER_FAMILY), key=lambda number: mix(number, sample & MASK_64, seed=DRAW_SEED)
    )
    return tuple(sorted(shuffled[:functions]))


def equal_share(a: Sequence[int], b: Sequence[int]) -> float:
    """Return the share, 0..1, of equal slots of two sketches of one length: the estimate of J.

    Return 0 if one is empty.
    """
    if not a or not b:
        return 0.0
    return sum(slot_a == slot_b for slot_a, slot_b in zip(a, b, strict=True)) / len(a)


def content_hashes(text: CanonicalText) -> list[int]:
    """Return keyed hashes of the lemmas without stop words, in order: the canonical text of the articles."""
    return [value for value, stop in zip(text.hashes, text.stop, strict=True) if not stop]


def gram_hashes(hashes: Sequence[int], size: int, step: int = 1) -> list[int]:
    """Return hashes, in order, of the runs of ``size`` neighbours that begin at every ``step``-th position.

    Return [] if there are fewer hashes than ``size``.
    """
    return [mix(*hashes[start : start + size]) for start in range(0, len(hashes) - size + 1, step)]


def band_hashes(values: Sequence[int], rows: int) -> list[int]:
    """Return a hash for each group of ``rows`` neighbouring slots. Slots left over at the end are not used."""
    bands = len(values) // rows
    return [
        # With the band's number, equal slots of different bands do not give an equal key.
        mix(*values[band * rows : (band + 1) * rows], seed=BAND_SEED + (band << 8))
        for band in range(bands)
    ]


def match_probability(resemblance: float, bands: int, rows: int) -> float:
    """Return 1 - (1 - J^rows)^bands: the probability that at least one band of two texts is equal."""
    return 1 - (1 - resemblance**rows) ** bands


def max_rows_per_band(functions: int, resemblance: float, min_probability: float = 0.99) -> int:
    """Return the most rows a band, 1 or more, with which ``functions`` slots find a pair of this resemblance.

    The probability to find it must be at least ``min_probability``.
    """
    rows = 1
    while (
        rows < functions
        and match_probability(resemblance, functions // (rows + 1), rows + 1) >= min_probability
    ):
        rows += 1
    return rows


def standard_error(resemblance: float, functions: int) -> float:
    """Return the standard error of the share of equal slots, for independent functions."""
    return math.sqrt(resemblance * (1 - resemblance) / functions)


def pack_sketch(values: Sequence[int]) -> bytes:
    """Pack the low 32 bits of each slot: 4 bytes a function."""
    return struct.pack(f"<{len(values)}I", *(value & MASK_32 for value in values))


def unpack_sketch(payload: bytes) -> tuple[int, ...]:
    """Return the slots that ``pack_sketch`` packed."""
    return struct.unpack(f"<{len(payload) // 4}I", payload)


def _affine(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """Return least values of (a x + b) mod (2^61 - 1): the functions of Carter and Wegman.

    Broder's and most later programs use them.
    """
    return [
        min([(factor * value + summand) % MERSENNE_PRIME_61 for value in hashes])
        for factor, summand in (
            (
                mix(number, seed=FACTOR_SEED) % (MERSENNE_PRIME_61 - 1) + 1,
                mix(number, seed=SUMMAND_SEED) % MERSENNE_PRIME_61,
            )
            for number in numbers
        )
    ]


def _multiply(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """Return least values of a (x xor b) mod 2^64 with odd a: a permutation, and the cheapest family."""
    return [
        min([factor * (value ^ mask) & MASK_64 for value in hashes])
        for factor, mask in (
            (mix(number, seed=FACTOR_SEED) | 1, mix(number, seed=SUMMAND_SEED)) for number in numbers
        )
    ]


def _splitmix(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """Return least values of the finaliser of splitmix64 after adding a constant.

    This family is the nearest to a random permutation, and the slowest.
    """
    return [
        min([mix(value, seed=seed) for value in hashes])
        for seed in (mix(number, seed=FACTOR_SEED) for number in numbers)
    ]


def _one_permutation(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """Return slots of one function: its range is cut into bins, and the least value of each bin is a slot.

    An empty bin takes the value of another bin. Hashes of the empty bin's own number choose that bin; they
    go on until the chosen bin is not empty (Shrivastava, "Optimal densification for fast and accurate
    minwise hashing", 2017).
    """
    bins: list[int | None] = [None] * len(numbers)
    seed = mix(*numbers, seed=BIN_SEED)
    for value in hashes:
        mixed = mix(value, seed=seed)
        position = mixed * len(bins) >> 64
        least = bins[position]
        if least is None or mixed < least:
            bins[position] = mixed
    return [
        value if value is not None else _borrow_value(bins, position) for position, value in enumerate(bins)
    ]


def _borrow_value(bins: Sequence[int | None], position: int) -> int:
    tried_values = (bins[mix(position, attempt, seed=NEXT_BIN_SEED) % len(bins)] for attempt in count())
    return next(value for value in tried_values if value is not None)


FAMILIES: dict[str, HashFamily] = {
    "affine": _affine,
    "mixed": _splitmix,
    "multiply": _multiply,
    "one-permutation": _one_permutation,
}
"""The registry. A new family must be added here before a profile names it."""
