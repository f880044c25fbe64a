"""Pairs as facts: which of them are current, and how they are written."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from math import inf
from typing import Any

from django.db import connections
from django.utils import timezone

from ..models import Pair, Scheme
from ..portions import portions
from .records import Fact, Verified
from .sql import among, execute_many, insert, named, rows_either, rows_in
from .told import Told, in_force, told_on

STORED = (
    'SELECT "id", "a_id", "b_id", "digest_a", "digest_b", "score" FROM "neardup_pair" '
    'WHERE "scheme_id" = %s AND "a_id" IN ({}) UNION ALL '
    'SELECT "id", "a_id", "b_id", "digest_a", "digest_b", "score" FROM "neardup_pair" '
    'WHERE "scheme_id" = %s AND "b_id" IN ({})'
)

COLUMNS = (
    "space_id", "verdict", "exact", "score", "containment_a", "containment_b", "classes", "evidence", "digest_a",
    "digest_b", "decision_id",
)  # fmt: skip
NEW = ("a_id", "b_id", "scheme_id", "found", *COLUMNS)
CHANGE = f'UPDATE "neardup_pair" SET {named(COLUMNS).replace(",", " = %s,")} = %s WHERE "id" = %s'
DELETE = 'DELETE FROM "neardup_pair" WHERE "id" = %s'
SIDES = (
    'SELECT "a_id", "b_id" FROM "neardup_pair" WHERE "scheme_id" = %s AND "a_id" IN ({}) UNION ALL '
    'SELECT "a_id", "b_id" FROM "neardup_pair" WHERE "scheme_id" = %s AND "b_id" IN ({})'
)
DIGESTS = (
    'SELECT "document_id", "source_digest" FROM "neardup_fingerprint" '
    'WHERE "scheme_id" = %s AND "document_id" IN ({})'
)
SIDE_A = (
    'SELECT "id", "a_id", "b_id", "score", "scheme_id", "digest_a" FROM "neardup_pair" WHERE "a_id" IN ({})'
)
SIDE_B = (
    'SELECT "id", "a_id", "b_id", "score", "scheme_id", "digest_b" FROM "neardup_pair" WHERE "b_id" IN ({})'
)

Scores = dict[tuple[int, int], float]
"""By pair whose score is another now: the one it had, infinite where it is new."""


@dataclass(frozen=True, slots=True)
class Seen:
    """Documents as they were read under the lock. ``nodes``: what ``graph.NODES`` reads of each; ``digests``: the
    source digests that are stored; ``undecided``: those of which no decision speaks; ``clusters``: those that they are
    in, by leader, the columns ``assign.SHOWN``; ``pairs``: all that are stored of those documents of which they are
    known; ``write`` adds to them."""

    nodes: Mapping[int, tuple[Any, ...]]
    digests: Mapping[int, str]
    undecided: Set[int]
    clusters: Mapping[int, tuple[Any, ...]]
    pairs: Mapping[int, list[Fact]] = field(default_factory=dict)


UNSEEN = Seen({}, {}, frozenset(), {})


def digests(documents: Iterable[int], scheme: int, using: str) -> dict[int, str]:
    """The stored source digests of those documents that have a fingerprint."""
    return dict(rows_in(using, DIGESTS, sorted(set(documents)), scheme))


def is_current(pair: Pair | Fact, stored: Mapping[int, str]) -> bool:
    """Do both digests of the pair stand in the fingerprints?"""
    return (stored.get(pair.a_id), stored.get(pair.b_id)) == (pair.digest_a, pair.digest_b)


def pairs_of(documents: Collection[int], scheme: int, using: str) -> list[Pair]:
    """Every pair with a side among those documents, without its evidence."""
    wanted = sorted(set(documents))
    found: dict[int, Pair] = {}
    for chunk in portions(wanted):
        for side in ("a__in", "b__in"):
            rows = Pair.objects.using(using).filter(**{side: chunk}).defer("evidence")
            found |= {pair.pk: pair for pair in rows if pair.scheme_id == scheme}
    return list(found.values())


def neighbours(documents: Iterable[int], scheme: int, using: str) -> set[int]:
    """Both sides of every pair of those documents."""
    return {side for sides in rows_either(using, SIDES, sorted(documents), scheme) for side in sides}


def write(
    verified: Iterable[Verified],
    scheme: Scheme,
    space: int,
    using: str,
    scores: Scores,
    seen: Seen = UNSEEN,
) -> set[int]:
    """Store judged pairs (a refused one goes); the documents whose relations changed. ``scores`` grows.

    A pair that is current on both sides is not overwritten by one that is not. ``seen``: all of the documents, where
    the caller has read them under the lock.
    """
    judged = {(each.a.document, each.b.document): each for each in verified}
    if not judged:
        return set()
    stored = seen.digests or digests({document for key in judged for document in key}, scheme.pk, using)
    unknown = {key for key in judged if seen.pairs.keys().isdisjoint(key)}
    present = _present(unknown, scheme.pk, using) if unknown else {}
    decisions = told_on(judged, using, seen.undecided)
    now = connections[using].ops.adapt_datetimefield_value(timezone.now())
    new, changed, gone, touched = [], [], [], set[int]()
    for key, each in sorted(judged.items()):
        old, digests_of_old, score = present.get(key, (None, (), inf))
        current = (stored.get(key[0]), stored.get(key[1])) == (each.a.read, each.b.read)
        if old is not None and not current and (stored.get(key[0]), stored.get(key[1])) == digests_of_old:
            continue
        if each.judgement.offered:
            values = _values(each, space, decisions.get(key, ()))
            if old is None:
                new.append([*key, scheme.pk, now, *values])
            else:
                changed.append([*values, old])
        elif old is not None:
            gone.append([old])
        else:
            continue
        touched |= {*key}
        if not each.judgement.offered or each.judgement.score != score:
            scores[key] = score
    execute_many(using, DELETE, gone)
    execute_many(using, CHANGE, changed)
    insert(using, "neardup_pair", NEW, new, documents=["evidence"])
    _keep(new, seen)
    return touched


def drop_stale(digests: Mapping[int, str], scheme: Scheme, using: str, scores: Scores) -> set[int]:
    """Delete those documents' pairs that were judged on another text of theirs, or by another scheme; the documents
    whose relations changed. ``scores`` grows."""
    stale = [row for row in rows_in(using, SIDE_A, digests) if row[4:] != (scheme.pk, digests[row[1]])]
    stale += [row for row in rows_in(using, SIDE_B, digests) if row[4:] != (scheme.pk, digests[row[2]])]
    for pairs in among(Pair.objects.using(using), "pk", [row[0] for row in stale]):
        pairs.delete()
    for _, a, b, score, *_ in stale:
        scores[a, b] = min(score, scores.get((a, b), inf))
    return {side for row in stale for side in row[1:3]}


def _present(
    keys: Collection[tuple[int, int]], scheme: int, using: str
) -> dict[tuple[int, int], tuple[int, tuple[str, str], float]]:
    """Numbers, digests and scores of those of the pairs that are stored, looked for among those of few documents."""
    met = Counter(side for key in keys for side in key)
    among = {max(key, key=lambda side: met[side]) for key in keys}
    stored = rows_either(using, STORED, among, scheme)
    return {(a, b): (number, (one, two), score) for number, a, b, one, two, score in stored if (a, b) in keys}


def _keep(new: Iterable[Sequence[Any]], seen: Seen) -> None:
    """Pairs that are written now are known of their sides from now on, where all others are."""
    for a, b, _, _, _, verdict, exact, score, _, _, classes, _, digest_a, digest_b, _ in new:
        for side in (a, b):
            if side in seen.pairs:
                seen.pairs[side].append(Fact(a, b, verdict, exact, score, classes, digest_a, digest_b))


def _values(each: Verified, space: int, decisions: Collection[Told]) -> list[Any]:
    """What is stored of a pair, in the order of ``COLUMNS``."""
    judgement, classes = each.judgement, ",".join(each.judgement.classes)
    decision = None
    if decisions:
        fact = Fact(
            each.a.document, each.b.document, judgement.verdict, judgement.exact, judgement.score, classes,
            each.a.read, each.b.read,
        )  # fmt: skip
        decision = in_force(fact, decisions)
    return [
        space, judgement.verdict, judgement.exact, judgement.score, judgement.containment_a, judgement.containment_b,
        classes, each.evidence, each.a.read, each.b.read, None if decision is None else decision.pk,
    ]  # fmt: skip
