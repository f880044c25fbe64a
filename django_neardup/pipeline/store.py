"""Step A of a turn: keys and fingerprints are committed before anybody looks for candidates."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from django.db import connections, transaction

from ..conf import get_profile
from ..models import Document
from ..portions import PORTION, portions
from ..storage import keys as storage
from ..storage.index import ROWS as IN_ROWS
from ..storage.postgresql import array
from .fence import fence, take, take_free
from .locks import retrying, writing
from .records import Signed
from .sql import binary, execute, execute_many, holes, rows, rows_in, skips_locked, vendor

ROWS = 100
"""Fingerprints in one statement."""

COLUMNS = (
    "document_id", "scheme_id", "version", "source_digest", "exact_digest", "word_count", "payload", "keys", "codes",
)  # fmt: skip
BINARY = ("payload", "keys")
KEPT = ("document_id", "scheme_id")
AT_ONCE = (
    'WITH taken AS ({fence} RETURNING "id"), written AS ('
    'INSERT INTO "neardup_key" ("key", "document") SELECT asked.key, taken."id" '
    "FROM taken, unnest(%s::bigint[]) AS asked(key) ON CONFLICT DO NOTHING), printed AS ("
    'INSERT INTO "neardup_fingerprint" ({columns}) SELECT taken."id", {holes} FROM taken {conflict}){contacts} '
    "SELECT 1 FROM taken"
)
CONTACTS = (
    ', told AS (INSERT INTO "neardup_contact" ("hash", "document_id", "kind") '
    'SELECT each.hash, taken."id", each.kind FROM taken, unnest(%s::bigint[], %s::text[]) AS each(hash, kind))'
)
FENCE = (
    'UPDATE "neardup_document" SET "version" = %s, "forget_at" = NULL, "repeats_id" = NULL, "repeats_exactly" = NULL '
    'WHERE "id" = %s AND "version" <= %s'
)


def store_many(signed: Sequence[Signed], using: str, keys_there: bool = False) -> list[Signed]:
    """Step A: fence, keys, fingerprint and contacts of each, committed; those that it was done for.

    Left out are those that a newer turn has seen to, and no more is to be done for them. Never waits for a row while
    it holds others. ``Outdated`` where the scheme is not the active one any more: the turns are to be taken anew.
    ``keys_there``: the keys of all are committed already. Of a fresh document nobody can have taken one away since."""
    if len(signed) < 2 or not (skips_locked(using) or vendor(using) == "sqlite"):
        return [one for one in signed if retrying(_store_one, one, using, keys_there)]
    taken, left = retrying(_store_free, signed, using, keys_there)
    one_by_one = [one for one in left if retrying(_store_one, one, using, keys_there)]
    stored = {one.document for one in (*taken, *one_by_one)}
    return [one for one in signed if one.document in stored]


def erase(document: Document, using: str) -> bool | None:
    """Take keys, fingerprints and contacts of a document away; False where no turn has signed it before, None where a
    newer turn has been here."""
    with transaction.atomic(using=using, durable=True):
        if document.version == 0 and execute(using, FENCE, [document.wanted, document.pk, 0]):
            return False
        if not execute(using, FENCE, [document.wanted, document.pk, document.wanted]):
            return None
        strip(document.pk, using)
    return True


def strip(document: int, using: str, but: int = 0) -> None:
    """Take keys, fingerprints and contacts of a document away, inside a transaction that has taken its row; but for
    the keys and the fingerprint of that scheme."""
    which, values = '"document_id" = %s AND "scheme_id" <> %s', [document, but]
    for (keys,) in rows(using, f'SELECT "keys" FROM "neardup_fingerprint" WHERE {which}', values):
        storage.replace(using, document, storage.unpack(keys), ())
    execute(using, f'DELETE FROM "neardup_fingerprint" WHERE {which}', values)
    execute(using, 'DELETE FROM "neardup_contact" WHERE "document_id" = %s', [document])


def _store_one(one: Signed, using: str, keys_there: bool) -> bool:
    if one.fresh and not keys_there and _takes_all_at_once(using) and _store_at_once(one, using):
        return True
    with transaction.atomic(using=using, durable=True):
        if not take(one, using):
            return False
        _write([one], using, keys_there)
    return True


def _takes_all_at_once(using: str) -> bool:
    """Whether one statement does for all of a new document, a transaction of itself."""
    connection = connections[using]
    return (
        connection.vendor == "postgresql"
        and get_profile().storage == IN_ROWS
        and connection.get_autocommit()
        and not connection.in_atomic_block
    )


def _store_at_once(one: Signed, using: str) -> bool:
    """Fence, keys, fingerprint and contacts of a document that nobody has signed; False, and nothing is done, where
    somebody has. All the rest waits for the fence: it writes for the row that the fence has taken."""
    statement, asked = fence(one, 0)
    known = sorted(one.contacts)
    told = [array(known), "{" + ",".join(one.contacts[value] for value in known) + "}"] if known else []
    values = [*asked, array(one.keys.tolist()), *_values(one, using)[1:], *told]
    return bool(rows(using, _at_once(statement, bool(known)), values))


@lru_cache
def _at_once(fence: str, contacts: bool) -> str:
    columns, _, conflict = _parts("postgresql")
    return AT_ONCE.format(
        fence=fence,
        columns=columns,
        holes=holes(len(COLUMNS) - 1),
        conflict=conflict,
        contacts=CONTACTS if contacts else "",
    )


def _store_free(signed: Sequence[Signed], using: str, keys_there: bool) -> tuple[list[Signed], list[Signed]]:
    """Those whose rows are free, in one transaction; and those left."""
    with writing(using):
        taken, left = take_free(signed, using)
        if taken:
            _write(taken, using, keys_there)
    return taken, left


def _write(signed: Sequence[Signed], using: str, keys_there: bool) -> None:
    """Keys, fingerprints and contacts of documents whose fences are taken."""
    known = [one.document for one in signed if not one.fresh]
    old = _old_keys(known, signed[0].scheme.pk, using) if known else {}
    _replace_keys(signed, old, using, keys_there)
    for portion in portions(signed, ROWS):
        _write_fingerprints(portion, using)
    if known or any(one.contacts for one in signed):
        _replace_contacts(signed, known, using)


def _old_keys(known: Sequence[int], scheme: int, using: str) -> dict[int, set[int]]:
    """The keys that stand for those documents; what a retired scheme has left of them goes."""
    statement = (
        'SELECT "document_id", "scheme_id", "keys" FROM "neardup_fingerprint" WHERE "document_id" IN ({})'
    )
    old: dict[int, set[int]] = {}
    retired = []
    for document, other, keys in rows_in(using, statement, known):
        old.setdefault(document, set()).update(storage.unpack(keys))
        if other != scheme:
            retired.append((document, other))
    execute_many(
        using, 'DELETE FROM "neardup_fingerprint" WHERE "document_id" = %s AND "scheme_id" = %s', retired
    )
    return old


def _replace_keys(
    signed: Sequence[Signed], old: Mapping[int, set[int]], using: str, keys_there: bool
) -> None:
    if len(signed) == 1 and not keys_there:
        (one,) = signed
        storage.replace(using, one.document, old.get(one.document, ()), one.keys.tolist())
        return
    added, gone = [], []
    for one in signed:
        new, before = set(one.keys.tolist()), old.get(one.document, set())
        if not (keys_there and one.fresh):
            added += [(key, one.document) for key in new - before]
        gone += [(key, one.document) for key in before - new]
    if gone:
        storage.remove_run(using, *zip(*gone))
    if added:
        storage.add_run(using, *zip(*added))


def _write_fingerprints(signed: Sequence[Signed], using: str) -> None:
    execute(
        using, _upsert(vendor(using), len(signed)), [value for one in signed for value in _values(one, using)]
    )


@lru_cache(maxsize=ROWS)
def _upsert(vendor: str, rows: int) -> str:
    """The statement that writes so many fingerprints."""
    columns, hole, conflict = _parts(vendor)
    return (
        f'INSERT INTO "neardup_fingerprint" ({columns}) VALUES {", ".join([f"({hole})"] * rows)} {conflict}'
    )


def _parts(vendor: str) -> tuple[str, str, str]:
    """Of that statement: the columns, their placeholders, and what is done where the row is there."""
    if vendor == "mysql":
        binary, new, conflict = "_binary %s", "VALUES({})", "ON DUPLICATE KEY UPDATE"
    else:
        binary, new, conflict = "%s", "excluded.{}", 'ON CONFLICT ("document_id", "scheme_id") DO UPDATE SET'
    hole = ", ".join(binary if name in BINARY else "%s" for name in COLUMNS)
    quoted = {name: f'"{name}"' for name in COLUMNS}
    changes = (f"{quoted[name]} = {new.format(quoted[name])}" for name in COLUMNS if name not in KEPT)
    return ", ".join(quoted.values()), hole, f"{conflict} {', '.join(changes)}"


def _values(one: Signed, using: str) -> list[Any]:
    return [
        one.document, one.scheme.pk, one.wanted, one.digest, one.exact_digest, one.words,
        binary(using, one.payload), binary(using, one.keys.tobytes()), one.codes,
    ]  # fmt: skip


def _replace_contacts(signed: Sequence[Signed], known: Sequence[int], using: str) -> None:
    statement = 'SELECT "document_id", "hash" FROM "neardup_contact" WHERE "document_id" IN ({})'
    present = set(rows_in(using, statement, known))
    wanted = {(one.document, value): kind for one in signed for value, kind in one.contacts.items()}
    gone = sorted((value, document) for document, value in present - wanted.keys())
    execute_many(using, 'DELETE FROM "neardup_contact" WHERE "hash" = %s AND "document_id" = %s', gone)
    new = sorted((value, document) for document, value in wanted.keys() - present)
    for portion in portions(new, PORTION // 3):  # three values each
        execute(
            using,
            'INSERT INTO "neardup_contact" ("hash", "document_id", "kind") VALUES '
            + ", ".join([f"({holes(3)})"] * len(portion)),
            [part for value, owner in portion for part in (value, owner, wanted[owner, value])],
        )
