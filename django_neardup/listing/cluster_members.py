"""Who is in a cluster with whom: one statement, the same on every database, without model objects."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from django.db import connections

from ..db.sql import placeholders
from ..models import Document, Membership

ClusterMemberRow = tuple[int, str, int]

MEMBERS_STATEMENT = """
SELECT d.content_type_id, d.object_id, m.cluster_id
FROM {membership} m JOIN {document} d ON d.id = m.document_id
WHERE +d.content_type_id IN ({kinds}) AND m.cluster_id {clusters}
ORDER BY d.live DESC, d.first_seen, d.id
"""
"""A plus keeps SQLite, which knows nothing of how often a content type is there, from reading all documents of it."""

CLUSTERS_STATEMENT = """
    SELECT own.cluster_id FROM {membership} own WHERE {own}
"""
"""Given to PostgreSQL as an array: joined, it reads all memberships of a site for fifty."""


def load_cluster_members(
    using: str, object_ids: Mapping[int, Sequence[str]], content_type_ids: Sequence[int]
) -> list[ClusterMemberRow]:
    """Content type, object id and cluster of every document that shares a cluster with one of the given objects.

    ``objects``: canonical ids by content type, one at least; ``kinds``: the content types of those that are wanted.
    In static order: what is live first, then as they were first seen.
    """
    connection = connections[using]
    values: list[Any] = list(content_type_ids)
    clauses = []
    for kind, ids in object_ids.items():
        condition, more = _in_condition(connection.vendor, ids)
        clauses.append(f"(own.content_type_id = %s AND own.object_id {condition})")
        values += [kind, *more]
    tables = {
        "membership": connection.ops.quote_name(Membership._meta.db_table),
        "document": connection.ops.quote_name(Document._meta.db_table),
    }
    asked = CLUSTERS_STATEMENT.format(**tables, own=" OR ".join(clauses))
    within = f"= ANY(ARRAY({asked}))" if connection.vendor == "postgresql" else f"IN ({asked})"
    statement = MEMBERS_STATEMENT.format(**tables, kinds=placeholders(len(content_type_ids)), clusters=within)
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[ClusterMemberRow] = cursor.fetchall()
    return rows


def _in_condition(vendor: str, values: Sequence[str]) -> tuple[str, list[Any]]:
    """A condition on a column and its parameters; PostgreSQL takes an array, which is quicker to write."""
    if vendor == "postgresql":
        return "= ANY(%s)", [list(values)]
    return f"IN ({placeholders(len(values))})", list(values)
