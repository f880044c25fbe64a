"""The key table: which documents have which keys. The database's own SQL, no model's object.

Keys are signed 64-bit numbers. Functions of many documents take and give numpy arrays: workers alone call them.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

from .index import index

if TYPE_CHECKING:
    from numpy.typing import ArrayLike

    from .base import Numbers

TOP = 2**63


def signed(key: int) -> int:
    """An unsigned 64-bit key as the signed one that databases hold."""
    return key - 2 * TOP if key >= TOP else key


def pack(keys: Iterable[int]) -> bytes:
    """Sorted signed 64-bit keys as bytes."""
    return array("q", sorted(keys)).tobytes()


def unpack(data: bytes | memoryview) -> array[int]:
    """The keys that ``pack`` packed."""
    keys = array("q")
    keys.frombytes(bytes(data))
    return keys


def replace(using: str, document: int, old: Iterable[int], new: Iterable[int]) -> None:
    """Make ``new`` the keys of that document, whose present ones are ``old``. Rows go in key order."""
    before, after = set(old), set(new)
    if before != after:
        index(using).change(document, sorted(before - after), sorted(after - before))


def add_run(using: str, keys: ArrayLike, documents: ArrayLike, *, fresh: bool = False) -> None:
    """Add the pairs of a key and its document, int64[n] each and in any order, as one run in key order.

    Atomic; pairs that are there already stay. ``fresh``: none is there, so far as the caller knows: PostgreSQL then
    takes the run twice as fast (and slower where the caller was wrong). ``ValueError`` where the lengths differ."""
    from .runs import ordered

    own, owners = ordered(keys, documents)
    if len(own):
        index(using).add_run(own, owners, fresh)


def remove_run(using: str, keys: ArrayLike, documents: ArrayLike) -> None:
    """Remove the pairs of a key and its document, int64[n] each and in any order; atomic."""
    from .runs import ordered

    own, owners = ordered(keys, documents)
    if len(own):
        index(using).remove_run(own, owners)


def buckets(using: str, keys: ArrayLike, cap: int) -> tuple[Numbers, Numbers]:
    """The documents that have those keys (int64[n], of many documents one after another), in few round trips.

    ``place`` int64[m], ascending, indexes into ``keys``; ``document`` int64[m]. Of each bucket the ``cap`` newest by
    document id, in no order; a key asked for twice is looked up once."""
    from .runs import distinct, nothing, spread

    asked, places = distinct(keys)
    return spread(*index(using).newest(asked.tolist(), cap), places) if len(asked) else nothing()


def full(place: Numbers, cap: int) -> Numbers:
    """Of what ``buckets`` found with that cap: the places of full buckets, of which older documents may be left out."""
    from . import runs

    return runs.full(place, cap)


def compact(using: str) -> None:
    """Pack the table after a first index, without keeping anybody from it. Outside a transaction."""
    index(using).compact()
