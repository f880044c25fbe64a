"""Many keys at once as numpy arrays: sorted runs, and what was found for distinct keys spread over those asked for."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

Numbers = NDArray[np.int64]


def ordered(keys: ArrayLike, documents: ArrayLike) -> tuple[Numbers, Numbers]:
    """Pairs by key and document, as signed numbers. ``ValueError`` where the two are not of one length."""
    own, owners = (np.asarray(each, np.int64) for each in (keys, documents))
    if own.shape != owners.shape or own.ndim != 1:
        raise ValueError(f"{own.shape} keys for {owners.shape} documents")
    order = np.lexsort((owners, own))
    return own[order], owners[order]


def distinct(keys: ArrayLike) -> tuple[Numbers, Numbers | None]:
    """The distinct keys, and for each key given its place among them; None where those are as given."""
    given = np.asarray(keys, np.int64)
    falls = np.count_nonzero(given[1:] <= given[:-1])
    if not falls or (falls == 1 and given[-1] < given[0]):  # ascending, with or without a sign
        return given, None
    return np.unique(given, return_inverse=True)


def nothing() -> tuple[Numbers, Numbers]:
    """Two columns without a row."""
    return np.empty(0, np.int64), np.empty(0, np.int64)


def spread(places: Numbers, documents: Numbers, asked: Numbers | None) -> tuple[Numbers, Numbers]:
    """What was found for distinct keys, for every key asked for; ``asked``: what ``distinct`` says of them.

    The first array ascends."""
    order = places.argsort(kind="stable")
    documents = documents[order]
    if asked is None:
        return places[order], documents
    sizes = np.bincount(places, minlength=int(asked.max(initial=-1)) + 1)
    each = sizes[asked]
    ends = np.cumsum(each)
    begins = (np.cumsum(sizes) - sizes)[asked]
    order = np.arange(ends[-1] if len(ends) else 0) + np.repeat(begins - ends + each, each)
    return np.repeat(np.arange(len(asked)), each), documents[order]


def full(place: Numbers, cap: int) -> Numbers:
    """Places at which ``cap`` documents were found: there may be older ones."""
    return np.flatnonzero(np.bincount(place) >= cap)
