"""Who is near a text: shares keys with it, may be seen, and passes the screen."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..pipeline.candidates import SCREENED, Shared, shared_of
from ..pipeline.reading import adapter_of
from ..pipeline.records import Signed
from ..pipeline.sql import rows_in
from ..visible import Key, Visible
from .worth import Worth

PLACES = (
    'SELECT "id", "space_id", "first_seen", "content_type_id", "object_id" FROM "neardup_document" '
    'WHERE "id" IN ({})'
)
PRINTS = (
    'SELECT "document_id", "source_digest", "exact_digest", "word_count", "payload", "codes" '
    'FROM "neardup_fingerprint" WHERE "scheme_id" = %s AND "document_id" IN ({})'
)
PORTION = 250
"""Look-alikes whose visibility is asked at once: few more than are screened."""


@dataclass(frozen=True, slots=True)
class Place:
    """Where a document stands: its space, its number in static order, its object."""

    document: int
    space: int | None
    first_seen: int
    key: Key

    @property
    def order(self) -> tuple[int, int]:
        return self.first_seen, self.document


@dataclass(frozen=True, slots=True)
class Near:
    """A document that may be like a text. ``copy``: its stored text is the same; ``namesake``: they share a key of
    which one is enough; ``other_codes``: both name codes, and not the same; ``likeness``: by the screen, 0..1;
    ``digest``: of what was read when it was signed."""

    place: Place
    copy: bool
    namesake: bool
    other_codes: bool
    likeness: float
    digest: str
    payload: bytes

    @property
    def order(self) -> tuple[bool, bool, bool, float, tuple[int, int]]:
        """The likeliest first: by the texts alone, never by who leads a cluster, which hidden posts decide too.

        Adverts written by one template differ in a code and little else: the same item stands before them."""
        return not self.copy, not self.namesake, self.other_codes, -self.likeness, self.place.order


def near_many(
    signed: Sequence[Signed], own: Mapping[int, Key | None], visible: Visible, using: str
) -> dict[int, list[Near]]:
    """By text, whom the caller may see of those that are near, the likeliest first; but for ``own``, the object that a
    text is of.

    What may not be seen is left out before anything is counted, so that it changes nothing of what is found. One
    statement reads the buckets of all texts, few more their documents, what may be seen, and fingerprints."""
    shared = shared_of(signed, using)
    looks = [_Look(one, shared[one.document], own[one.document]) for one in signed]
    _see(looks, visible, using)
    seen = {each.document for look in looks for each in look.seen}
    found = rows_in(using, PRINTS, sorted(seen), signed[0].scheme.pk) if seen else []
    prints = {row[0]: row[1:] for row in found}
    return {look.one.document: sorted(look.near(prints), key=lambda each: each.order) for look in looks}


class _Look:
    """One text's look around. ``seen``: those of its look-alikes that may be seen, those first that share most keys."""

    def __init__(self, one: Signed, shared: Shared, key: Key | None) -> None:
        self.one, self.key, self.algorithm = one, key, one.algorithm
        self.namesakes = shared.namesakes
        self.counts = dict(zip(shared.documents.tolist(), shared.counts.tolist()))
        self.waiting = self._ordered(shared)
        self.room = SCREENED * one.adapter.settings.max_aligned
        if self.algorithm.limit is not None:
            self.room = min(self.room, self.algorithm.limit)
        self.seen: list[Place] = []

    def _ordered(self, shared: Shared) -> list[int]:
        import numpy as np

        sure = np.isin(shared.documents, list(self.namesakes))
        older_first = 1 if self.algorithm.limit is not None else -1
        order = np.lexsort((older_first * shared.documents, -shared.counts, ~sure))
        enough = sure | (shared.counts >= self.algorithm.min_shared)
        found: list[int] = shared.documents[order][enough[order]].tolist()
        return found

    def take(self, places: Mapping[int, Place]) -> None:
        """Go on with the next portion: ``places`` are those of its documents that may be seen."""
        portion, self.waiting = self.waiting[:PORTION], self.waiting[PORTION:]
        for document in portion:
            place = places.get(document)
            if place is None or place.space != self.one.space or place.key == self.key:
                continue
            if document not in self.namesakes:
                self.room -= 1
            self.seen.append(place)
            if not self.room:
                self.waiting = []
                return

    def near(self, prints: Mapping[int, tuple[Any, ...]]) -> Iterable[Near]:
        """Exact copies, namesakes, and those that pass the screen."""
        known = [(place, *prints[place.document]) for place in self.seen if place.document in prints]
        rest = []
        for place, digest, exact, words, payload, codes in known:
            copy, namesake = exact == self.one.exact_digest, place.document in self.namesakes
            if copy:
                yield Near(place, copy, namesake, False, 1.0, digest, bytes(payload))
            else:
                unlike = bool(codes and self.one.codes) and codes != self.one.codes
                rest.append((place, namesake, unlike, digest, words, bytes(payload)))
        if rest:
            yield from self._screened(rest)

    def _screened(self, rest: Sequence[tuple[Place, bool, bool, str, int, bytes]]) -> Iterable[Near]:
        likeness = self.algorithm.screen_many(self.one.payload, [row[5] for row in rest])
        keys = [self.counts[row[0].document] for row in rest]
        passed = self.algorithm.passes_many(likeness, keys, self.one.words, [row[4] for row in rest])
        worth = Worth(self.one)
        rows = zip(rest, keys, likeness.tolist(), passed.tolist())
        for (place, namesake, unlike, digest, words, payload), shared, like, passes in rows:
            if namesake or (passes and worth.of(shared, words, payload)):
                yield Near(place, False, namesake, unlike, like, digest, payload)


def _see(looks: Sequence[_Look], visible: Visible, using: str) -> None:
    """Have every text know whom of its look-alikes the caller may see."""
    asked: set[int] = set()
    found: dict[int, Place] = {}
    while waiting := [look for look in looks if look.waiting]:
        new = {document for look in waiting for document in look.waiting[:PORTION]} - asked
        asked |= new
        found |= {each.document: each for each in _visible(new, visible, using)}
        for look in waiting:
            look.take(found)


def _visible(documents: Collection[int], visible: Visible, using: str) -> list[Place]:
    """Those documents whose objects may be seen."""
    found = rows_in(using, PLACES, sorted(documents))
    adapters = {kind: adapter_of(kind, using) for kind in {row[3] for row in found}}
    places = [
        Place(document, space, first_seen, (adapter.model, object_id))
        for document, space, first_seen, kind, object_id in found
        if (adapter := adapters[kind])
    ]
    held = visible.held([each.key for each in places], using)
    return [each for each in places if each.key in held]
