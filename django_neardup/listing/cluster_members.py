"""The members of clusters, in one statement for all databases. No model objects are built."""

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
"""The unary plus stops SQLite from using the index on the content type. SQLite does not know how common a
content type is, so it would read all documents of that type."""

CLUSTERS_STATEMENT = """
    SELECT own.cluster_id FROM {membership} own WHERE {own}
"""
"""PostgreSQL gets the result as an array. With a join, it reads all memberships of a site for fifty posts."""


def load_cluster_members(
    using: str, object_ids: Mapping[int, Sequence[str]], content_type_ids: Sequence[int]
) -> list[ClusterMemberRow]:
    """Return each document that shares a cluster with one of the objects.

    A row has content type id, object id and cluster id. ``object_ids``: canonical ids by content type id, at
    least one. ``content_type_ids``: the content types to return. The rows are in static order: live
    documents first, then by ``first_seen``.
    """
    connection = connections[using]
    values: list[Any] = list(content_type_ids)
    clauses = []
    for content_type_id, ids in object_ids.items():
        condition, parameters = _in_condition(connection.vendor, ids)
        clauses.append(f"(own.content_type_id = %s AND own.object_id {condition})")
        values += [content_type_id, *parameters]
    tables = {
        "membership": connection.ops.quote_name(Membership._meta.db_table),
        "document": connection.ops.quote_name(Document._meta.db_table),
    }
    clusters_sql = CLUSTERS_STATEMENT.format(**tables, own=" OR ".join(clauses))
    cluster_condition = (
        f"= ANY(ARRAY({clusters_sql}))" if connection.vendor == "postgresql" else f"IN ({clusters_sql})"
    )
    statement = MEMBERS_STATEMENT.format(
        **tables, kinds=placeholders(len(content_type_ids)), clusters=cluster_condition
    )
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        rows: list[ClusterMemberRow] = cursor.fetchall()
    return rows


def _in_condition(vendor: str, values: Sequence[str]) -> tuple[str, list[Any]]:
    """Return a condition on a column, and its parameters."""
    # PostgreSQL takes an array, which is quicker to write.
    if vendor == "postgresql":
        return "= ANY(%s)", [list(values)]
    return f"IN ({placeholders(len(values))})", list(values)
