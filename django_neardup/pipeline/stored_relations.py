"""Read what is stored of many documents with few statements: fingerprints, pairs, memberships, decisions."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

from ..db.queries import clusters as cluster_queries
from ..db.queries import documents as document_queries
from ..db.queries import fingerprints as fingerprint_queries
from .stage_types import ScreeningRow, StoredFingerprint


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
    for kind, document, other, space in cluster_queries.relations(using, documents):
        relations = relations_by_document.setdefault(document, DocumentRelations())
        relations.has_relations = True
        if kind == cluster_queries.PAIR_RELATION:
            relations.paired_documents.add(other)
        elif kind == cluster_queries.MEMBERSHIP_RELATION:
            relations.leader_id = other
        if kind != cluster_queries.DECISION_RELATION:
            relations.spaces.add(space)
    return relations_by_document


def screening_rows_of(documents: Collection[int], scheme: int, using: str) -> dict[int, ScreeningRow]:
    """Return the screening rows of documents that have a fingerprint under the scheme.

    Their rows in the table of documents are not read: they are on other pages of the disk.
    """
    rows = fingerprint_queries.screening_rows(using, documents, scheme) if documents else []
    return {row[0]: ScreeningRow._make(row) for row in rows}


def fingerprints_of_screened(
    screening_rows: Collection[ScreeningRow], using: str
) -> dict[int, StoredFingerprint]:
    """Return the fingerprints of screened documents, with what is needed to read their texts."""
    documents = sorted(screening_row.document_id for screening_row in screening_rows)
    objects = document_queries.objects_of(using, documents) if documents else {}
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
    rows = fingerprint_queries.with_objects(using, documents, scheme) if documents else []
    # A remembered deleted post has no source digest: its text is gone.
    return {row[0]: StoredFingerprint._make(row) for row in rows if row[1]}
