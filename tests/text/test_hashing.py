"""Keyed hashes: known values, so that no change of them goes unnoticed."""

from __future__ import annotations

import hashlib

from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.hashing import digest, hash_word, mix

U64 = st.integers(0, (1 << 64) - 1)


def test_hash_is_keyed_blake2b() -> None:
    wanted = hashlib.blake2b("слово".encode(), digest_size=8, key=b"secret").digest()
    assert hash_word("слово", b"secret") == int.from_bytes(wanted, "big")
    assert hash_word("слово", b"secret") != hash_word("слово", b"another") != hash_word("слово")


def test_any_secret_and_any_word() -> None:
    assert hash_word("слово", b"x" * 64) != hash_word("слово", b"x" * 65)
    assert 0 <= hash_word("\ud800\0", b"") < 1 << 64


def test_known_values() -> None:
    assert hash_word("разум") == 0x1A77F926280D8966
    assert mix(1, 2, 3) == 0xD306214C1FE59365
    assert digest(["разум", "дан"]).hex() == "5f8e0c3793bb34f6aaa1f2726ccc4155"
    assert mix() == 0x9E3779B97F4A7C15
    assert mix(0) != mix(0, 0) != mix(0, 0, 0)


@given(U64, U64, U64)
def test_mix_is_64_bit_and_ordered(a: int, b: int, seed: int) -> None:
    assert 0 <= mix(a, b, seed=seed) < 1 << 64
    assert a == b or mix(a, b, seed=seed) != mix(b, a, seed=seed)
    assert a == b or mix(a, seed=seed) != mix(b, seed=seed)


def test_mix_spreads() -> None:
    values = {mix(i, j) for i in range(100) for j in range(100)}
    assert len(values) == 10_000
    ones = sum(value.bit_count() for value in values) / len(values)
    assert 31.5 < ones < 32.5


def test_digest_is_unambiguous() -> None:
    assert len(digest([])) == 16
    assert digest(["ab", "c"]) != digest(["a", "bc"]) != digest(["abc"])
    assert digest(["а", b"b"]) == digest(["а".encode(), "b"])
    assert digest([""]) != digest([])
    assert digest(["a"], b"secret") != digest(["a"])
