"""Moderators' decisions."""

from __future__ import annotations

from collections.abc import Iterable

from ..sql import fetch_all_in


def ids_of(using: str, documents: Iterable[int]) -> list[int]:
    """Return the ids of the decisions that name one of the documents. An id may occur several times."""
    statement = 'SELECT DISTINCT "decision_id" FROM "neardup_decisionmember" WHERE "document_id" IN ({})'
    return [decision for (decision,) in fetch_all_in(using, statement, documents)]
