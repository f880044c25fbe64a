"""Leaders that come up while a batch is concluded: whoever is a duplicate of a member is compared with its leader.

One turn after another needs no such thing: the representatives of the clusters that its candidates are in are
candidates themselves. In a batch those clusters do not exist yet when candidates are read, and where a bucket is full
the copies of one text may know one another only through its newest documents.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ..models import Verdict
from .conclude import conclude_many
from .records import Found, Signed, Verified
from .traces import prints_of
from .verify import verify_many

ROUNDS = 8
"""How often leaders are looked for: each time those that are left are fewer."""


def meet_leaders(
    signed: Sequence[Signed],
    found: Mapping[int, Found],
    verified: Mapping[int, Sequence[Verified]],
    changed: dict[int, bool],
    using: str,
) -> None:
    """Compare concluded documents with the leaders of their duplicates, as long as there are new ones; ``changed``
    tells of the clusters that change by it."""
    seen = {document: {each.document for each in of.prints} for document, of in found.items()}
    duplicates = {one.document: duplicates_of(one, verified[one.document]) for one in signed}
    for _ in range(ROUNDS):
        concluded = [one for one in signed if one.document in changed]
        new = meet(concluded, leaders_of(concluded, duplicates, using), seen, changed, using)
        if not new:
            return
        for document, others in new.items():
            duplicates[document] |= others


def meet(
    signed: Sequence[Signed],
    leaders: Mapping[int, set[int]],
    seen: Mapping[int, set[int]],
    changed: dict[int, bool],
    using: str,
) -> dict[int, set[int]]:
    """Compare concluded documents with those leaders that they have not been compared with; by document, the duplicates
    found, of those that had any such leader.

    ``seen``, whom each was compared with, grows; ``changed`` tells of the clusters that change by it."""
    found = unmet(signed, leaders, seen, using)
    meeting = [one for one in signed if one.document in found]
    if not meeting:
        return {}
    verified = verify_many(meeting, found, using)
    for document, other in conclude_many(meeting, found, verified, using).items():
        changed[document] |= other
    for one in meeting:
        seen[one.document].update(each.document for each in found[one.document].prints)
    return {one.document: duplicates_of(one, verified[one.document]) for one in meeting}


def duplicates_of(one: Signed, verified: Sequence[Verified]) -> set[int]:
    """The documents that these pairs call duplicates of that one."""
    return {
        each.other(one.document).document for each in verified if each.judgement.verdict == Verdict.DUPLICATE
    }


def leaders_of(
    signed: Sequence[Signed], duplicates: Mapping[int, set[int]], using: str
) -> dict[int, set[int]]:
    """By document, the leaders of the clusters that hold these duplicates of it."""
    members = {other for one in signed for other in duplicates.get(one.document, ())}
    prints = prints_of(members, signed[0].scheme.pk, using) if members else {}
    led = {each.document: each.leader for each in prints.values() if each.leader is not None}
    return {
        one.document: {led[other] for other in duplicates.get(one.document, ()) if other in led}
        for one in signed
    }


def unmet(
    signed: Sequence[Signed], leaders: Mapping[int, set[int]], seen: Mapping[int, set[int]], using: str
) -> dict[int, Found]:
    """By document, those leaders in its space with which it has not been compared; only documents that have any."""
    asked = {one.document: leaders[one.document] - seen[one.document] - {one.document} for one in signed}
    wanted = {leader for own in asked.values() for leader in own}
    prints = prints_of(wanted, signed[0].scheme.pk, using) if wanted else {}
    found = {
        one.document: [
            prints[leader]
            for leader in sorted(asked[one.document] & prints.keys())
            if prints[leader].space == one.space
        ]
        for one in signed
    }
    return {document: Found(near) for document, near in found.items() if near}
