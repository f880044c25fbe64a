"""Step B, first half: candidates by key, screened. Reads only; nothing is locked."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from ..signatures.base import Algorithm
from ..storage import keys as storage
from .ranking import in_order
from .records import Found, Print, Signed, Sketch
from .traces import Ties, prints_from, sketches_of, ties_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Numbers = NDArray[np.int64]
    LookUp = Callable[[Sequence[Signed], Numbers], tuple[Numbers, Numbers]]


SCREENED = 4
"""Look-alikes that are screened for each that may be aligned, besides namesakes and partners."""


def candidates_many(signed: Sequence[Signed], using: str, look_up: LookUp | None = None) -> dict[int, Found]:
    """Step B, first half: by document, whom it is to be compared with, screened, the likeliest first.

    At most ``MAX_ALIGNED`` a document besides exact copies and namesakes. Reads key buckets, pairs, memberships and
    fingerprints, and of those that pass the screen the documents; no texts. Needs of ``signed`` only document, scheme,
    space, keys, sure keys, payload, words, digests.
    ``look_up``: reads the buckets of all keys of those posts in place of ``storage.buckets``.
    """
    scheme = signed[0].scheme.pk
    shared = shared_of(signed, using, look_up)
    ties = ties_of([one.document for one in signed if not one.fresh], using)
    looks = [_Look(one, shared[one.document], ties.get(one.document, Ties())) for one in signed]
    sketches = sketches_of({other for look in looks for other in look.near}, scheme, using)
    leaders = {each.leader for each in sketches.values() if each.leader is not None}
    leaders |= {look.ties.leader for look in looks if look.ties.leader is not None}
    sketches |= sketches_of(leaders - sketches.keys(), scheme, using)
    screened = {look.one.document: look.screened(sketches) for look in looks}
    passed = {each.document: each for sure, rest in screened.values() for each in (*sure, *rest)}
    prints = prints_from(passed.values(), using)
    return {look.one.document: look.found(*screened[look.one.document], prints) for look in looks}


@dataclass(frozen=True, slots=True)
class Shared:
    """Who shares keys with one document. ``documents``: ascending; ``counts``: how many keys; ``rarity``: the sum of
    1 / (documents found to have the key) over them. ``namesakes`` share a key of which one is enough."""

    documents: Numbers
    counts: Numbers
    rarity: NDArray[np.float64]
    namesakes: set[int]

    @classmethod
    def of(cls, one: Signed, place: Numbers, others: Numbers) -> Shared:
        """Out of the buckets of its keys: places of the keys, ascending, and beside each another that has it."""
        import numpy as np

        strange = others != one.document
        if not np.count_nonzero(strange):  # most new posts
            return cls(others[:0], others[:0], np.empty(0), set())
        is_sure = np.zeros(len(one.keys), np.bool_)
        is_sure[one.keys.searchsorted(one.sure_keys)] = True
        weights = 1 / np.bincount(place)[place]
        place, others, weights = place[strange], others[strange], weights[strange]
        sure = others[is_sure[place]]
        order = others.argsort(kind="stable")
        others, weights = others[order], weights[order]
        new = np.ones(len(others), np.bool_)
        np.not_equal(others[1:], others[:-1], out=new[1:])
        heads = new.nonzero()[0]
        counts = np.diff(heads, append=len(others))
        return cls(others[heads], counts, np.add.reduceat(weights, heads), set(sure.tolist()))

    def nearest(self, algorithm: Algorithm, most: int) -> dict[int, int]:
        """Those but namesakes that share enough keys, with their number. Where the algorithm has a limit, so many of
        them that share most, older first. Of more than ``most`` those that share most keys and those that share the
        rarest take turns: a full bucket tells of its newest documents alone, so that an old one, whose copy this is,
        may share no more with it than what few others have."""
        import numpy as np

        if not len(self.documents):
            return {}
        enough = np.flatnonzero(self.counts >= algorithm.min_shared)
        if self.namesakes:
            enough = enough[~np.isin(self.documents[enough], list(self.namesakes))]
        if algorithm.limit is not None and len(enough) > algorithm.limit:
            enough = enough[np.lexsort((self.documents[enough], -self.counts[enough]))[: algorithm.limit]]
        if len(enough) > most:
            newer, more, rarer = (-each[enough] for each in (self.documents, self.counts, self.rarity))
            turns = np.stack(
                [np.lexsort((newer, rarer, more)), np.lexsort((newer, more, rarer))], axis=1
            ).ravel()
            _, first = np.unique(turns, return_index=True)
            enough = enough[turns[np.sort(first)[:most]]]
        return dict(zip(self.documents[enough].tolist(), self.counts[enough].tolist()))


def shared_of(signed: Sequence[Signed], using: str, look_up: LookUp | None = None) -> dict[int, Shared]:
    """By document, who is in its buckets, itself apart; the buckets of all are read together."""
    import numpy as np

    keys = np.concatenate([one.keys for one in signed]) if len(signed) > 1 else signed[0].keys
    cap = signed[0].adapter.settings.bucket
    place, others = look_up(signed, keys) if look_up else storage.buckets(using, keys, cap)
    if len(signed) == 1:
        return {signed[0].document: Shared.of(signed[0], place, others)}
    ends = np.cumsum([len(one.keys) for one in signed])
    found, begin, start = {}, 0, 0
    for one, end, stop in zip(signed, ends.tolist(), np.searchsorted(place, ends).tolist()):
        found[one.document] = Shared.of(one, place[start:stop] - begin, others[start:stop])
        begin, start = end, stop
    return found


class _Look:
    """One document's look around: who is near by keys, then who of them deserves to be aligned."""

    def __init__(self, one: Signed, shared: Shared, ties: Ties) -> None:
        self.one, self.ties, self.algorithm = one, ties, one.algorithm
        self.most = one.adapter.settings.max_aligned
        self.namesakes = shared.namesakes
        self.counts = shared.nearest(self.algorithm, SCREENED * self.most)
        self.near = self.counts.keys() | self.namesakes | ties.partners
        self.deleted: list[Sketch] = []

    def screened(self, sketches: Mapping[int, Sketch]) -> tuple[list[Sketch], list[Sketch]]:
        """Exact copies and namesakes; and those that pass the screen, the likeliest first: as many as may be aligned,
        or all where some of them may be in another space."""
        here = self._known(self.near, sketches)
        if self.one.adapter.settings.memory_days:
            near = (sketches[other] for other in self.near if other in sketches)
            self.deleted = [each for each in near if not each.digest]
        led = {each.leader for each in here.values()} | {self.ties.leader}
        leaders = {leader for leader in led if leader is not None and leader != self.one.document}
        here |= self._known(leaders, sketches)
        sure: list[Sketch] = []
        rest: list[Sketch] = []
        for _, each in sorted(here.items()):
            (sure if self._is_sure(each) else rest).append(each)
        copies = [each.leader for each in sure if each.exact_digest == self.one.exact_digest]
        ranked = self._ranked(rest, leaders, [self.ties.leader, *copies])
        return sure, ranked if self.ties.spaces - {self.one.space} else ranked[: self.most]

    def found(self, sure: Sequence[Sketch], rest: Sequence[Sketch], prints: Mapping[int, Print]) -> Found:
        """Of the screened ones those in the same space, at most so many as may be aligned besides the sure ones."""
        certain, others = self._here(sure, prints), self._here(rest, prints)
        return Found(
            certain + others[: self.most],
            frozenset(self.ties.partners),
            frozenset(self.ties.spaces),
            self.ties.tied,
            self.deleted,
        )

    def _known(self, documents: Collection[int], sketches: Mapping[int, Sketch]) -> dict[int, Sketch]:
        """What is known of those whose posts are there."""
        return {other: each for other in documents if (each := sketches.get(other)) and each.digest}

    def _here(self, passed: Sequence[Sketch], prints: Mapping[int, Print]) -> list[Print]:
        known = (prints[each.document] for each in passed if each.document in prints)
        return [each for each in known if each.space == self.one.space]

    def _is_sure(self, each: Sketch) -> bool:
        if each.exact_digest == self.one.exact_digest or each.document in self.namesakes:
            return True
        return any(self.one.identity) and not self._sure.isdisjoint(storage.unpack(each.keys))

    def _ranked(
        self, others: Sequence[Sketch], leaders: Collection[int], first: Sequence[int | None]
    ) -> list[Sketch]:
        """Those that pass the screen, ``first`` and the likest before others: see ``in_order``."""
        if not others:
            return []
        likeness = self.algorithm.screen_many(self.one.payload, [each.payload for each in others])
        words = [each.words for each in others]
        passed = self.algorithm.passes_many(likeness, self._keys(others, leaders), self.one.words, words)
        screened = zip(others, likeness.tolist(), passed.tolist())
        likest = sorted((-like, each.document, each) for each, like, passes in screened if passes)
        passing = {document: each for _, document, each in likest}
        order = in_order({document: each.leader for document, each in passing.items()}, first, self.most)
        return [passing[document] for document in order]

    def _keys(self, others: Sequence[Sketch], leaders: Collection[int]) -> list[int]:
        """Keys shared with each; counted by the keys themselves where the other may stand outside the cap of a bucket:
        an old representative, a partner."""
        shared = [self.counts.get(each.document, 0) for each in others]
        outside = self.ties.partners.union(leaders)
        for place, each in enumerate(others):
            if each.document in outside:
                own = self._own.intersection(storage.unpack(each.keys))
                shared[place] = max(shared[place], len(own))
        return shared

    @cached_property
    def _own(self) -> set[int]:
        return set(self.one.keys.tolist())

    @cached_property
    def _sure(self) -> set[int]:
        return set(self.one.sure_keys.tolist())
