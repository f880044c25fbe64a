"""A chunk cache that is full of common or of crafted chunks stays within its bound."""

from __future__ import annotations

import gc
import sys
import tracemalloc
from collections.abc import Iterator
from itertools import islice, product
from random import Random

import pytest

from django_neardup.text.chunk_cache import MAX_BYTES, MAX_CACHES, MAX_CHUNKS, ChunkCache, chunk_cache

pytestmark = pytest.mark.long

MEGABYTE = 10**6
# Dictionaries of Python 3.10 store the hash of every key.
MORE_BYTES = 12 * 2 * MAX_CHUNKS if sys.version_info < (3, 11) else 0
PREFIXES = " по вы за при на от до про с у об о в и а к со во ко из"
ROOTS = """
лес вод дом гор рек мор стол книг слов дел рук ног глаз голов сил год день ноч свет тень крас бел чёрн син зелен жёлт
больш мал длинн коротк высок низк широк узк стар нов молод добр зл умн весел груст быстр тих громк тёпл холод сух
мокр чист грязн дорог дешёв лёгк тяжёл мягк тверд прост сложн бег ход лет плав полз прыг стро лом резк кол мыл вар
пек жар сол слад кисл горьк рис чит пис счёт уч знан дум говор крич пел танц игр смех плач спал сид леж сто
"""
ENDINGS = """
а у ом е ы ов ам ами ах ый ая ое ые ого ому ым ыми ую ой ик ики ика ок ка ки ку кой ник ники ность ности ный ная
ное ные ить ил ила или ит ят ишь ать ал ала али ает ают ение ения
"""


def common_chunks() -> Iterator[str]:
    """Yield words of 3 to 14 letters. Most also follow with a comma or a full stop."""
    for root, prefix, (number, ending) in product(
        ROOTS.split(), PREFIXES.split(" "), enumerate(ENDINGS.split())
    ):
        yield f"{prefix}{root}{ending}"
        if number % 2:
            yield f"{prefix}{root}{ending},"
        if number % 3 == 0:
            yield f"{prefix}{root}{ending}."
        if number % 5 == 0:
            yield f"{prefix}{root}{ending}!"


def crafted_chunks() -> Iterator[str]:
    """Yield words of random letters, as long as is worst for the bound."""
    random = Random(10)
    while True:
        yield "".join(random.choices("абвгдежзиклмнопрстуфхцчшы", k=10))


@pytest.fixture
def cache() -> Iterator[ChunkCache]:
    """A cache of a language without a stemmer: fast, with the same chunks and records.

    Caches of other tests would halve its share of the memory.
    """
    chunk_cache.cache_clear()
    gc.collect()
    tracemalloc.start()
    yield ChunkCache("xx", True, b"", None)
    tracemalloc.stop()


def traced_bytes(cache: ChunkCache) -> int:
    """Empty a cache. Return the number of bytes that this has freed."""
    full, _ = tracemalloc.get_traced_memory()
    cache.clear()
    cache.older.clear()
    return full - tracemalloc.get_traced_memory()[0]


def test_common_chunks_fit_in_32_megabytes(cache: ChunkCache) -> None:
    for chunk in dict.fromkeys(common_chunks()):
        assert cache["".join([*chunk])]  # a copy, which only the cache keeps
        if cache.older and len(cache) >= MAX_CHUNKS - 2:
            break  # the next chunks would empty a generation
    assert len(cache) + len(cache.older) >= 2 * MAX_CHUNKS - 2
    assert 28 * MEGABYTE < traced_bytes(cache) <= 32 * MEGABYTE + MORE_BYTES


def test_crafted_chunks_stay_below_34_megabytes(cache: ChunkCache) -> None:
    for chunk in islice(crafted_chunks(), 2 * MAX_CHUNKS):
        assert cache[chunk]
        if cache.older and cache.size > 0.99 * MAX_BYTES:
            break  # the next chunks would empty a generation
    assert cache.size > 0.99 * MAX_BYTES
    assert 30 * MEGABYTE < traced_bytes(cache) < 34 * MEGABYTE + MORE_BYTES


def test_many_caches_share_the_memory() -> None:
    chunk_cache.cache_clear()
    for number in range(MAX_CACHES):
        chunk_cache("xx", True, bytes([number]), None)
    cache = chunk_cache("xx", True, b"\0", None)
    for chunk in islice(crafted_chunks(), MAX_CHUNKS):
        assert cache[chunk]
    assert len(cache) <= MAX_CHUNKS // 2 >= len(cache.older)
    chunk_cache.cache_clear()
