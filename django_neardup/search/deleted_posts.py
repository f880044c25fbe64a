"""Remembered deleted posts as matches. They are compared by their stored fingerprints."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime, timezone
from typing import Any

from ..algorithms.base import VERDICTS
from ..comparison.bucket_matches import BucketMatches
from ..comparison.candidates import bucket_matches_of
from ..comparison.compared_texts import ScreeningRow
from ..db.queries import fingerprints as fingerprint_queries
from ..models import Scheme
from ..pipeline.deleted_posts import datetime_parameter, keyed_digest, parse_deletion_time
from ..pipeline.reposts import FingerprintMatch, fingerprint_matches
from ..pipeline.stage_types import SignedDocument
from ..pipeline.stored_posts import StoredPosts
from .request import SearchContext, SearchQuery
from .results import Match

CODES_COLUMN, AUTHOR_COLUMN, LIVE_COLUMN, REASON_COLUMN = range(4, 8)


def find_deleted_posts(
    signed_texts: Mapping[int, SignedDocument], queries: Sequence[SearchQuery], context: SearchContext
) -> dict[int, list[Match]]:
    """Return the remembered deleted posts that each text repeats, by the position of the text.

    They are the most similar post of the text's author and the most similar one of other authors. The latter
    must have been live, and the caller must not have passed ``visible``. If the site remembers no deleted
    posts, nothing is read.
    """
    known_space_texts = {
        position: signed_text for position, signed_text in signed_texts.items() if signed_text.space_id > 0
    }
    if not known_space_texts or not context.adapter.settings.memory_days:
        return {}
    signed = list(known_space_texts.values())
    bucket_matches = bucket_matches_of(signed, StoredPosts.of(signed, context.using))
    candidate_ids = {
        position: _candidate_documents(signed_text, bucket_matches[signed_text.document_id])
        for position, signed_text in known_space_texts.items()
    }
    scheme = signed[0].scheme
    all_candidate_ids = {
        document_id for document_ids in candidate_ids.values() for document_id in document_ids
    }
    now = datetime_parameter(datetime.now(timezone.utc), context.using)
    rows = {
        row[0]: row
        for row in fingerprint_queries.of_deleted_posts(
            context.using, sorted(all_candidate_ids), scheme.pk, now
        )
    }
    return {
        position: _build_matches(
            signed_text,
            [rows[document_id] for document_id in candidate_ids[position] if document_id in rows],
            queries[position],
            context,
            scheme,
        )
        for position, signed_text in known_space_texts.items()
    }


def _candidate_documents(signed_text: SignedDocument, shared_keys: BucketMatches) -> list[int]:
    """Return the documents that share a sure key or enough other keys with a text."""
    return [
        *shared_keys.sure_documents,
        *shared_keys.most_shared(signed_text.algorithm, len(shared_keys.documents)),
    ]


def merge_matches(matches: Sequence[Match], deleted_matches: Iterable[Match], limit: int) -> list[Match]:
    """Merge matches and deleted matches, best first. If two are equal, the existing post is first."""
    merged = sorted(
        [*matches, *deleted_matches],
        key=lambda match: (VERDICTS.index(match.verdict), not match.exact, -match.score),
    )
    return merged[:limit]


def _build_matches(
    signed_text: SignedDocument,
    rows: Sequence[tuple[Any, ...]],
    query: SearchQuery,
    context: SearchContext,
    scheme: Scheme,
) -> list[Match]:
    author, codes = context.author or query.source.author, keyed_digest(signed_text.codes, scheme)
    row_by_document = {row[0]: row for row in rows}
    screening_rows = [ScreeningRow(row[0], "", row[1], row[2], bytes(row[3]), b"") for row in rows]
    match_by_ownership: dict[bool, Match] = {}
    for fingerprint_match in sorted(fingerprint_matches(signed_text, screening_rows), reverse=True):
        row = row_by_document[fingerprint_match.document_id]
        is_own = bool(author) and row[AUTHOR_COLUMN] == author
        if (
            is_own not in match_by_ownership
            and (fingerprint_match.exact or row[CODES_COLUMN] == codes)
            and (is_own or (context.is_unrestricted and row[LIVE_COLUMN]))
        ):
            match_by_ownership[is_own] = _build_match(fingerprint_match, is_own, row[REASON_COLUMN])
    return [match_by_ownership[is_own] for is_own in (True, False) if is_own in match_by_ownership]


def _build_match(repost: FingerprintMatch, is_own: bool, reason: str) -> Match:
    verdict, score = ("duplicate", 1.0) if repost.exact else ("related", repost.score)
    return Match(None, verdict, repost.exact, score, is_own, deleted=parse_deletion_time(reason))
