"""Keys as a fingerprint stores them: signed 64-bit numbers, packed as bytes."""

from __future__ import annotations

from array import array
from collections.abc import Iterable

SIGN_BIT = 2**63


def to_signed(key: int) -> int:
    """Return an unsigned 64-bit key as the signed number that databases store."""
    return key - 2 * SIGN_BIT if key >= SIGN_BIT else key


def pack_keys(keys: Iterable[int]) -> bytes:
    """Return the keys as bytes: sorted signed 64-bit numbers."""
    return array("q", sorted(keys)).tobytes()


def unpack_keys(data: bytes | memoryview) -> array[int]:
    """Return the keys that ``pack_keys`` packed."""
    unpacked = array("q")
    unpacked.frombytes(bytes(data))
    return unpacked
