"""Deleted posts that are remembered, among what a text is like: judged by their stored fingerprints alone."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ..algorithms.base import VERDICTS
from ..db.sql import fetch_all_in
from ..models import Scheme
from ..pipeline.candidates import BucketMatches, bucket_matches_of
from ..pipeline.deleted_posts import datetime_parameter, keyed_digest, parse_deletion_time
from ..pipeline.reposts import FingerprintMatch, fingerprint_matches
from ..pipeline.stage_types import ScreeningRow, SignedDocument
from .request import SearchContext, SearchQuery
from .results import Match

DELETED_POSTS_SQL = (
    'SELECT f."document_id", f."exact_digest", f."word_count", f."payload", f."codes", '
    'd."author", d."live", d."reason" '
    'FROM "neardup_fingerprint" f JOIN "neardup_document" d ON d."id" = f."document_id" '
    'WHERE f."scheme_id" = %s AND f."source_digest" = \'\' AND d."forget_at" > %s AND f."document_id" IN ({})'
)
CODES_COLUMN, AUTHOR_COLUMN, LIVE_COLUMN, REASON_COLUMN = range(4, 8)


def find_deleted_posts(
    signed_texts: Mapping[int, SignedDocument], queries: Sequence[SearchQuery], context: SearchContext
) -> dict[int, list[Match]]:
    """By place, the remembered deleted posts that a text says again: the likest of its author's own, and the likest of
    others' that was shown, where the caller has not said what may be seen. Nothing is read where none is remembered.
    """
    some = {place: one for place, one in signed_texts.items() if one.space_id > 0}
    if not some or not context.adapter.settings.memory_days:
        return {}
    shared = bucket_matches_of(list(some.values()), context.using)
    enough = {place: _candidate_documents(one, shared[one.document_id]) for place, one in some.items()}
    scheme = next(iter(some.values())).scheme
    near = {document for documents in enough.values() for document in documents}
    before = scheme.pk, datetime_parameter(datetime.now(timezone.utc), context.using)
    rows = (
        {row[0]: row for row in fetch_all_in(context.using, DELETED_POSTS_SQL, sorted(near), *before)}
        if near
        else {}
    )
    return {
        place: _build_matches(
            one, [rows[each] for each in enough[place] if each in rows], queries[place], context, scheme
        )
        for place, one in some.items()
    }


def _candidate_documents(signed_text: SignedDocument, shared_keys: BucketMatches) -> list[int]:
    """Documents that share enough keys with a text."""
    return [
        *shared_keys.sure_documents,
        *shared_keys.most_shared(signed_text.algorithm, len(shared_keys.documents)),
    ]


def merge_matches(matches: Sequence[Match], deleted_matches: Iterable[Match], limit: int) -> list[Match]:
    """Both, the best first; of equals those whose posts are there."""
    every = sorted(
        [*matches, *deleted_matches],
        key=lambda each: (VERDICTS.index(each.verdict), not each.exact, -each.score),
    )
    return every[:limit]


def _build_matches(
    signed_text: SignedDocument,
    rows: Sequence[tuple[Any, ...]],
    query: SearchQuery,
    context: SearchContext,
    scheme: Scheme,
) -> list[Match]:
    author, codes = context.author or query.source.author, keyed_digest(signed_text.codes, scheme)
    known = {row[0]: row for row in rows}
    sketches = [ScreeningRow(row[0], "", row[1], row[2], bytes(row[3]), b"", None) for row in rows]
    found: dict[bool, Match] = {}
    for each in sorted(fingerprint_matches(signed_text, sketches), reverse=True):
        row = known[each.document_id]
        own = bool(author) and row[AUTHOR_COLUMN] == author
        if (
            own not in found
            and (each.exact or row[CODES_COLUMN] == codes)
            and (own or (context.is_unrestricted and row[LIVE_COLUMN]))
        ):
            found[own] = _build_match(each, own, row[REASON_COLUMN])
    return [found[own] for own in (True, False) if own in found]


def _build_match(repost: FingerprintMatch, is_own: bool, reason: str) -> Match:
    verdict, score = ("duplicate", 1.0) if repost.exact else ("related", repost.score)
    return Match(None, verdict, repost.exact, score, is_own, deleted=parse_deletion_time(reason))
