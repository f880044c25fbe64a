"""Step C of a turn: under the space's lock, pairs are written and clusters follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from ..models import Membership
from .assign import recluster
from .facts import decided_with, drop_stale, write
from .ledger import mark_document
from .locks import retrying, space_lock
from .moving import conclude_alone
from .places import Place, places_of
from .records import Found, Signed, Verified
from .sql import rows_in
from .traces import prints_of
from .verify import verify_many

TRIES = 3
"""How often pairs that moved on between verification and conclusion are verified again."""

AT_ONCE = 25
"""Documents concluded under one lock: nobody waits long for it."""

FACTS = (
    'SELECT d."id", d."version", f."source_digest", '
    'm."cluster_id", c."representative_id", c."space_id", m."digest", m."scheme_id" FROM "neardup_document" d '
    'LEFT JOIN "neardup_fingerprint" f ON f."document_id" = d."id" AND f."scheme_id" = %s '
    'LEFT JOIN "neardup_membership" m ON m."document_id" = d."id" '
    'LEFT JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE d."id" IN ({})'
)


@dataclass(slots=True)
class Outcome:
    """``changed``: by document, whether its cluster did; ``moved``: by document, others to be verified again."""

    changed: dict[int, bool] = field(default_factory=dict)
    moved: dict[int, set[int]] = field(default_factory=dict)


def conclude_many(
    signed: Sequence[Signed],
    found: Mapping[int, Found],
    verified: Mapping[int, Sequence[Verified]],
    using: str,
) -> dict[int, bool]:
    """Step C: pairs are written and clusters follow, a lock of the space for few documents at a time; by document,
    whether its cluster changed. Documents with nothing to write take no lock. Left out are those that have moved on:
    a newer turn sees to them. Pairs whose other side has moved on are verified again, at most 3 times."""
    judged = {one.document: _worth(verified.get(one.document, ()), found[one.document]) for one in signed}
    writing = [one for one in signed if judged[one.document] or found[one.document].tied]
    changed = dict.fromkeys((one.document for one in signed), False)
    for one in writing:
        del changed[one.document]
    for group in _groups(writing):
        changed |= _conclude(group, found, judged, using)
    return changed


def _worth(verified: Iterable[Verified], found: Found) -> list[Verified]:
    """Pairs that a person is to see, and refused ones that may be stored."""
    return [
        each
        for each in verified
        if each.judgement.offered or {each.a.document, each.b.document} & found.partners
    ]


def _groups(signed: Iterable[Signed]) -> list[list[Signed]]:
    """Few documents of one space each."""
    by_space: dict[int, list[Signed]] = {}
    for one in signed:
        by_space.setdefault(one.space, []).append(one)
    return [
        group[start : start + AT_ONCE]
        for _, group in sorted(by_space.items())
        for start in range(0, len(group), AT_ONCE)
    ]


def _conclude(
    group: Sequence[Signed],
    found: Mapping[int, Found],
    judged: Mapping[int, Sequence[Verified]],
    using: str,
) -> dict[int, bool]:
    """A group of one space, with what has moved on meanwhile verified again."""
    changed: dict[int, bool] = {}
    pairs = {one.document: list(judged[one.document]) for one in group}
    for _ in range(TRIES):
        outcome = retrying(_conclude_under_lock, group, found, pairs, using)
        changed |= outcome.changed
        group = [one for one in group if one.document in outcome.moved]
        if not group:
            return changed
        _verify_again(group, pairs, outcome.moved, using)
    for one in group:
        mark_document(one.document, using, recheck=True)
    return changed | dict.fromkeys((one.document for one in group), False)


def _verify_again(
    group: Sequence[Signed], pairs: dict[int, list[Verified]], moved: Mapping[int, set[int]], using: str
) -> None:
    """Judge the pairs with those that moved on anew, where they are in the space still."""
    others = prints_of(set().union(*moved.values()), group[0].scheme.pk, using).values()
    here = [each for each in others if each.space == group[0].space]
    again = {
        one.document: Found([each for each in here if each.document in moved[one.document]]) for one in group
    }
    verified = verify_many(group, again, using)
    for one in group:
        gone = moved[one.document]
        kept = [each for each in pairs[one.document] if each.other(one.document).document not in gone]
        pairs[one.document] = kept + verified[one.document]


def _conclude_under_lock(
    group: Sequence[Signed],
    found: Mapping[int, Found],
    pairs: Mapping[int, Sequence[Verified]],
    using: str,
) -> Outcome:
    outcome = Outcome()
    locked = {group[0].space}.union(*(found[one.document].spaces for one in group))
    with space_lock(locked, using):
        stored, before, staying = _unmoved(group, pairs, outcome, using)
        alone = [one for one in staying if _is_odd(one, before.get(one.document), found[one.document])]
        for one in alone:
            conclude_alone(one, pairs[one.document], stored, using)
        together = [one for one in staying if one not in alone]
        if together:
            _follow(together, before, found, pairs, stored, using)
        after = places_of([one.document for one in staying], using)
        for one in staying:
            old, new = before.get(one.document), after.get(one.document)
            outcome.changed[one.document] = (old and old.cluster) != (new and new.cluster)
    return outcome


def _unmoved(
    group: Sequence[Signed], pairs: Mapping[int, Sequence[Verified]], outcome: Outcome, using: str
) -> tuple[dict[int, str], dict[int, Place], list[Signed]]:
    """Digests that stand, places, and documents that nobody has moved on; the others' partners are noted."""
    sides = {one.document: [each.other(one.document) for each in pairs[one.document]] for one in group}
    asked = {one.document for one in group}.union(side.document for each in sides.values() for side in each)
    facts = {row[0]: row[1:] for row in rows_in(using, FACTS, sorted(asked), group[0].scheme.pk)}
    stored = {document: row[1] for document, row in facts.items() if row[1] is not None}
    places = {document: Place(*row[2:]) for document, row in facts.items() if row[2] is not None}
    staying = []
    for one in group:
        if facts.get(one.document, ())[:2] != (one.wanted, one.digest):
            continue
        moved = {side.document for side in sides[one.document] if stored.get(side.document) != side.stored}
        if moved:
            outcome.moved[one.document] = moved
        else:
            staying.append(one)
    return stored, places, staying


def _is_odd(one: Signed, place: Place | None, found: Found) -> bool:
    """Whether others depend on the document's place: it has come from another space, or it leads by another text."""
    if found.spaces - {one.space}:
        return True
    return place is not None and (
        place.space != one.space or (place.leader == one.document and place.digest != one.digest)
    )


def _follow(
    signed: Sequence[Signed],
    before: Mapping[int, Place],
    found: Mapping[int, Found],
    pairs: Mapping[int, Sequence[Verified]],
    stored: Mapping[int, str],
    using: str,
) -> None:
    """Pairs are written, stale ones go, decisions speak, clusters are decided anew."""
    scheme, space = signed[0].scheme, signed[0].space
    related = write((each for one in signed for each in pairs[one.document]), scheme, space, using, stored)
    known = [one for one in signed if not one.fresh]
    seeds = {one.document for one in signed}
    seeds |= related.intersection(
        each.other(one.document).document for one in known for each in pairs[one.document]
    )
    tied = {one.document: one.digest for one in known if found[one.document].tied}
    if tied:
        seeds |= drop_stale(tied, scheme, using) | decided_with(tied, using)
    for one in signed:
        place = before.get(one.document)
        if place is not None and (place.digest, place.scheme) != (one.digest, scheme.pk):
            places = Membership.objects.using(using).filter(document=one.document)
            places.update(digest=one.digest, scheme=scheme)
    recluster(scheme, seeds, using, related=related - seeds)
