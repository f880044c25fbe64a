"""Members of template families."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..backends import get_backend
from ..backends.base import placeholders
from ..chunks import chunked
from ..sql import execute, execute_many

TABLE = "neardup_familymember"
COLUMNS = ("document_id", "leader_id", "scheme_id", "doubtful")
DELETE = 'DELETE FROM "neardup_familymember" WHERE "scheme_id" = %s AND "document_id" IN ({})'


def write(using: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert members, values of ``COLUMNS``. The documents have none. The space is copied from the document."""
    if rows:
        get_backend(using).insert_with_columns_of(TABLE, COLUMNS, rows, "neardup_document", ["space_id"])


def delete(using: str, documents: Sequence[int], scheme: int) -> None:
    """Delete the members of these documents."""
    for chunk in chunked(documents):
        statement = DELETE.format(placeholders(len(chunk)))
        execute(using, statement, [scheme, *chunk])


def delete_of_schemes(using: str, rows: Sequence[tuple[int, int]]) -> None:
    """Delete members by document and scheme."""
    statement = 'DELETE FROM "neardup_familymember" WHERE "document_id" = %s AND "scheme_id" = %s'
    execute_many(using, statement, rows)
