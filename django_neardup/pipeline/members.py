"""Who stands in a cluster: rows that know whose documents they are."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Any

from .sql import execute, execute_many, holes, named, vendor

SAID = ("cluster_id", "score", "exact", "reason", "scheme_id", "digest")
KNOWN = ("content_type_id", "object_id", "object_key")
INTO = f'INSERT INTO "neardup_membership" ("document_id", {named(SAID)}, {named(KNOWN)}) SELECT d."id", '
OWN = ", ".join(f'd."{name}"' for name in KNOWN)
TOLD = ", ".join(f'm."{name}"' for name in SAID)
ONE = f'{INTO} {holes(len(SAID))}, {OWN} FROM "neardup_document" d WHERE d."id" = %s'
MANY = (
    f"{INTO} {TOLD}, {OWN} "
    'FROM jsonb_populate_recordset(NULL::"neardup_membership", %s) m '
    'JOIN "neardup_document" d ON d."id" = m."document_id"'
)


def enter(rows: Sequence[Sequence[Any]], using: str) -> None:
    """Add members: of each its document and the columns ``SAID``; the document tells the rest. One statement on
    PostgreSQL, one a row elsewhere."""
    if not rows:
        return
    if vendor(using) == "postgresql":
        told = [dict(zip(("document_id", *SAID), row, strict=True)) for row in rows]
        execute(using, MANY, [json.dumps(told, default=str)])
    else:
        execute_many(using, ONE, [[*row[1:], row[0]] for row in rows])
