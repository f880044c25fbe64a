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
    duplicates = {one.document: _duplicates(one, verified[one.document]) for one in signed}
    for _ in range(ROUNDS):
        meeting = _unmet([one for one in signed if one.document in changed], duplicates, seen, using)
        if not meeting:
            return
        near = [one for one in signed if one.document in meeting]
        judged = verify_many(near, meeting, using)
        for document, other in conclude_many(near, meeting, judged, using).items():
            changed[document] |= other
        for one in near:
            seen[one.document] |= {each.document for each in meeting[one.document].prints}
            duplicates[one.document] |= _duplicates(one, judged[one.document])


def _duplicates(one: Signed, verified: Sequence[Verified]) -> set[int]:
    return {
        each.other(one.document).document for each in verified if each.judgement.verdict == Verdict.DUPLICATE
    }


def _unmet(
    signed: Sequence[Signed], duplicates: Mapping[int, set[int]], seen: Mapping[int, set[int]], using: str
) -> dict[int, Found]:
    """By document, leaders of its duplicates with which it has not been compared."""
    members = set().union(*(duplicates[one.document] for one in signed))
    if not members:
        return {}
    scheme = signed[0].scheme.pk
    leader_of = {each.document: each.leader for each in prints_of(members, scheme, using).values()}
    unmet = {
        one.document: {leader_of.get(other) for other in duplicates[one.document]}
        - {None, one.document}
        - seen[one.document]
        for one in signed
    }
    prints = prints_of({leader for leaders in unmet.values() for leader in leaders if leader}, scheme, using)
    found = {
        one.document: [each for number, each in prints.items() if number in unmet[one.document]]
        for one in signed
    }
    return {
        one.document: Found([each for each in found[one.document] if each.space == one.space])
        for one in signed
        if found[one.document]
    }
