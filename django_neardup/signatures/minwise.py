"""Min-wise sketches: a set of hashes as one least value a hash function, and the bands of a sketch as keys.

For a random function the least values of two sets are equal with the probability |A∩B| / |A∪B| (Broder, "On the
resemblance and containment of documents", 1997): the share of equal slots estimates the resemblance J with the
standard error sqrt(J (1 - J) / functions).

The functions stand in a registry of named families, 1024 to a family, numbered and the same in every process.  They
take hashes that are keyed already (`Document.hashes`), so they need no secret of their own.
"""

from __future__ import annotations

import math
import struct
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import count

from ..text.document import Document
from ..text.hashing import MASK, mix
from ..text.stopwords import STOP

Family = Callable[[Sequence[int], Sequence[int]], list[int]]
"""From hashes (at least one) and the numbers of functions to the least value of each function."""

REGISTERED = 1024
PRIME = (1 << 61) - 1
FACTOR, SUMMAND, BIN, NEXT, DRAW, BAND = 11, 12, 13, 14, 15, 16
LOW = 0xFFFFFFFF


def sketch(hashes: Iterable[int], functions: int, family: str = "affine", sample: int = 0) -> list[int]:
    """The least value of each of `functions` functions over the 64-bit hashes, unsigned 64-bit; [] of no hashes.

    `family`: a name of `FAMILIES`; `sample`: which functions of the family are drawn (see `drawn`).  ValueError for an
    unknown family, and for fewer functions than 1 or more than 1024.
    """
    numbers = drawn(functions, sample)
    values = list(set(hashes))
    return family_of(family)(values, numbers) if values else []


def family_of(name: str) -> Family:
    """The family of this name.  ValueError if there is none."""
    if name not in FAMILIES:
        raise ValueError(f"no family of hash functions {name!r}; known are {', '.join(sorted(FAMILIES))}")
    return FAMILIES[name]


@lru_cache(maxsize=64)
def drawn(functions: int, sample: int = 0) -> tuple[int, ...]:
    """Ascending numbers of the functions of a sample: of sample 0 the first ones, of others a random choice."""
    if not 1 <= functions <= REGISTERED:
        raise ValueError(f"functions is {functions}: it is 1 to {REGISTERED}")
    if not sample:
        return tuple(range(functions))
    shuffled = sorted(range(REGISTERED), key=lambda number: mix(number, sample & MASK, seed=DRAW))
    return tuple(sorted(shuffled[:functions]))


def equal_share(a: Sequence[int], b: Sequence[int]) -> float:
    """Share, 0..1, of equal slots of two sketches of one length: the estimate of J.  0 where one is empty."""
    if not a or not b:
        return 0.0
    return sum(x == y for x, y in zip(a, b, strict=True)) / len(a)


def content_hashes(document: Document) -> list[int]:
    """Keyed hashes of the lemmas that are not stop words, in order: the canonical text of the articles."""
    return [
        value for value, token in zip(document.hashes, document.tokens, strict=True) if token.key not in STOP
    ]


def gram_hashes(hashes: Sequence[int], size: int, step: int = 1) -> list[int]:
    """Hashes, in order, of the runs of `size` neighbours that begin at every `step`-th place; [] of fewer."""
    return [mix(*hashes[start : start + size]) for start in range(0, len(hashes) - size + 1, step)]


def grouped(values: Sequence[int], rows: int) -> list[int]:
    """One hash a group of `rows` neighbouring slots, with the group's number; slots left over are not used."""
    bands = len(values) // rows
    return [mix(*values[band * rows : (band + 1) * rows], seed=BAND + (band << 8)) for band in range(bands)]


def found_probability(resemblance: float, bands: int, rows: int) -> float:
    """1 - (1 - J^rows)^bands: how probable it is that one band of two texts is equal."""
    return 1 - (1 - resemblance**rows) ** bands


def rows_for(functions: int, resemblance: float, least: float = 0.99) -> int:
    """The most rows a band, 1 or more, with which `functions` slots find a pair of this J with probability `least`."""
    rows = 1
    while rows < functions and found_probability(resemblance, functions // (rows + 1), rows + 1) >= least:
        rows += 1
    return rows


def standard_error(resemblance: float, functions: int) -> float:
    """Of the share of equal slots, for independent functions."""
    return math.sqrt(resemblance * (1 - resemblance) / functions)


def pack_sketch(values: Sequence[int]) -> bytes:
    """The low 32 bits of each slot: 4 bytes a function."""
    return struct.pack(f"<{len(values)}I", *(value & LOW for value in values))


def unpack_sketch(packed: bytes) -> tuple[int, ...]:
    """What `pack_sketch` kept."""
    return struct.unpack(f"<{len(packed) // 4}I", packed)


def _affine(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """(a x + b) mod (2^61 - 1): Carter and Wegman's functions, as in Broder's and most later programs."""
    return [
        min([(factor * value + summand) % PRIME for value in hashes])
        for factor, summand in (
            (mix(n, seed=FACTOR) % (PRIME - 1) + 1, mix(n, seed=SUMMAND) % PRIME) for n in numbers
        )
    ]


def _multiply(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """a (x xor b) mod 2^64 with odd a: a permutation, the cheapest of the families."""
    return [
        min([factor * (value ^ mask) & MASK for value in hashes])
        for factor, mask in ((mix(n, seed=FACTOR) | 1, mix(n, seed=SUMMAND)) for n in numbers)
    ]


def _mixed(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """The finaliser of splitmix64 after adding a constant: the nearest to a random permutation, and the slowest."""
    return [
        min([mix(value, seed=seed) for value in hashes]) for seed in (mix(n, seed=FACTOR) for n in numbers)
    ]


def _one_permutation(hashes: Sequence[int], numbers: Sequence[int]) -> list[int]:
    """One function for all slots: its range is cut into bins, the least value of each is a slot.

    An empty bin takes the value of another, chosen by a hash of its own number until one is not empty (Shrivastava,
    "Optimal densification for fast and accurate minwise hashing", 2017).
    """
    bins: list[int | None] = [None] * len(numbers)
    seed = mix(*numbers, seed=BIN)
    for value in hashes:
        mixed = mix(value, seed=seed)
        place = mixed * len(bins) >> 64
        least = bins[place]
        if least is None or mixed < least:
            bins[place] = mixed
    return [value if value is not None else _borrowed(bins, place) for place, value in enumerate(bins)]


def _borrowed(bins: Sequence[int | None], place: int) -> int:
    tried = (bins[mix(place, attempt, seed=NEXT) % len(bins)] for attempt in count())
    return next(value for value in tried if value is not None)


FAMILIES: dict[str, Family] = {
    "affine": _affine,
    "mixed": _mixed,
    "multiply": _multiply,
    "one-permutation": _one_permutation,
}
"""The registry: more families may be added before a profile names them."""
