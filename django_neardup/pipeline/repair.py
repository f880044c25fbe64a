"""A cluster whose representative was edited, hidden or deleted: its members are verified with the next one."""

from __future__ import annotations

from collections.abc import Sequence

from ..models import Cluster, Document, Pair, Verdict
from ..portions import portions
from .assign import place
from .conclude import TRIES
from .facts import Scores, digests, is_current, pairs_of, write
from .figures import refresh
from .leases import keep
from .ledger import finish, mark_document, mark_many
from .locks import retrying, space_lock
from .moving import Moved
from .reading import read_many
from .records import Found, Signed, Verified
from .schemes import active_scheme, scheme_in
from .signing import sign_many
from .sql import among
from .traces import prints_of
from .verify import verify_many

ROUNDS = 8
"""Leaders that one repair tries; members that none of them holds then take turns of their own."""

AT_ONCE = 100
"""Members whose texts are read together."""


def repair(cluster: Cluster, using: str) -> None:
    """Verify every member with the first one, the rest with the next, and let the clusters follow."""
    for _ in range(TRIES):
        members = _members(cluster, using)
        verified, left = _verify_in_rounds(cluster, members, using)
        keep([cluster], using)
        try:
            retrying(_conclude, cluster, verified, using)
        except Moved:
            continue
        for document in left:
            mark_document(document.pk, using, recheck=True)
        return finish(Cluster, cluster.pk, cluster.wanted, using)
    give_up(cluster, using)


def give_up(cluster: Cluster, using: str) -> None:
    """Every member takes a turn of its own, and is placed by what is known, few under one lock. What is done stands,
    where this is broken off as well."""
    for some in portions([document.pk for document in _members(cluster, using)], AT_ONCE):
        keep([cluster], using)
        retrying(mark_many, some, using)
        retrying(_place, cluster, some, using)
    finish(Cluster, cluster.pk, cluster.wanted, using)


def _members(cluster: Cluster, using: str) -> list[Document]:
    rows = Document.objects.using(using).filter(membership__cluster=cluster)
    return sorted(rows, key=lambda document: document.order)


def _left_behind(members: Sequence[Document], using: str) -> list[Document]:
    """Duplicates of members that are in no cluster with them."""
    inside = {document.pk for document in members}
    pairs = Pair.objects.using(using).filter(verdict=Verdict.DUPLICATE).values_list("a", "b")
    found = (sides for side in ("a", "b") for some in among(pairs, side, inside) for sides in some)
    near = sorted({document for sides in found for document in sides} - inside)
    rows = among(Document.objects.using(using).order_by("pk"), "pk", near)
    return [document for some in rows for document in some]


def _verify_in_rounds(
    cluster: Cluster, members: Sequence[Document], using: str
) -> tuple[list[Verified], list[Document]]:
    verified: list[Verified] = []
    waiting, near = list(members), _left_behind(members, using)
    for _ in range(ROUNDS):
        if len(waiting) < 2:
            return verified, []
        leader, *rest = waiting
        signed = _signed(leader, using)
        if signed is None:
            waiting = rest
            continue
        found, known = _with_leader(cluster, leader, signed, [*rest, *near], using)
        verified += found
        held = known | {
            each.other(leader.pk).document for each in found if each.judgement.verdict == Verdict.DUPLICATE
        }
        waiting = [document for document in rest if document.pk not in held]
    return verified, waiting


def _with_leader(
    cluster: Cluster, leader: Document, signed: Signed, rest: Sequence[Document], using: str
) -> tuple[list[Verified], set[int]]:
    """Pairs of the leader that were not known, and the documents known to be its duplicates. The cluster's lease is
    renewed meanwhile."""
    pairs = pairs_of([leader.pk], signed.scheme.pk, using)
    stored = digests([leader.pk, *(pair.other(leader.pk) for pair in pairs)], signed.scheme.pk, using)
    known: dict[int, Pair] = {pair.other(leader.pk): pair for pair in pairs if is_current(pair, stored)}
    unknown = prints_of(
        [document.pk for document in rest if document.pk not in known], signed.scheme.pk, using
    )
    near = [each for each in unknown.values() if each.space == signed.space]
    duplicates = {other for other, pair in known.items() if pair.verdict == Verdict.DUPLICATE}
    verified: list[Verified] = []
    for some in portions(near, AT_ONCE):
        keep([cluster], using)
        verified += verify_many([signed], {leader.pk: Found(list(some))}, using)[leader.pk]
    return verified, duplicates


def _signed(document: Document, using: str) -> Signed | None:
    """The document as it is indexed; None, and marked, where it has changed since."""
    (read,) = read_many([document], using)
    if read.adapter is not None and read.source is not None:
        scheme = active_scheme(read.adapter.settings, using)
        if digests([document.pk], scheme.pk, using).get(document.pk) == read.source.digest:
            signed, _ = sign_many([read], scheme, using)
            if signed:
                return signed[0]
    mark_document(document.pk, using, recheck=read.source is not None)
    return None


def _conclude(cluster: Cluster, verified: Sequence[Verified], using: str) -> None:
    scheme = scheme_in(cluster.space_id, using)
    with space_lock([cluster.space_id], using):
        stored = digests({side.document for each in verified for side in (each.a, each.b)}, scheme.pk, using)
        for each in verified:
            if any(stored.get(side.document) != side.read for side in (each.a, each.b)):
                raise Moved
        scores: Scores = {}
        touched = write(verified, scheme, cluster.space_id, using, scores)
        present = {document.pk for document in _members(cluster, using)}
        place(present | touched, scheme, using, scores=scores)
        for row in Cluster.objects.using(using).filter(pk=cluster.pk):
            refresh(row, using)


def _place(cluster: Cluster, documents: Sequence[int], using: str) -> None:
    with space_lock([cluster.space_id], using):
        place(documents, scheme_in(cluster.space_id, using), using)
