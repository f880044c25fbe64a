"""Pairs as facts: which of them are current, how they are written, which decision is in force on them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping

from django.db.models import Q

from ..models import Decision, DecisionMember, Fingerprint, Pair, Scheme
from .verify import Verified

CHUNK = 500


def digests(documents: Iterable[int], scheme: int, using: str) -> dict[int, str]:
    """The stored source digests of those documents that have a fingerprint."""
    wanted = sorted(set(documents))
    found: dict[int, str] = {}
    for start in range(0, len(wanted), CHUNK):
        rows = Fingerprint.objects.using(using).filter(
            scheme=scheme, document__in=wanted[start : start + CHUNK]
        )
        found |= dict(rows.values_list("document_id", "source_digest"))
    return found


def is_current(pair: Pair, stored: Mapping[int, str]) -> bool:
    """Do both digests of the pair stand in the fingerprints?"""
    return (stored.get(pair.a_id), stored.get(pair.b_id)) == (pair.digest_a, pair.digest_b)


def pairs_of(documents: Collection[int], scheme: int, using: str) -> list[Pair]:
    """Every pair with a side among those documents, without its evidence."""
    wanted = sorted(set(documents))
    found: dict[int, Pair] = {}
    for start in range(0, len(wanted), CHUNK):
        chunk = wanted[start : start + CHUNK]
        for side in ("a__in", "b__in"):
            rows = Pair.objects.using(using).filter(scheme=scheme, **{side: chunk}).defer("evidence")
            found |= {pair.pk: pair for pair in rows}
    return list(found.values())


def write(verified: Iterable[Verified], scheme: Scheme, space: int, using: str) -> set[int]:
    """Store judged pairs (a refused one goes); the documents whose relations changed.

    A pair that is current on both sides is not overwritten by one that is not.
    """
    judged = {(each.a.document, each.b.document): each for each in verified}
    stored = digests({document for key in judged for document in key}, scheme.pk, using)
    present = {(pair.a_id, pair.b_id): pair for pair in _present(judged, scheme.pk, using)}
    decisions = decisions_on(judged, using)
    touched: set[int] = set()
    new: list[Pair] = []
    for key, each in sorted(judged.items()):
        old, current = (
            present.get(key),
            stored.get(key[0]) == each.a.read and stored.get(key[1]) == each.b.read,
        )
        if old is not None and not current and is_current(old, stored):
            continue
        if not each.judgement.offered:
            if old is not None:
                old.delete(using=using)
                touched |= {*key}
            continue
        pair = old or Pair(a_id=key[0], b_id=key[1], scheme=scheme)
        _fill(pair, each, space)
        pair.decision = in_force(pair, decisions.get(key, ()))
        touched |= {*key}
        if old is None:
            new.append(pair)
        else:
            pair.save(using=using)
    Pair.objects.using(using).bulk_create(new)
    return touched


def decisions_on(keys: Iterable[tuple[int, int]], using: str) -> dict[tuple[int, int], list[Decision]]:
    """Decisions not withdrawn that speak of those pairs, newest first, their members fetched."""
    wanted = set(keys)
    documents = {document for key in wanted for document in key}
    found: dict[tuple[int, int], list[Decision]] = {}
    for decision in decisions_of(documents, using):
        for key in pairs_in(decision):
            if key in wanted:
                found.setdefault(key, []).append(decision)
    return found


def decisions_of(documents: Collection[int], using: str) -> list[Decision]:
    """Decisions not withdrawn that speak of any of those documents, newest first, their members fetched."""
    wanted, ids = sorted(documents), set()
    for start in range(0, len(wanted), CHUNK):
        members = DecisionMember.objects.using(using).filter(document__in=wanted[start : start + CHUNK])
        ids |= set(members.values_list("decision", flat=True))
    rows = Decision.objects.using(using).filter(pk__in=sorted(ids), withdrawn=None)
    return list(rows.prefetch_related("members").order_by("-pk"))


def decided_with(document: int, using: str) -> set[int]:
    """The other documents of which a decision speaks together with that one."""
    told = {
        side for decision in decisions_of([document], using) for key in pairs_in(decision) for side in key
    }
    return told - {document}


def pairs_in(decision: Decision) -> list[tuple[int, int]]:
    """The pairs that a decision speaks of: members of unlike sides, and side 0 with everyone."""
    members = sorted(decision.members.all(), key=lambda member: member.document_id)
    return [
        (one.document_id, two.document_id)
        for place, one in enumerate(members)
        for two in members[place + 1 :]
        if one.side == 0 or two.side == 0 or one.side != two.side
    ]


def in_force(pair: Pair, decisions: Iterable[Decision]) -> Decision | None:
    """The newest decision that still holds of this pair.

    It is open again once a text has changed *and* the verdict or the classes are others than the person saw.
    """
    for decision in decisions:
        seen = {member.document_id: member.digest for member in decision.members.all()}
        same_texts = seen.get(pair.a_id) == pair.digest_a and seen.get(pair.b_id) == pair.digest_b
        known = decision.known.get(f"{pair.a_id}-{pair.b_id}")
        if same_texts or known is None or known[:2] == [pair.verdict, pair.classes]:
            return decision
        return None
    return None


def _present(keys: Iterable[tuple[int, int]], scheme: int, using: str) -> list[Pair]:
    by_first: dict[int, list[int]] = {}
    for a, b in keys:
        by_first.setdefault(a, []).append(b)
    match = Q(pk=None)
    for a, others in by_first.items():
        match |= Q(a=a, b__in=others)
    return list(Pair.objects.using(using).filter(match, scheme=scheme))


def _fill(pair: Pair, each: Verified, space: int) -> None:
    judgement = each.judgement
    pair.space_id = space
    pair.verdict, pair.exact, pair.score = judgement.verdict, judgement.exact, judgement.score
    pair.containment_a, pair.containment_b = judgement.containment_a, judgement.containment_b
    pair.classes, pair.evidence = ",".join(judgement.classes), judgement.evidence()
    pair.digest_a, pair.digest_b = each.a.read, each.b.read
