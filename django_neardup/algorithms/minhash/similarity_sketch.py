"""Fast similarity sketching: one value a slot, with few hashes a member.

Source: Dahlgaard, Knudsen, Thorup, "Fast similarity sketching" (2017). A round puts every member of a set
into one slot, and the least value in a slot stays. Rounds follow until no slot is empty. The values of an
earlier round are never replaced.

Two sets of resemblance J = |A∩B| / |A∪B| have equal slots with probability J, at any set sizes. The share of
equal slots is unbiased. Independent minima, as many as there are slots, have the variance J (1 - J) / slots.
The variance here is at most that, and about half of it if a set has about as many members as there are
slots. A set costs about n + slots ln slots hashes; independent minima cost n · slots.

This is the definition, in plain Python. ``kernels.sketches`` computes the same for many sets together.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ...text.hashing import mix
from .minwise import FUNCTIONS_PER_FAMILY, MASK_32

DEFAULT_SLOTS = 128
ROUND_SEED = 21


def fast_similarity_sketch(hashes: Iterable[int], slots: int = DEFAULT_SLOTS) -> list[int]:
    """Return the slots of a set of unsigned 64-bit hashes.

    The high 32 bits of a slot are the round, the low ones the least value. The hashes must be uniform, as
    ``mix`` makes them, because a round only multiplies them by its factor. Return [] for an empty set. Raise
    ValueError unless ``slots`` is 1 to 1024.
    """
    factors = round_factors(slots)
    members = {value >> 32 for value in hashes}
    filled_slots: dict[int, int] = {}
    for round_number, factor in enumerate(factors if members else ()):
        # An odd factor permutes the 32-bit numbers, so different members keep different values.
        values = [member * factor & MASK_32 for member in members]
        # After `slots` random rounds, one more round for each slot fills the empty ones.
        late_slot = round_number - slots if round_number >= slots else None
        for slot, least in round_minima(values, slots, late_slot).items():
            filled_slots.setdefault(slot, round_number << 32 | least)
        if len(filled_slots) == slots:
            break
    return [filled_slots[slot] for slot in sorted(filled_slots)]


def round_minima(thrown: Iterable[int], slots: int, late_slot: int | None) -> dict[int, int]:
    """Return the least 32-bit value of each slot that receives one.

    The position of a value in the 32-bit range determines its slot. In a late round all values go to the
    slot of that number, so that none stays empty.
    """
    least: dict[int, int] = {}
    for value in thrown:
        slot = (value >> 16) * slots >> 16 if late_slot is None else late_slot
        least[slot] = min(least.get(slot, value), value)
    return least


@lru_cache(maxsize=16)
def round_factors(slots: int) -> tuple[int, ...]:
    """Return the odd factors of the 2 · slots rounds. Raise ValueError unless ``slots`` is 1 to 1024."""
    if not 1 <= slots <= FUNCTIONS_PER_FAMILY:
        raise ValueError(f"slots is {slots}: it is 1 to {FUNCTIONS_PER_FAMILY}")
    return tuple(mix(number, seed=ROUND_SEED) & MASK_32 | 1 for number in range(2 * slots))
