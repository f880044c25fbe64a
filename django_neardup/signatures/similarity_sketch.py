"""Fast similarity sketching: one value a slot, few hashes of a member.

Dahlgaard, Knudsen, Thorup, "Fast similarity sketching" (2017).  A round throws every member of a set into one slot,
where the least of a round stays; rounds follow one another until no slot is empty, and what an earlier round left is
never replaced.  Two sets of resemblance J = |A∩B| / |A∪B| have equal slots with probability J, whatever their sizes:
the share of equal slots is unbiased, and its variance is at most that of as many independent minima, J (1 - J) / slots;
about half of it for sets of about as many members as there are slots.  A set costs about n + slots ln slots hashes
where independent minima cost n · slots.

This is the definition, in plain Python; `sketch_batch` does the same for many sets at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ..text.hashing import mix
from .minwise import LOW, REGISTERED

SLOTS = 128
ROUND = 21


def sketch(hashes: Iterable[int], slots: int = SLOTS) -> list[int]:
    """The slots of a set of unsigned 64-bit hashes: the round in the high 32 bits, the least value of it below.

    The hashes are uniform ones, such as `mix` makes: a round multiplies them by a number of its own, no more.
    [] of an empty set.  ValueError for fewer slots than 1 or more than 1024.
    """
    factors = round_factors(slots)
    members = {value >> 32 for value in hashes}
    found: dict[int, int] = {}
    for number, factor in enumerate(factors if members else ()):
        thrown = [member * factor & LOW for member in members]
        late = number - slots if number >= slots else None
        for slot, least in least_of_round(thrown, slots, late).items():
            found.setdefault(slot, number << 32 | least)
        if len(found) == slots:
            break
    return [found[slot] for slot in sorted(found)]


def least_of_round(thrown: Iterable[int], slots: int, late: int | None) -> dict[int, int]:
    """Slots to the least 32-bit value thrown there: where in its range a value stands is its slot.

    In a late round all values go to the slot of that number, so that none stays empty.
    """
    least: dict[int, int] = {}
    for value in thrown:
        slot = (value >> 16) * slots >> 16 if late is None else late
        least[slot] = min(least.get(slot, value), value)
    return least


@lru_cache(maxsize=16)
def round_factors(slots: int) -> tuple[int, ...]:
    """The odd number by which each of the 2 · slots rounds multiplies."""
    if not 1 <= slots <= REGISTERED:
        raise ValueError(f"slots is {slots}: it is 1 to {REGISTERED}")
    return tuple(mix(number, seed=ROUND) & LOW | 1 for number in range(2 * slots))
