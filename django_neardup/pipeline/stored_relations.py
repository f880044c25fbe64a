"""Read what is stored of many documents with few statements: fingerprints, pairs, memberships, decisions."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..db.chunks import chunked
from ..db.sql import fetch_all, fetch_all_in, placeholders
from .stage_types import ScreeningRow, StoredFingerprint

LEADER_SQL = (
    '(SELECT c."leader_id" FROM "neardup_membership" m JOIN "neardup_cluster" c ON c."id" = m."cluster_id" '
    'WHERE m."document_id" = f."document_id")'
)
"""A subquery per row. With a join, PostgreSQL may read all memberships of a site for a few hundred rows."""
SELECT_SCREENING_ROWS = (
    'SELECT f."document_id", f."source_digest", f."exact_digest", f."word_count", f."payload", f."keys", '
    f'{LEADER_SQL} FROM "neardup_fingerprint" f WHERE f."scheme_id" = %s AND f."document_id" IN ({{}})'
)
SELECT_FINGERPRINTS = (
    f'SELECT f."document_id", f."source_digest", f."exact_digest", f."word_count", f."payload", {LEADER_SQL}, '
    'd."space_id", d."content_type_id", d."object_id" '
    'FROM "neardup_fingerprint" f JOIN "neardup_document" d ON d."id" = f."document_id" '
    'WHERE f."scheme_id" = %s AND f."document_id" IN ({})'
)
SELECT_OBJECTS = (
    'SELECT "id", "space_id", "content_type_id", "object_id" FROM "neardup_document" WHERE "id" IN ({})'
)
SELECT_RELATIONS = (
    'SELECT 0, "a_id", "b_id", "space_id" FROM "neardup_pair" WHERE "a_id" IN ({0}) '
    'UNION ALL SELECT 0, "b_id", "a_id", "space_id" FROM "neardup_pair" WHERE "b_id" IN ({0}) '
    'UNION ALL SELECT 1, m."document_id", c."leader_id", c."space_id" FROM "neardup_membership" m '
    'JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE m."document_id" IN ({0}) '
    'UNION ALL SELECT 2, "document_id", 0, 0 FROM "neardup_decisionmember" WHERE "document_id" IN ({0})'
)
PAIR_RELATION, MEMBERSHIP_RELATION, DECISION_RELATION = range(3)
DOCUMENTS_PER_STATEMENT = 200
"""Documents per statement that reads relations. Each id stands in it four times."""


@dataclass(slots=True)
class DocumentRelations:
    """Stored relations of a document. The attributes are explained at ``Candidates``."""

    paired_documents: set[int] = field(default_factory=set)
    spaces: set[int] = field(default_factory=set)
    leader_id: int | None = None
    has_relations: bool = False


def relations_of(documents: Collection[int], using: str) -> dict[int, DocumentRelations]:
    """Return the pairs, memberships and decisions of documents by document id.

    Documents without any are left out. One statement reads them for a few hundred documents.
    """
    relations_by_document: dict[int, DocumentRelations] = {}
    for chunk in chunked(list(documents), DOCUMENTS_PER_STATEMENT):
        for kind, document, other, space in fetch_all(
            using, SELECT_RELATIONS.format(placeholders(len(chunk))), [*chunk] * 4
        ):
            relations = relations_by_document.setdefault(document, DocumentRelations())
            relations.has_relations = True
            if kind == PAIR_RELATION:
                relations.paired_documents.add(other)
            elif kind == MEMBERSHIP_RELATION:
                relations.leader_id = other
            if kind != DECISION_RELATION:
                relations.spaces.add(space)
    return relations_by_document


def screening_rows_of(documents: Collection[int], scheme: int, using: str) -> dict[int, ScreeningRow]:
    """Return the screening rows of documents that have a fingerprint under the scheme.

    Their rows in the table of documents are not read: they are on other pages of the disk.
    """
    rows = fetch_all_in(using, SELECT_SCREENING_ROWS, sorted(documents), scheme) if documents else []
    return {row[0]: ScreeningRow._make(row) for row in _convert_to_bytes(rows, 4, 5)}


def fingerprints_of_screened(
    screening_rows: Collection[ScreeningRow], using: str
) -> dict[int, StoredFingerprint]:
    """Return the fingerprints of screened documents, with what is needed to read their texts."""
    rows = (
        fetch_all_in(
            using, SELECT_OBJECTS, sorted(screening_row.document_id for screening_row in screening_rows)
        )
        if screening_rows
        else []
    )
    objects = {row[0]: row[1:] for row in rows}
    return {
        screening_row.document_id: StoredFingerprint(
            *screening_row[:5], screening_row.leader_id, *objects[screening_row.document_id]
        )
        for screening_row in screening_rows
        if screening_row.document_id in objects
    }


def fingerprints_of(documents: Collection[int], scheme: int, using: str) -> dict[int, StoredFingerprint]:
    """Return the fingerprints of documents under the scheme, with the leaders of their clusters.

    Leave out documents without a fingerprint, and deleted posts that are remembered.
    """
    rows = fetch_all_in(using, SELECT_FINGERPRINTS, sorted(documents), scheme) if documents else []
    # A remembered deleted post has no source digest: its text is gone.
    return {row[0]: StoredFingerprint._make(row) for row in _convert_to_bytes(rows, 4) if row[1]}


def _convert_to_bytes(rows: Sequence[tuple[Any, ...]], *columns: int) -> Sequence[Sequence[Any]]:
    """Return the rows with the given columns as bytes, for drivers that return another type.

    A driver returns the same type in every row of a column.
    """
    if not rows or all(type(rows[0][index]) is bytes for index in columns):
        return rows
    return [[bytes(value) if index in columns else value for index, value in enumerate(row)] for row in rows]
