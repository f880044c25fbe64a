"""What documents have left behind: fingerprints, pairs, places, decisions. Read in few statements for many."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass, field
from typing import Any

from .records import Print
from .sql import holes, portions, rows, rows_in

PRINTS = (
    'SELECT f."document_id", f."source_digest", f."exact_digest", f."word_count", f."payload", f."keys", '
    'd."space_id", d."content_type_id", d."object_id", '
    '(SELECT c."representative_id" FROM "neardup_membership" m JOIN "neardup_cluster" c ON c."id" = m."cluster_id" '
    'WHERE m."document_id" = f."document_id") '
    'FROM "neardup_fingerprint" f JOIN "neardup_document" d ON d."id" = f."document_id" '
    'WHERE f."scheme_id" = %s AND f."document_id" IN ({})'
)
"""The leader is asked for row by row: joined, PostgreSQL may read all memberships of a site for few hundred."""
TIES = (
    'SELECT 0, "a_id", "b_id", "space_id" FROM "neardup_pair" WHERE "a_id" IN ({0}) '
    'UNION ALL SELECT 0, "b_id", "a_id", "space_id" FROM "neardup_pair" WHERE "b_id" IN ({0}) '
    'UNION ALL SELECT 1, m."document_id", c."representative_id", c."space_id" FROM "neardup_membership" m '
    'JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE m."document_id" IN ({0}) '
    'UNION ALL SELECT 2, "document_id", 0, 0 FROM "neardup_decisionmember" WHERE "document_id" IN ({0})'
)
PAIR, PLACE, DECISION = range(3)
AT_ONCE = 200
"""Documents whose ties are read by one statement: each stands in it four times."""


@dataclass(slots=True)
class Ties:
    """What a document has left behind: see ``Found``."""

    partners: set[int] = field(default_factory=set)
    spaces: set[int] = field(default_factory=set)
    leader: int | None = None
    tied: bool = False


def ties_of(documents: Collection[int], using: str) -> dict[int, Ties]:
    """Pairs, places and decisions of those documents that have any: one statement for few hundred."""
    found: dict[int, Ties] = {}
    for portion in portions(list(documents), AT_ONCE):
        for kind, document, other, space in rows(using, TIES.format(holes(len(portion))), [*portion] * 4):
            ties = found.setdefault(document, Ties())
            ties.tied = True
            if kind == PAIR:
                ties.partners.add(other)
            elif kind == PLACE:
                ties.leader = other
            if kind != DECISION:
                ties.spaces.add(space)
    return found


def prints_of(documents: Iterable[int], scheme: int, using: str) -> dict[int, Print]:
    """The fingerprints of those documents that have one under the scheme, with the leader of each one's cluster."""
    found = rows_in(using, PRINTS, sorted(documents), scheme) if documents else []
    return {row[0]: _print(row) for row in found}


def _print(row: tuple[Any, ...]) -> Print:
    if type(row[4]) is bytes:
        return Print._make(row)
    return Print._make((*row[:4], bytes(row[4]), bytes(row[5]), *row[6:]))
