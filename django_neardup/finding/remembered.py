"""Deleted posts that are remembered, among what a text is like: judged by their stored fingerprints alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ..models import Scheme
from ..pipeline.candidates import Shared, shared_of
from ..pipeline.memory import deleted_at, sealed, stored
from ..pipeline.records import Signed, Sketch
from ..pipeline.repeats import Alike, alike
from ..pipeline.sql import rows_in
from ..signatures.base import VERDICTS
from .asking import Asked, Asking
from .matches import Match

DELETED = (
    'SELECT f."document_id", f."exact_digest", f."word_count", f."payload", f."codes", '
    'd."author", d."live", d."reason" '
    'FROM "neardup_fingerprint" f JOIN "neardup_document" d ON d."id" = f."document_id" '
    'WHERE f."scheme_id" = %s AND f."source_digest" = \'\' AND d."forget_at" > %s AND f."document_id" IN ({})'
)
CODES, AUTHOR, LIVE, REASON = range(4, 8)


def remembered(signed: Mapping[int, Signed], asked: Sequence[Asked], ask: Asking) -> dict[int, list[Match]]:
    """By place, the remembered deleted posts that a text says again: the likest of its author's own, and the likest of
    others' that was shown, where the caller has not said what may be seen. Nothing is read where none is remembered.
    """
    some = {place: one for place, one in signed.items() if one.space > 0}
    if not some or not ask.adapter.settings.memory_days:
        return {}
    shared = shared_of(list(some.values()), ask.using)
    enough = {place: _enough(one, shared[one.document]) for place, one in some.items()}
    scheme = next(iter(some.values())).scheme
    near = {document for documents in enough.values() for document in documents}
    before = scheme.pk, stored(datetime.now(timezone.utc), ask.using)
    rows = {row[0]: row for row in rows_in(ask.using, DELETED, sorted(near), *before)} if near else {}
    return {
        place: _matches(
            one, [rows[each] for each in enough[place] if each in rows], asked[place], ask, scheme
        )
        for place, one in some.items()
    }


def _enough(one: Signed, shared: Shared) -> list[int]:
    """Documents that share enough keys with a text."""
    return [*shared.namesakes, *shared.nearest(one.algorithm, len(shared.documents))]


def joined(matches: Sequence[Match], deleted: Iterable[Match], limit: int) -> list[Match]:
    """Both, the best first; of equals those whose posts are there."""
    every = sorted(
        [*matches, *deleted], key=lambda each: (VERDICTS.index(each.verdict), not each.exact, -each.score)
    )
    return every[:limit]


def _matches(
    one: Signed, rows: Sequence[tuple[Any, ...]], asked: Asked, ask: Asking, scheme: Scheme
) -> list[Match]:
    author, codes = ask.author or asked.source.author, sealed(one.codes, scheme)
    known = {row[0]: row for row in rows}
    sketches = [Sketch(row[0], "", row[1], row[2], bytes(row[3]), b"", None) for row in rows]
    found: dict[bool, Match] = {}
    for each in sorted(alike(one, sketches), reverse=True):
        row = known[each.document]
        own = bool(author) and row[AUTHOR] == author
        if own not in found and (each.exact or row[CODES] == codes) and (own or (ask.open and row[LIVE])):
            found[own] = _match(each, own, row[REASON])
    return [found[own] for own in (True, False) if own in found]


def _match(found: Alike, own: bool, reason: str) -> Match:
    verdict, score = ("duplicate", 1.0) if found.exact else ("related", found.score)
    return Match(None, verdict, found.exact, score, own, deleted=deleted_at(reason))
