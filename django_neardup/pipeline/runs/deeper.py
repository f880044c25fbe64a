"""Buckets read past documents that are of no use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...conf import get_profile
from ...portions import portions
from ...storage import keys as storage
from ...storage.index import ARRAY, ROWS

Numbers = NDArray[np.int64]
Wanted = Callable[[Numbers], NDArray[np.bool_]]

NOBODY = np.empty(0, np.int64)
DEEPER = 4
"""How many times as deep a bucket is read that has not named enough of those that are wanted."""

AT_ONCE = {ROWS: 250_000, ARRAY: 0}
"""Documents read by one statement, about, and of at least one key; of arrays all keys of a statement share a limit."""


def newest(
    using: str, keys: Numbers, cap: int, wanted: Wanted, alive: Callable[[], None] = lambda: None
) -> list[Numbers]:
    """By key, the newest ``cap`` of the documents that are wanted, newest first; ``alive`` is called now and then."""
    found, asked, most = [NOBODY] * len(keys), list(range(len(keys))), DEEPER * cap
    while asked:
        short: list[int] = []
        for some in portions(asked, max(1, AT_ONCE[get_profile().storage] // most)):
            short += _fill(found, using, keys, some, cap, most, wanted)
            alive()
        asked, most = short, DEEPER * most
    return found


def _fill(
    newest: list[Numbers],
    using: str,
    keys: Numbers,
    asked: Sequence[int],
    cap: int,
    most: int,
    wanted: Wanted,
) -> list[int]:
    """Note whom the newest so many of the buckets of some keys name; the keys with too few of them whose buckets may
    hold more."""
    found, documents = storage.buckets(using, keys[asked], most)
    read = np.bincount(found, minlength=len(asked))
    chosen = wanted(documents)
    found, documents = found[chosen], documents[chosen]
    order = np.lexsort((-documents, found))
    ends = np.searchsorted(found[order], np.arange(1, len(asked)))
    for key, others in zip(asked, np.split(documents[order], ends)):
        newest[key] = others[:cap].copy()
    return [key for key, size in zip(asked, read.tolist()) if size >= most and len(newest[key]) < cap]
