"""What the posts of a run find in the buckets, as if they had come one after another.

All keys of a run are in the index before its first post is compared. So a bucket that the run itself fills would show
each post the newest ones of the run, and not those before it: a template's copies would meet neither each other's
leader nor that of an earlier run.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ...storage import keys as storage
from ..records import Signed
from ..sql import rows_in
from .deeper import newest

Numbers = NDArray[np.int64]

SIGNED = 'SELECT "document_id" FROM "neardup_fingerprint" WHERE "scheme_id" = %s AND "document_id" IN ({})'


class Crowds:
    """Made of the documents in the order of the run (int64), and told of all its keys before they are written.

    Kept of them are only the hot ones: those that ``cap`` posts of the run have, or more."""

    def __init__(self, documents: Numbers, cap: int, scheme: int, using: str) -> None:
        self.using, self.cap, self.scheme = using, cap, scheme
        self._documents = documents
        self._by_id = np.argsort(documents)
        self._ids = documents[self._by_id]
        self._keys = np.empty(0, np.int64)
        self._members: list[NDArray[np.int32]] = []
        self._older: list[Numbers] = []
        self._first = int(documents.min()) if len(documents) else 0
        self._signed: set[int] = set()

    def add(self, keys: Numbers, owners: Numbers) -> None:
        """Some keys of the run, ascending and above all that were told of before, and the document of each (int64): a
        document before another in the run comes before it at every key."""
        others = keys[self.cap - 1 :]
        hot = np.unique(others[others == keys[: len(others)]])
        begins, ends = (np.searchsorted(keys, hot, side) for side in ("left", "right"))
        self._members += (
            self._places(owners[begin:end]).astype(np.int32) for begin, end in zip(begins, ends)
        )
        self._keys = np.append(self._keys, hot)

    def look_around(self, alive: Callable[[], None]) -> None:
        """Read whom else the hot keys name; once all of the run is signed, and before its first post is compared. So of
        two runs at once, the one that is compared later meets the other. ``alive`` is called now and then."""
        self._older = newest(self.using, self._keys, self.cap, self._is_signed, alive)

    def look_up(self, signed: Sequence[Signed], keys: Numbers) -> tuple[Numbers, Numbers]:
        """As ``storage.buckets``, for these keys of these posts one after another: without the posts of the run that
        come after them; of hot keys the newest ``cap`` before each, and others that are among the newest now. Where the
        newest of a full bucket await their fingerprints, older ones take their places."""
        found, documents = storage.buckets(self.using, keys, self.cap)
        own = self._places(np.array([one.document for one in signed], np.int64))
        hot = self._hot(keys)
        doubtful = (np.bincount(found, minlength=len(keys)) >= self.cap) | (hot >= 0)
        found, documents = self._without_unsigned(keys, hot, found, documents, doubtful)
        others, is_hot = self._places(documents), hot[found] >= 0
        keep = (others <= own.max(initial=-1)) & ~is_hot
        strange = (others < 0) & is_hot
        strange_at, strangers = found[strange], documents[strange]
        beside = [(found[keep], documents[keep])]
        owner = np.repeat(own, [len(one.keys) for one in signed])
        for at in np.flatnonzero(hot >= 0):
            before = self._before(int(hot[at]), int(owner[at]))
            first, end = np.searchsorted(strange_at, [at, at + 1])
            if first < end:
                now = strangers[first:end]
                before = np.concatenate([before, now[~np.isin(now, before)]])
            beside.append((np.full(len(before), at), before))
        where, whom = (np.concatenate(column) for column in zip(*beside))
        order = np.argsort(where, kind="stable")
        return where[order], whom[order]

    def _before(self, key: int, place: int) -> Numbers:
        """The newest documents that had that hot key before the post at that place of the run."""
        members = self._members[key]
        rank = int(np.searchsorted(members, place))
        near = self._documents[members[max(rank - self.cap, 0) : rank]]
        return np.concatenate([near, self._older[key][: self.cap - len(near)]])

    def _without_unsigned(
        self, keys: Numbers, hot: Numbers, found: Numbers, documents: Numbers, doubtful: NDArray[np.bool_]
    ) -> tuple[Numbers, Numbers]:
        """What was found, without documents at doubtful keys that another run has not signed yet; where that leaves
        room in a bucket that is not hot, the newest of the others. Those older than all posts of this run take nobody's
        place, and will meet them in their turn."""
        at_doubtful = np.flatnonzero(doubtful[found] & (documents > self._first))
        unsigned = at_doubtful[~self._is_known(documents[at_doubtful])]
        if not len(unsigned):
            return found, documents
        kept = np.ones(len(found), np.bool_)
        kept[unsigned] = False
        crowded = np.unique(found[unsigned])
        crowded = crowded[hot[crowded] < 0]
        kept &= ~np.isin(found, crowded)
        asked, of_asked = np.unique(keys[crowded], return_inverse=True)
        known = newest(self.using, asked, self.cap, self._is_known)
        deeper = [known[place] for place in of_asked.tolist()]
        found = np.concatenate([found[kept], crowded.repeat([len(each) for each in deeper])])
        documents = np.concatenate([documents[kept], *deeper])
        order = np.argsort(found, kind="stable")
        return found[order], documents[order]

    def _is_known(self, documents: Numbers) -> NDArray[np.bool_]:
        """Which documents are of the run, or signed."""
        return (self._places(documents) >= 0) | self._is_signed(documents)

    def _is_signed(self, documents: Numbers) -> NDArray[np.bool_]:
        """Of which documents that are not of the run there is a fingerprint. Those that others have signed since this
        run began are remembered."""
        strange = set(documents[self._places(documents) < 0].tolist())
        asked = sorted(strange - self._signed)
        found = {document for (document,) in rows_in(self.using, SIGNED, asked, self.scheme)}
        signed = found | (strange & self._signed)
        self._signed.update(document for document in found if document > self._first)
        return np.isin(documents, list(signed))

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
