"""The collection that rows 7, 14, 15 and the peers in memory share: posts of 100 words, a fifth of them copies."""

from __future__ import annotations

from functools import cache
from time import perf_counter
from typing import NamedTuple

from .figures import Bar
from .index import Index
from .site import database
from .texts import copies, posts
from .timing import measuring

WORDS = 100
COPIES = 5
"""One text of so many is an edited copy of another."""


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
            start = perf_counter()
            index.load(iter(texts), progress=progress)
            _loaded[place] = Loaded(index, count / (perf_counter() - start))
    return _loaded[place]
