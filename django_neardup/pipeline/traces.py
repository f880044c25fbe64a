"""What documents have left behind: fingerprints, pairs, places, decisions. Read in few statements for many."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..portions import portions
from .records import Print, Sketch
from .sql import holes, rows, rows_in

LEADER = (
    '(SELECT c."representative_id" FROM "neardup_membership" m JOIN "neardup_cluster" c ON c."id" = m."cluster_id" '
    'WHERE m."document_id" = f."document_id")'
)
"""Asked for row by row: joined, PostgreSQL may read all memberships of a site for few hundred."""
SKETCHES = (
    'SELECT f."document_id", f."source_digest", f."exact_digest", f."word_count", f."payload", f."keys", '
    f'{LEADER} FROM "neardup_fingerprint" f WHERE f."scheme_id" = %s AND f."document_id" IN ({{}})'
)
PRINTS = (
    f'SELECT f."document_id", f."source_digest", f."exact_digest", f."word_count", f."payload", {LEADER}, '
    'd."space_id", d."content_type_id", d."object_id" '
    'FROM "neardup_fingerprint" f JOIN "neardup_document" d ON d."id" = f."document_id" '
    'WHERE f."scheme_id" = %s AND f."document_id" IN ({})'
)
OBJECTS = 'SELECT "id", "space_id", "content_type_id", "object_id" FROM "neardup_document" WHERE "id" IN ({})'
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


def sketches_of(documents: Collection[int], scheme: int, using: str) -> dict[int, Sketch]:
    """What those documents are screened by, of those that have a fingerprint under the scheme. Their own rows, which
    stand elsewhere on the disk, are not read."""
    found = rows_in(using, SKETCHES, sorted(documents), scheme) if documents else []
    return {row[0]: Sketch._make(row) for row in _with_bytes(found, 4, 5)}


def prints_from(sketches: Collection[Sketch], using: str) -> dict[int, Print]:
    """The fingerprints of screened documents, with what is to be known to read their texts."""
    found = rows_in(using, OBJECTS, sorted(each.document for each in sketches)) if sketches else []
    objects = {row[0]: row[1:] for row in found}
    return {
        each.document: Print(*each[:5], each.leader, *objects[each.document])
        for each in sketches
        if each.document in objects
    }


def prints_of(documents: Collection[int], scheme: int, using: str) -> dict[int, Print]:
    """The fingerprints of those documents that have one under the scheme, with the leader of each one's cluster; of
    none whose post is deleted and remembered."""
    found = rows_in(using, PRINTS, sorted(documents), scheme) if documents else []
    return {row[0]: Print._make(row) for row in _with_bytes(found, 4) if row[1]}


def _with_bytes(rows: Sequence[tuple[Any, ...]], *places: int) -> Sequence[Sequence[Any]]:
    """The rows with bytes in those places, whatever the driver gives: of one column it gives the same in every row."""
    if not rows or all(type(rows[0][place]) is bytes for place in places):
        return rows
    return [[bytes(value) if place in places else value for place, value in enumerate(row)] for row in rows]
