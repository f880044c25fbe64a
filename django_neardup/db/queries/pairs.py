"""Stored pairs. A pair is found by either side, so most statements are a union of two."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from ..backends import get_backend
from ..backends.base import Row, quoted_columns
from ..sql import execute_many, fetch_all_in, fetch_union_in

UPDATED_COLUMNS = (
    "space_id", "verdict", "exact", "score", "containment_a", "containment_b", "classes", "evidence", "digest_a",
    "digest_b", "decision_id", "judge_version", "snapshot", "doubtful",
)  # fmt: skip
INSERTED_COLUMNS = ("a_id", "b_id", "scheme_id", "found", *UPDATED_COLUMNS)
UPDATE = (
    f'UPDATE "neardup_pair" SET {quoted_columns(UPDATED_COLUMNS).replace(",", " = %s,")} = %s WHERE "id" = %s'
)
BY_SIDE = 'SELECT {columns} FROM "neardup_pair" WHERE +"scheme_id" = %s AND "{side}" IN ({{}})'
"""The sign keeps SQLite from reading all pairs of the scheme through the index that begins with it."""


def insert(using: str, rows: Sequence[Sequence[Any]]) -> None:
    """Insert pairs, values of ``INSERTED_COLUMNS``. The evidence is JSON as text."""
    get_backend(using).insert_rows("neardup_pair", INSERTED_COLUMNS, rows, json_columns=["evidence"])


def update(using: str, rows: Sequence[Sequence[Any]]) -> None:
    """Update pairs: values of ``UPDATED_COLUMNS`` and the id."""
    execute_many(using, UPDATE, rows)


def delete(using: str, ids: Iterable[int]) -> None:
    """Delete pairs by id."""
    execute_many(using, 'DELETE FROM "neardup_pair" WHERE "id" = %s', [[pair_id] for pair_id in ids])


def sides(using: str, documents: Iterable[int], scheme: int) -> list[Row]:
    """Return both documents of every pair of the documents."""
    return _of(using, ("a_id", "b_id"), documents, scheme)


def digests(using: str, documents: Iterable[int], scheme: int) -> list[Row]:
    """Return id, both documents, both digests and score of every pair of the documents."""
    return _of(using, ("id", "a_id", "b_id", "digest_a", "digest_b", "score"), documents, scheme)


def judgements(using: str, documents: Iterable[int], scheme: int) -> list[Row]:
    """Return every pair of the documents: both documents, verdict, exactness, score, classes, both digests, doubt."""
    columns = ("a_id", "b_id", "verdict", "exact", "score", "classes", "digest_a", "digest_b", "doubtful")
    return _of(using, columns, documents, scheme)


def schemes_of(using: str, documents: Iterable[int], side: str) -> list[Row]:
    """Return id, both documents, score, scheme and digest of the side "a" or "b", by which pairs are looked up."""
    statement = (
        f'SELECT "id", "a_id", "b_id", "score", "scheme_id", "digest_{side}" FROM "neardup_pair" '
        f'WHERE "{side}_id" IN ({{}})'
    )
    return fetch_all_in(using, statement, documents)


def _of(using: str, columns: Sequence[str], documents: Iterable[int], scheme: int) -> list[Row]:
    parts = (BY_SIDE.format(columns=quoted_columns(columns), side=side) for side in ("a_id", "b_id"))
    return fetch_union_in(using, " UNION ALL ".join(parts), sorted(documents), scheme)
