"""The collection that rows 7, 13, 14, 15 and the peers in memory share: posts of 100 words, a fifth of them copies."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, partial
from statistics import median
from typing import NamedTuple

from benchmarks.figures import Bar, Sizes
from benchmarks.index import Index
from benchmarks.site import database
from benchmarks.texts import copies, posts
from benchmarks.timing import Timed, measuring, seconds

WORDS = 100
COPIES = 5
"""One text of so many is an edited copy of another."""
FILLS = 5
"""How many fills of an index a rate is the median of."""
TABLES = ("neardup_key", "neardup_fingerprint")
"""What an `Index` keeps."""

Fill = Callable[[], Timed]
"""Makes an empty index, which is not timed; what it returns fills it."""


class Loaded(NamedTuple):
    """An index of the collection, and how many texts a second it has taken."""

    index: Index
    rate: float


@cache
def collection(count: int) -> list[str]:
    """So many texts; the copies are the last."""
    planted = count // COPIES
    made = list(posts(count - planted, WORDS))
    return [*made, *(copy.text for copy in copies(planted, count - planted, WORDS))]


def asked(count: int, lookups: int) -> list[int]:
    """Numbers of the copies that are looked up."""
    return list(range(count - min(lookups, count // COPIES), count))


_loaded: dict[tuple[str, str, int], Loaded] = {}


def loaded(engine: str, name: str, count: int, bar: Bar) -> Loaded:
    """The collection in the app's tables, signed by the algorithm of this name; loaded once a run."""
    place = engine, name, count
    if place not in _loaded:
        texts, index = collection(count), Index(database(engine, name.replace("-", "_")), name)
        index.sign(texts)  # its words are known from then on, whichever row of the run comes first
        with bar(f"{name} into {engine}", count) as progress, measuring():
            spent = seconds(partial(index.load, iter(texts), progress=progress))
        _loaded[place] = Loaded(index, count / spent)
    return _loaded[place]


def rates(fills: Mapping[str, Fill], count: int, sizes: Sizes, bar: Bar) -> dict[str, float]:
    """Texts a second of each way to fill an index with so many texts: the median of some fills, the ways in turn.

    The last fill of each is left as it is."""
    taken: dict[str, list[float]] = {name: [] for name in fills}
    rounds = min(FILLS, sizes.rounds)
    with bar("fills in turn", rounds * len(fills)) as progress, measuring():
        for _ in range(rounds):
            for name, emptied in fills.items():
                taken[name].append(seconds(emptied()))
                progress.update(1)
    return {name: count / median(times) for name, times in taken.items()}


def own_fill(name: str, texts: list[str]) -> Fill:
    """Text to keys and payloads in an SQLite file that is beside the one of `loaded`."""
    alias = database("sqlite", f"filled_{name.replace('-', '_')}")

    def emptied() -> Timed:
        empty(alias, TABLES)
        return partial(Index(alias, name).load, iter(texts))

    return emptied


def empty(alias: str, tables: tuple[str, ...]) -> None:
    """Empty tables of an SQLite file, which is then as small as a new one, and so is its log."""
    from django.db import connections

    with connections[alias].cursor() as cursor:
        for table in tables:
            cursor.execute(f"DELETE FROM {table}")
        cursor.execute("VACUUM")
        cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)")
