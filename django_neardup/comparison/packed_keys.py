"""Keys as the index and a fingerprint store them: signed 64-bit numbers, and packed as bytes.

The lowest bit of a stored key says whether its document is live. So each key has two buckets, one of live
documents and one of others: hidden posts, however many, never displace visible ones. Texts are compared by
keys without the bit.
"""

from __future__ import annotations

from array import array
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SIGN_BIT = 2**63
LIVE_BIT = 1


def to_signed(key: int) -> int:
    """Return an unsigned 64-bit key as the signed number that databases store."""
    return key - 2 * SIGN_BIT if key >= SIGN_BIT else key


def pack_keys(keys: Iterable[int]) -> bytes:
    """Return the keys as bytes: sorted signed 64-bit numbers."""
    return array("q", sorted(keys)).tobytes()


def compared_key(key: int) -> int:
    """Return a stored key without the bit of live documents."""
    return key & ~LIVE_BIT


def both_buckets(keys: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return int64[2n], the stored keys of each key: that of other documents, and that of live ones."""
    import numpy as np

    return np.stack([keys, keys | LIVE_BIT], axis=1).ravel()


def unpack_compared_keys(data: bytes | memoryview) -> set[int]:
    """Return the keys by which the text with these packed keys is compared."""
    return {compared_key(key) for key in unpack_keys(data)}


def unpack_keys(data: bytes | memoryview) -> array[int]:
    """Return the keys that ``pack_keys`` packed."""
    unpacked = array("q")
    unpacked.frombytes(bytes(data))
    return unpacked
