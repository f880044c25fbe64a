"""What the posts of a run find in the buckets, as if they had come one after another.

All keys of a run are in the index before its first post is compared. So a bucket that the run itself fills would show
each post the newest ones of the run, and not those before it: a template's copies would meet neither each other's
leader nor that of an earlier run.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...storage import keys as storage
from ..records import Signed

Numbers = NDArray[np.int64]


class Crowds:
    """Made of the documents in the order of the run (int64), and told of all its keys before they are written.

    Kept of them are only the hot ones: those that ``cap`` posts of the run have, or more."""

    def __init__(self, documents: Numbers, cap: int, using: str) -> None:
        self.using, self.cap = using, cap
        self._documents = documents
        self._by_id = np.argsort(documents)
        self._ids = documents[self._by_id]
        self._keys = np.empty(0, np.int64)
        self._members: list[NDArray[np.int32]] = []
        self._older: list[Numbers] = []

    def add(self, keys: Numbers, owners: Numbers) -> None:
        """Some keys of the run, ascending and above all that were told of before, and the document of each (int64): a
        document before another in the run comes before it at every key."""
        others = keys[self.cap - 1 :]
        hot = np.unique(others[others == keys[: len(others)]])
        begins, ends = (np.searchsorted(keys, hot, side) for side in ("left", "right"))
        self._members += (
            self._places(owners[begin:end]).astype(np.int32) for begin, end in zip(begins, ends)
        )
        self._older += self._newest_of_others(hot)
        self._keys = np.append(self._keys, hot)

    def look_up(self, signed: Sequence[Signed], keys: Numbers) -> tuple[Numbers, Numbers]:
        """As ``storage.buckets``, for these keys of these posts one after another: without the posts of the run that
        come after them; of hot keys the newest ``cap`` before each."""
        found, documents = storage.buckets(self.using, keys, self.cap)
        own = self._places(np.array([one.document for one in signed], np.int64))
        others = self._places(documents)
        hot = self._hot(keys)
        is_hot = hot[found] >= 0
        keep = (others <= own.max(initial=-1)) & ~is_hot
        strange = (others < 0) & is_hot
        strange_at, strangers = found[strange], documents[strange]
        beside = [(found[keep], documents[keep])]
        owner = np.repeat(own, [len(one.keys) for one in signed])
        for at in np.flatnonzero(hot >= 0):
            first, end = np.searchsorted(strange_at, [at, at + 1])
            before = self._before(int(hot[at]), int(owner[at]), strangers[first:end])
            beside.append((np.full(len(before), at), before))
        where, whom = (np.concatenate(column) for column in zip(*beside))
        order = np.argsort(where, kind="stable")
        return where[order], whom[order]

    def _before(self, key: int, place: int, strangers: Numbers) -> Numbers:
        """The newest documents that had that hot key before the post at that place of the run; of ``strangers``, which
        have it now, those first that have come since its run began: their own turn may have missed the run's posts."""
        older, members = self._older[key], self._members[key]
        late = strangers[~np.isin(strangers, older)][: self.cap] if len(strangers) else strangers
        rank, room = int(np.searchsorted(members, place)), self.cap - len(late)
        near = self._documents[members[max(rank - room, 0) : rank]]
        return np.concatenate([late, near, older[: room - len(near)]])

    def _newest_of_others(self, keys: Numbers) -> list[Numbers]:
        """By key, the newest documents that are not of the run."""
        found, documents = storage.buckets(self.using, keys, self.cap)
        strange = self._places(documents) < 0
        found, documents = found[strange], documents[strange]
        order = np.lexsort((-documents, found))
        return np.split(documents[order], np.searchsorted(found[order], np.arange(len(keys))))[1:]

    def _hot(self, keys: Numbers) -> Numbers:
        """The number of each hot key, -1 for others."""
        return _found(self._keys, keys)

    def _places(self, documents: Numbers) -> Numbers:
        """The place of each document in the run, -1 for others."""
        at = _found(self._ids, documents)
        return np.where(at < 0, -1, self._by_id[at] if len(self._by_id) else -1)


def _found(ascending: Numbers, asked: Numbers) -> Numbers:
    if not len(ascending):
        return np.full(len(asked), -1)
    at = np.minimum(np.searchsorted(ascending, asked), len(ascending) - 1)
    return np.where(ascending[at] == asked, at, -1)
