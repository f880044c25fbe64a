"""Step C of a turn: under the space's lock, pairs are written and clusters follow."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from django.db import connections

from ..models import Membership
from .assign import recluster
from .facts import Scores, Seen, digests, drop_stale, write
from .ledger import mark_document
from .locks import retrying, space_lock
from .moving import conclude_alone
from .places import Place, places_of
from .records import Fact, Found, Signed, Verified
from .sql import rows_in
from .told import decided_with
from .traces import prints_of
from .verify import verify_many

TRIES = 3
"""How often pairs that moved on between verification and conclusion are verified again."""

AT_ONCE = 25
"""Documents concluded under one lock: nobody waits long for it."""

NEVER = 2**63 - 1
"""No document has so great a number."""

FACTS = (
    'SELECT d."id", d."live", d."first_seen", f."source_digest", c."representative_id", '
    'd."version", m."cluster_id", c."space_id", m."digest", m."scheme_id", '
    'EXISTS (SELECT 1 FROM "neardup_decisionmember" s WHERE s."document_id" = d."id"), '
    'd."id" >= %s AND (SELECT a."id" FROM "neardup_pair" a WHERE a."a_id" = d."id" LIMIT 1) IS NULL '
    'AND (SELECT b."id" FROM "neardup_pair" b WHERE b."b_id" = d."id" LIMIT 1) IS NULL, '
    'c."size", c."lowest", c."weakest", c."exact" FROM "neardup_document" d '
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
        _look_back([one for one in group if one.document in outcome.changed], pairs, using)
        group = [one for one in group if one.document in outcome.moved]
        if not group:
            return changed
        _verify_again(group, pairs, outcome.moved, using)
    for one in group:
        mark_document(one.document, using, recheck=True)
    return changed | dict.fromkeys((one.document for one in group), False)


def _look_back(concluded: Sequence[Signed], pairs: Mapping[int, Sequence[Verified]], using: str) -> None:
    """Have those looked at again whose text changed while their pairs were not to be seen yet, the concluded documents
    and the others: their turn may have found nothing to do. SQLite has one writer at a time."""
    sides = {each.other(one.document) for one in concluded for each in pairs[one.document]}
    if not sides or connections[using].vendor == "sqlite":
        return
    stored = {side.document: side.stored for side in sides} | {one.document: one.digest for one in concluded}
    for document, digest in digests(stored, concluded[0].scheme.pk, using).items():
        if digest != stored[document]:
            mark_document(document, using, recheck=True)


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
        seen, before, staying = _unmoved(group, pairs, outcome, using)
        alone = [one for one in staying if _is_odd(one, before.get(one.document), found[one.document])]
        for one in alone:
            conclude_alone(one, pairs[one.document], replace(seen, pairs={}), using)
        if alone:
            seen = replace(seen, nodes={}, clusters={}, pairs={})
        together = [one for one in staying if one not in alone]
        joined = _follow(together, before, found, pairs, seen, using) if together else set()
        had = [one.document for one in staying if alone or one.document in before]
        after = places_of(had, using)
        for one in staying:
            old, new = before.get(one.document), after.get(one.document)
            outcome.changed[one.document] = (
                (old and old.cluster) != (new and new.cluster)
                if one.document in had
                else one.document in joined
            )
    return outcome


def _unmoved(
    group: Sequence[Signed], pairs: Mapping[int, Sequence[Verified]], outcome: Outcome, using: str
) -> tuple[Seen, dict[int, Place], list[Signed]]:
    """All documents as they stand, places, and documents that nobody has moved on; the others' partners are noted."""
    sides = {one.document: [each.other(one.document) for each in pairs[one.document]] for one in group}
    asked = {one.document for one in group}.union(side.document for each in sides.values() for side in each)
    fresh = min((one.document for one in group if one.fresh), default=NEVER)
    seen, versions, places = _read(asked, group[0].scheme.pk, using, fresh)
    staying = []
    for one in group:
        if (versions.get(one.document), seen.digests.get(one.document)) != (one.wanted, one.digest):
            continue
        moved = {
            side.document
            for side in sides[one.document]
            if seen.digests.get(side.document) != side.stored
            or (side.document in places and places[side.document].space != one.space)
        }
        if moved:
            outcome.moved[one.document] = moved
        else:
            staying.append(one)
    return seen, places, staying


def _read(
    asked: Iterable[int], scheme: int, using: str, fresh: int
) -> tuple[Seen, dict[int, int], dict[int, Place]]:
    """All of those documents, their versions, and the places of those that have one. ``fresh``: those from that one on
    are likely to have no pair yet, so that it is worth to ask."""
    nodes, digests, undecided, clusters = dict[int, Any](), dict[int, str](), set[int](), dict[int, Any]()
    versions, places, pairs = {}, {}, dict[int, list[Fact]]()
    for row in rows_in(using, FACTS, sorted(asked), fresh, scheme):
        (document, _, _, digest, leader), (version, cluster, *place), (decided, unpaired, *figures) = (
            row[:5],
            row[5:10],
            row[10:],
        )
        nodes[document], versions[document] = row[:5], version
        if digest:
            digests[document] = digest
        if not decided:
            undecided.add(document)
        if unpaired:
            pairs[document] = []
        if cluster is not None:
            places[document] = Place(cluster, leader, *place)
            clusters[leader] = (cluster, place[0], leader, *figures)
    return Seen(nodes, digests, undecided, clusters, pairs), versions, places


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
    seen: Seen,
    using: str,
) -> set[int]:
    """Pairs are written, stale ones go, decisions speak, clusters are decided anew; who came to be in a cluster."""
    scheme, space = signed[0].scheme, signed[0].space
    scores: Scores = {}
    judged = (each for one in signed for each in pairs[one.document])
    related = write(judged, scheme, space, using, scores, seen)
    known = [one for one in signed if not one.fresh]
    seeds = {one.document for one in signed}
    seeds |= related.intersection(
        each.other(one.document).document for one in known for each in pairs[one.document]
    )
    tied = {one.document: one.digest for one in known if found[one.document].tied}
    if tied:
        seeds |= drop_stale(tied, scheme, using, scores)
        seeds |= decided_with(tied.keys() - seen.undecided, using)
        seen = replace(seen, pairs={})
    for one in signed:
        place = before.get(one.document)
        if place is not None and (place.digest, place.scheme) != (one.digest, scheme.pk):
            places = Membership.objects.using(using).filter(document=one.document)
            places.update(digest=one.digest, scheme=scheme)
    led = recluster(scheme, seeds, using, related=related - seeds, seen=seen, scores=scores)
    return {side for node, leader in led.items() if leader not in (None, node) for side in (node, leader)}
