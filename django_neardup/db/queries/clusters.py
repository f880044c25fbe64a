"""Clusters and memberships, and what a conclusion reads of documents with them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from ..backends import get_backend
from ..backends.base import Row, placeholders, quoted_columns
from ..chunks import chunked
from ..sql import execute, fetch_all, fetch_all_in

CLUSTER_COLUMNS = ("id", "space_id", "leader_id", "size", "lowest", "weakest", "exact")
MEMBERSHIP_COLUMNS = ("document_id", "cluster_id", "score", "exact", "reason", "scheme_id", "digest")
COPIED_COLUMNS = ("content_type_id", "object_id", "object_key")
"""Columns of a document that its membership repeats."""

OF_DOCUMENTS = (
    'FROM "neardup_membership" m '
    'JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE m."document_id" IN ({})'
)
WITH_PLACES = (
    'LEFT JOIN "neardup_fingerprint" f ON f."document_id" = d."id" AND f."scheme_id" = %s '
    'LEFT JOIN "neardup_membership" m ON m."document_id" = d."id" '
    'LEFT JOIN "neardup_cluster" c ON c."id" = m."cluster_id" '
    'LEFT JOIN "neardup_familymember" y ON y."document_id" = d."id" AND y."scheme_id" = f."scheme_id" '
    'WHERE d."id" IN ({})'
)
NODE = (
    'd."id", d."live", d."text_since", d."first_seen", f."source_digest", c."leader_id", y."leader_id", '
    'y."doubtful"'
)
NODES = f'SELECT {NODE} FROM "neardup_document" d {WITH_PLACES}'
LOCKED_STATE = (
    f"SELECT {NODE}, "
    'd."version", m."cluster_id", c."space_id", m."digest", m."scheme_id", '
    'EXISTS (SELECT 1 FROM "neardup_decisionmember" s WHERE s."document_id" = d."id"), '
    'd."id" >= %s AND (SELECT a."id" FROM "neardup_pair" a WHERE a."a_id" = d."id" LIMIT 1) IS NULL '
    'AND (SELECT b."id" FROM "neardup_pair" b WHERE b."b_id" = d."id" LIMIT 1) IS NULL, '
    f'c."size", c."lowest", c."weakest", c."exact" FROM "neardup_document" d {WITH_PLACES}'
)
LOWEST_INNER_SCORE = (
    'SELECT MIN(p."score") FROM "neardup_membership" a JOIN "neardup_pair" p ON p."a_id" = a."document_id" '
    'JOIN "neardup_membership" b ON b."document_id" = p."b_id" '
    'WHERE a."cluster_id" = %s AND b."cluster_id" = %s AND +p."space_id" = %s'
)
"""The plus keeps SQLite from reading all pairs of a space."""
UPDATE_STATISTICS = (
    'UPDATE "neardup_cluster" SET "size" = %s, "lowest" = %s, "weakest" = %s, "exact" = %s, "state" = %s '
    'WHERE "id" = %s'
)
RELATIONS = (
    'SELECT 0, "a_id", "b_id", "space_id" FROM "neardup_pair" WHERE "a_id" IN ({0}) '
    'UNION ALL SELECT 0, "b_id", "a_id", "space_id" FROM "neardup_pair" WHERE "b_id" IN ({0}) '
    'UNION ALL SELECT 1, m."document_id", c."leader_id", c."space_id" FROM "neardup_membership" m '
    'JOIN "neardup_cluster" c ON c."id" = m."cluster_id" WHERE m."document_id" IN ({0}) '
    'UNION ALL SELECT 2, "document_id", 0, 0 FROM "neardup_decisionmember" WHERE "document_id" IN ({0})'
)
PAIR_RELATION, MEMBERSHIP_RELATION, DECISION_RELATION = range(3)
RELATIONS_PER_STATEMENT = 200
"""Documents per statement that reads relations. Each id stands in it four times."""

MEMBERS_WITH_OBJECTS = (
    'SELECT d."content_type_id", d."object_id", m."cluster_id" '
    'FROM "neardup_membership" m JOIN "neardup_document" d ON d."id" = m."document_id" '
    'WHERE +d."content_type_id" IN ({kinds}) AND m."cluster_id" {clusters} '
    'ORDER BY d."live" DESC, d."text_since", d."first_seen", d."id"'
)
"""The unary plus stops SQLite from using the index on the content type. SQLite does not know how common a
content type is, so it would read all documents of that type."""


def insert_memberships(using: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert memberships, values of ``MEMBERSHIP_COLUMNS``. Further columns are copied from the document."""
    if rows:
        get_backend(using).insert_with_columns_of(
            "neardup_membership", MEMBERSHIP_COLUMNS, rows, "neardup_document", COPIED_COLUMNS
        )


def update_membership(using: str, membership: int, score: float, exact: bool, reason: str) -> None:
    """Update score, exactness and reason of a membership."""
    statement = 'UPDATE "neardup_membership" SET "score" = %s, "exact" = %s, "reason" = %s WHERE "id" = %s'
    execute(using, statement, [score, exact, reason, membership])


def scores_of(using: str, documents: Sequence[int]) -> list[Row]:
    """Return id, document, leader, score, exactness and reason of memberships."""
    columns = 'm."id", m."document_id", c."leader_id", m."score", m."exact", m."reason"'
    return fetch_all_in(using, f"SELECT {columns} {OF_DOCUMENTS}", documents)


def places_of(using: str, documents: Collection[int]) -> list[Row]:
    """Return document, cluster, leader, space, digest and scheme of memberships."""
    columns = 'm."document_id", m."cluster_id", c."leader_id", c."space_id", m."digest", m."scheme_id"'
    return fetch_all_in(using, f"SELECT {columns} {OF_DOCUMENTS}", documents)


def cluster_of_leader(using: str, leader: int) -> list[Row]:
    """Return the columns ``CLUSTER_COLUMNS`` of the cluster with that leader."""
    columns = quoted_columns(CLUSTER_COLUMNS)
    return fetch_all(using, f'SELECT {columns} FROM "neardup_cluster" WHERE "leader_id" = %s', [leader])


def space_of(using: str, document: int) -> Any:
    """Return the space of a document."""
    ((space,),) = fetch_all(using, 'SELECT "space_id" FROM "neardup_document" WHERE "id" = %s', [document])
    return space


def nodes(using: str, documents: Sequence[int], scheme: int) -> list[Row]:
    """Return document, liveness, text age (two columns), source digest, leader, and leader and doubt of its family."""
    return fetch_all_in(using, NODES, documents, scheme)


def locked_state(using: str, documents: Sequence[int], first_new: int, scheme: int) -> list[Row]:
    """Return everything that a conclusion needs, by one statement: other workers wait for the lock.

    The first eight columns are those of ``nodes``. Then come version, cluster, space of the cluster, digest and
    scheme of the membership, whether a decision names the document, whether it has no pair (asked of documents
    from ``first_new`` on), and size, lowest, weakest and exact of the cluster.
    """
    return fetch_all_in(using, LOCKED_STATE, documents, first_new, scheme)


def lowest_inner_score(using: str, cluster: int, space: int) -> float | None:
    """Return the lowest score of the stored pairs inside a cluster. Return None without one."""
    ((lowest,),) = fetch_all(using, LOWEST_INNER_SCORE, [cluster, cluster, space])
    return None if lowest is None else float(lowest)


def update_statistics(
    using: str, cluster: int, size: int, lowest: float, weakest: float, exact: bool, state: str
) -> None:
    """Update the figures of a cluster."""
    execute(using, UPDATE_STATISTICS, [size, lowest, weakest, exact, state, cluster])


def relations(using: str, documents: Iterable[int]) -> list[Row]:
    """Return kind, document, other document and space of the relations of documents.

    ``PAIR_RELATION``: the other is paired with it. ``MEMBERSHIP_RELATION``: the other is its leader.
    ``DECISION_RELATION``: a decision names it.
    """
    return [
        row
        for chunk in chunked(list(documents), RELATIONS_PER_STATEMENT)
        for row in fetch_all(using, RELATIONS.format(placeholders(len(chunk))), [*chunk] * 4)
    ]


def members_with_objects(
    using: str, object_ids: Mapping[int, Sequence[str]], content_type_ids: Sequence[int]
) -> list[Row]:
    """Return content type, object id and cluster of each document that shares a cluster with one of the objects.

    ``object_ids``: canonical ids by content type id, at least one. ``content_type_ids``: the content types to
    return. The rows are in static order: live documents first, then the oldest text first.
    """
    backend = get_backend(using)
    values: list[Any] = list(content_type_ids)
    clauses = []
    for content_type_id, ids in object_ids.items():
        condition, parameters = backend.is_in(ids)
        clauses.append(f'(own."content_type_id" = %s AND own."object_id" {condition})')
        values += [content_type_id, *parameters]
    clusters = f'SELECT own."cluster_id" FROM "neardup_membership" own WHERE {" OR ".join(clauses)}'
    statement = MEMBERS_WITH_OBJECTS.format(
        kinds=placeholders(len(content_type_ids)), clusters=backend.is_in_subquery(clusters)
    )
    return backend.fetch_all(statement, values)
