"""Statements that join all rows of a list with their clusters. Row-by-row subqueries would be expensive for these.

The list is SQL with the columns "neardup_key", the post's key as memberships store it, and for ``firsts``
"neardup_pk" and "neardup_place". The parameters are those of the list, and the id of the content type.
"""

from __future__ import annotations

from ..backends import get_backend

JOIN = "FROM ({matched}) post LEFT JOIN {table} m ON m.content_type_id = %s AND m.{column} = post.neardup_key"
COUNTS = f"SELECT COUNT(*), COUNT(m.cluster_id), COUNT(DISTINCT m.cluster_id) {JOIN}"
FIRSTS = (
    "SELECT placed.neardup_pk FROM (SELECT post.neardup_pk, m.cluster_id, "
    f"ROW_NUMBER() OVER (PARTITION BY m.cluster_id ORDER BY post.neardup_place) AS place {JOIN}) placed "
    "WHERE placed.cluster_id IS NULL OR placed.place = 1"
)


def counts(using: str, matched: str, column: str) -> str:
    """Return the statement for the number of rows, of rows in clusters, and of clusters.

    ``column`` is that of a membership which the key is compared with.
    """
    return _joined(using, COUNTS, matched, column)


def firsts(using: str, matched: str, column: str) -> str:
    """Return the statement for the primary keys of the rows without a cluster and the first row of each cluster."""
    return _joined(using, FIRSTS, matched, column)


def _joined(using: str, statement: str, matched: str, column: str) -> str:
    # The list is quoted by Django already.
    table = get_backend(using).with_quotes('"neardup_membership"')
    return statement.format(matched=matched, table=table, column=column)
