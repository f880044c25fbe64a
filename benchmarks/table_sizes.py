"""How many bytes tables take, with their indexes."""

from __future__ import annotations

from benchmarks.keytables import size_of

OWN = "posts themselves"
TABLES = {
    OWN: "board_post",
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
    """Bytes of each of `TABLES`; on SQLite by one walk through the file, on MariaDB as ANALYZE has found them."""
    from django.db import connections

    if connections[alias].vendor != "sqlite":
        return {name: size_of(alias, table) for name, table in TABLES.items()}
    with connections[alias].cursor() as cursor:
        cursor.execute(SQLITE)
        found = dict(cursor.fetchall())
    return {name: int(found[table]) for name, table in TABLES.items()}
