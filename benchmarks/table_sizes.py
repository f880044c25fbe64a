"""How many bytes tables take, with their indexes."""

from __future__ import annotations

TABLES = {
    "posts themselves": "board_post",
    "documents": "neardup_document",
    "fingerprints": "neardup_fingerprint",
    "keys": "neardup_key",
    "contacts": "neardup_contact",
    "pairs": "neardup_pair",
    "memberships": "neardup_membership",
    "clusters": "neardup_cluster",
}
SQLITE = (
    "SELECT m.tbl_name, SUM(s.pgsize) FROM dbstat s JOIN sqlite_master m ON m.name = s.name "
    "WHERE s.aggregate = TRUE GROUP BY m.tbl_name"
)


def bytes_of(alias: str) -> dict[str, int]:
    """Bytes of each of `TABLES` in an SQLite or PostgreSQL database."""
    from django.db import connections

    with connections[alias].cursor() as cursor:
        if connections[alias].vendor == "sqlite":
            cursor.execute(SQLITE)
            found = dict(cursor.fetchall())
            return {name: int(found[table]) for name, table in TABLES.items()}
        cursor.execute(
            "SELECT name, pg_total_relation_size(name::regclass) FROM unnest(%s::text[]) AS name",
            [list(TABLES.values())],
        )
        found = dict(cursor.fetchall())
    return {name: int(found[table]) for name, table in TABLES.items()}
