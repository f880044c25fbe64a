"""Step B, first half: candidates by key, screened. Reads only; nothing is locked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from heapq import nlargest
from typing import TYPE_CHECKING

from ..signatures.base import Algorithm
from ..storage import keys as storage
from .records import Found, Print, Signed
from .traces import Ties, prints_of, ties_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    LookUp = Callable[[Sequence[Signed], Numbers], tuple[Numbers, Numbers]]


SCREENED = 8
"""Look-alikes that are screened for each that may be aligned, besides exact copies, namesakes and partners."""


def candidates_many(signed: Sequence[Signed], using: str, look_up: LookUp | None = None) -> dict[int, Found]:
    """Step B, first half: by document, whom it is to be compared with, screened, the likeliest first.

    At most ``MAX_ALIGNED`` a document besides exact copies and namesakes. Reads key buckets, pairs, memberships and
    fingerprints; no texts. Needs of ``signed`` only document, scheme, space, keys, sure keys, payload, words, digests.
    ``look_up``: reads the buckets of all keys of those posts in place of ``storage.buckets``.
    """
    shared = _shared(signed, using, look_up)
    ties = ties_of([one.document for one in signed if not one.fresh], using)
    looks = [_Look(one, shared[one.document], ties.get(one.document, Ties())) for one in signed]
    prints = prints_of({other for look in looks for other in look.near}, signed[0].scheme.pk, using)
    leaders = {each.leader for each in prints.values() if each.leader is not None}
    leaders |= {look.ties.leader for look in looks if look.ties.leader is not None}
    prints |= prints_of(leaders - prints.keys(), signed[0].scheme.pk, using)
    return {look.one.document: look.found(prints) for look in looks}


@dataclass(slots=True)
class Shared:
    """How many keys others share with one document, and those that share one of which one is enough."""

    counts: Mapping[int, int]
    namesakes: set[int]


def _shared(signed: Sequence[Signed], using: str, look_up: LookUp | None) -> dict[int, Shared]:
    """By document, who is in its buckets, itself apart; the buckets of all are read together."""
    cap = signed[0].adapter.settings.bucket
    return (
        {signed[0].document: _shared_by(signed[0], cap, using)}
        if len(signed) == 1 and look_up is None
        else _shared_by_all(signed, look_up or (lambda signed, keys: storage.buckets(using, keys, cap)))
    )


def _shared_by(one: Signed, cap: int, using: str) -> Shared:
    counts = storage.candidates(using, one.keys.tolist(), cap)
    counts.pop(one.document, None)
    sure = one.sure_keys.tolist() if counts else []
    return Shared(counts, set(storage.candidates(using, sure, cap)) - {one.document})


def _shared_by_all(signed: Sequence[Signed], look_up: LookUp) -> dict[int, Shared]:
    import numpy as np

    keys = np.concatenate([one.keys for one in signed])
    place, others = look_up(signed, keys)
    ends = np.searchsorted(place, np.cumsum([len(one.keys) for one in signed])).tolist()
    found, start = {}, 0
    for one, end in zip(signed, ends):
        part, at = others[start:end], keys[place[start:end]]
        start, strange = end, part != one.document
        documents, counts = np.unique(part[strange], return_counts=True)
        sure = part[strange & np.isin(at, one.sure_keys)] if len(one.sure_keys) else part[:0]
        found[one.document] = Shared(dict(zip(documents.tolist(), counts.tolist())), set(sure.tolist()))
    return found


class _Look:
    """One document's look around: who is near by keys, then who of them deserves to be aligned."""

    def __init__(self, one: Signed, shared: Shared, ties: Ties) -> None:
        self.one, self.ties, self.algorithm = one, ties, one.algorithm
        self.keys = set(one.keys.tolist())
        self.counts, self.namesakes = shared.counts, shared.namesakes
        others = {other: keys for other, keys in self.counts.items() if other not in self.namesakes}
        near = nearest(others, self.algorithm)
        most = SCREENED * one.adapter.settings.max_aligned
        if len(near) > most:  # the newest of those that share most
            near = set(nlargest(most, near, key=lambda other: (others[other], other)))
        self.near = near | self.namesakes | ties.partners

    def found(self, prints: Mapping[int, Print]) -> Found:
        """Exact copies and namesakes first, then representatives, then the rest by their likeness."""
        here = self._here(self.near, prints)
        led = {each.leader for each in here.values()} | {self.ties.leader}
        leaders = {leader for leader in led if leader is not None and leader != self.one.document}
        here |= self._here(leaders, prints)
        sure: list[Print] = []
        rest: list[Print] = []
        for _, each in sorted(here.items()):
            (sure if self._is_sure(each) else rest).append(each)
        most = self.one.adapter.settings.max_aligned
        return Found(
            sure + self._ranked(rest, leaders)[:most],
            frozenset(self.ties.partners),
            frozenset(self.ties.spaces),
            self.ties.tied,
        )

    def _here(self, documents: Collection[int], prints: Mapping[int, Print]) -> dict[int, Print]:
        """Those that have a fingerprint in the same space."""
        known = ((other, prints[other]) for other in documents if other in prints)
        return {other: each for other, each in known if each.space == self.one.space}

    def _is_sure(self, each: Print) -> bool:
        return each.exact_digest == self.one.exact_digest or each.document in self.namesakes

    def _ranked(self, others: Sequence[Print], leaders: Collection[int]) -> list[Print]:
        """Those that pass the screen, representatives first, the likest first."""
        if not others:
            return []
        likeness = self.algorithm.screen_many(self.one.payload, [each.payload for each in others])
        keys = [self._keys(each, leaders) for each in others]
        words = [each.words for each in others]
        passed = self.algorithm.passes_many(likeness, keys, self.one.words, words)
        ranked = [
            (each.document not in leaders, -like, each.document, each)
            for each, like, passes in zip(others, likeness.tolist(), passed.tolist())
            if passes
        ]
        return [row[3] for row in sorted(ranked, key=lambda row: row[:3])]

    def _keys(self, each: Print, leaders: Collection[int]) -> int:
        """Keys shared; counted by the keys themselves where the other may stand outside the cap of a bucket: an old
        representative, a partner."""
        keys = self.counts.get(each.document, 0)
        if each.document in leaders or each.document in self.ties.partners:
            keys = max(keys, len(self.keys.intersection(storage.unpack(each.keys))))
        return keys


def nearest(shared: Mapping[int, int], algorithm: Algorithm) -> set[int]:
    """Those that share enough keys; where the algorithm has a limit, so many of them that share most, older first."""
    near = [other for other, keys in shared.items() if keys >= algorithm.min_shared]
    if algorithm.limit is None:
        return set(near)
    return set(sorted(near, key=lambda other: (-shared[other], other))[: algorithm.limit])
