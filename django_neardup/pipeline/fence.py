"""The first write of step A: from here on every older turn of the document stops.

The same write asks whether scheme and space are still what the process thinks they are, and there are no key phrases
still where it knows of none: all are remembered between turns."""

from __future__ import annotations

from collections.abc import Sequence

from .phrases import PHRASES
from .records import Signed
from .sql import execute, execute_many, rows, rows_in, skips_locked

TAKE = (
    'UPDATE "neardup_document" SET "version" = %s, "space_id" = %s, "live" = %s, "author" = %s, "forget_at" = NULL '
    'WHERE "id" = %s AND "version" <= %s'
)
ACTIVE = 'SELECT 1 FROM "neardup_scheme" WHERE "id" = %s AND "secret" = %s AND "state" = \'active\''
SPOKEN = f"SELECT 1 {PHRASES}"
KNOWN = 'SELECT 1 FROM "neardup_space" WHERE "id" = %s AND "digest" = %s'
TAKE_ONE = f"{TAKE} AND EXISTS ({ACTIVE}) AND EXISTS ({KNOWN})"
TAKE_UNREAD = f"{TAKE_ONE} AND NOT EXISTS ({SPOKEN})"
SEEN = 'SELECT "id", "version" FROM "neardup_document" WHERE "id" IN ({})'
FREE = f'{SEEN} ORDER BY "id" FOR UPDATE SKIP LOCKED'


class Outdated(Exception):
    """The scheme is not the active one any more, a space has gone, or there are key phrases now where none were known
    of: the turn is to be taken anew."""


def take(one: Signed, using: str) -> bool:
    """Take the fence for one document; False where a newer turn has been here. It may wait for the row.

    ``one.fresh`` is made False where another turn has signed the document since it was leased."""
    if one.fresh and _take(one, using, most=0):
        return True
    one.fresh = False
    if _take(one, using, most=one.wanted):
        return True
    _refuse_outdated([one], using)
    return False


def take_free(signed: Sequence[Signed], using: str) -> tuple[list[Signed], list[Signed]]:
    """Take the fences of those whose rows nobody else holds; those taken, and those left to be taken one by one.

    SQLite has one writer at a time: in a transaction that has begun to write every row is free."""
    statement = FREE if skips_locked(using) else SEEN
    found = dict(rows_in(using, statement, sorted(one.document for one in signed)))
    taken = [one for one in signed if found.get(one.document, one.wanted + 1) <= one.wanted]
    for one in taken:
        one.fresh = found[one.document] == 0
    if taken:
        _refuse_outdated(taken, using)
    execute_many(
        using, TAKE, [_values(one, one.wanted) for one in sorted(taken, key=lambda one: one.document)]
    )
    return taken, [one for one in signed if one.document not in found]


def fence(one: Signed, most: int) -> tuple[str, list[object]]:
    """The write that takes the fence where the document's version is at most that, and its parameters."""
    asked = [*_values(one, most), *_scheme(one), *_space(one)]
    if one.unread:
        return TAKE_UNREAD, [*asked, one.scheme.profile]
    return TAKE_ONE, asked


def _take(one: Signed, using: str, most: int) -> bool:
    return bool(execute(using, *fence(one, most)))


def _scheme(one: Signed) -> list[object]:
    return [one.scheme.pk, one.scheme.secret]


def _space(one: Signed) -> list[object]:
    return [one.space, one.space_digest]


def _values(one: Signed, most: int) -> list[object]:
    return [one.wanted, one.space, one.live, one.author, one.document, most]


def _refuse_outdated(signed: Sequence[Signed], using: str) -> None:
    if not rows(using, ACTIVE, _scheme(signed[0])):
        raise Outdated
    for one in {one.space: one for one in signed}.values():
        if not rows(using, KNOWN, _space(one)):
            raise Outdated
    if any(one.unread for one in signed) and rows(using, SPOKEN, [signed[0].scheme.profile]):
        raise Outdated
