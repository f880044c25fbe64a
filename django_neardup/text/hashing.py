"""Keyed 64-bit hashes. The secret is used once, in the hash of a word. A fast mixer does the rest."""

from __future__ import annotations

import hashlib
import zlib
from collections.abc import Iterable
from functools import lru_cache

MASK_64 = (1 << 64) - 1
GOLDEN_RATIO_64 = 0x9E3779B97F4A7C15
MIX_FACTOR_1 = 0xBF58476D1CE4E5B9
MIX_FACTOR_2 = 0x94D049BB133111EB


def _blake2b_key(secret: bytes) -> bytes:
    """Return a BLAKE2b key of at most 64 bytes. Longer secrets are hashed first."""
    return secret if len(secret) <= 64 else hashlib.blake2b(secret).digest()


def hash_word(word: str, secret: bytes = b"") -> int:
    """Return the keyed BLAKE2b hash of a word, an unsigned 64-bit integer. Accepts any ``str``."""
    # The key prevents that others forge a collision.
    data = word.encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(data, digest_size=8, key=_blake2b_key(secret)).digest(), "big")


def mix(*values: int, seed: int = 0) -> int:
    """Mix several integers to one unsigned 64-bit integer. Their order and number matter.

    Each step adds a value and applies the finaliser of splitmix64 (Steele, Lea, Flood, "Fast splittable
    pseudorandom number generators", 2014). The function is not cryptographic: pass keyed hashes.
    """
    state = (seed + GOLDEN_RATIO_64) & MASK_64
    for value in values:
        state = (state + value + GOLDEN_RATIO_64) & MASK_64
        state = ((state ^ (state >> 30)) * MIX_FACTOR_1) & MASK_64
        state = ((state ^ (state >> 27)) * MIX_FACTOR_2) & MASK_64
        state ^= state >> 31
    return state


def digest(parts: Iterable[bytes | str], secret: bytes = b"") -> bytes:
    """Return 16 bytes of keyed BLAKE2b over the parts. ``str`` and ``bytes`` of equal content agree."""
    state = _keyed_state(secret).copy()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        # Each part is preceded by its length, so that ["ab", "c"] and ["a", "bc"] differ.
        state.update(len(data).to_bytes(8, "big"))
        state.update(data)
    return state.digest()


@lru_cache(maxsize=16)
def _keyed_state(secret: bytes) -> hashlib.blake2b:
    """Return the initial state of every digest with this secret."""
    return hashlib.blake2b(digest_size=16, key=_blake2b_key(secret))


def crc32(text: str) -> int:
    """Return the unsigned CRC-32 of the UTF-8 text, for algorithms defined by it. Attackers can forge it."""
    return zlib.crc32(text.encode("utf-8", "surrogatepass"))


def md5(text: str) -> int:
    """Return the first 64 bits of the MD5 of the UTF-8 text, for the algorithm defined by it."""
    return _first_64_bits(hashlib.md5(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest())


def sha1(text: str) -> int:
    """Return the first 64 bits of the SHA-1 of the UTF-8 text, for the algorithms defined by it."""
    return _first_64_bits(hashlib.sha1(text.encode("utf-8", "surrogatepass"), usedforsecurity=False).digest())


def _first_64_bits(value: bytes) -> int:
    return int.from_bytes(value[:8], "big")
