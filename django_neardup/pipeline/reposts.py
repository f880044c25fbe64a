"""Posts that repeat a deleted post. Only earlier posts are repeated.

A repost is noticed when it is processed or when the deletion is processed, by the later of the two. Only the
stored fingerprints of deleted posts are compared. An exact copy is a repost. So is a post as similar as a
duplicate must be, with the same codes.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timezone
from typing import NamedTuple

from ..adapters import Adapter
from ..algorithms.default.neardup_keys import EXACT_SEED
from ..algorithms.statistics import StatisticsMissing
from ..comparison.candidates import candidates_many
from ..comparison.compared_texts import Candidates, ScreeningRow, StoredFingerprint
from ..comparison.packed_keys import compared_key, to_signed, unpack_compared_keys
from ..db.queries import documents as document_queries
from ..models import Document, Fingerprint, Scheme
from ..text.hashing import mix
from .deleted_posts import datetime_parameter, keyed_digest
from .stage_types import SignedDocument
from .stored_posts import StoredPosts
from .work_queue import mark_document


class FingerprintMatch(NamedTuple):
    """A document with a stored fingerprint as similar as a duplicate's.

    Greater matches are better: exact copies first, then the most similar, then the newest.
    """

    exact: bool
    score: float
    document_id: int


class RepostFacts(NamedTuple):
    """The position of a document in the static order, and the keyed digest of its codes."""

    order: tuple[int, int, int]
    code_digest: str


def record_reposts(
    signed: Sequence[SignedDocument], candidates: Mapping[int, Candidates], using: str
) -> None:
    """Store for each post which remembered deleted post it repeats. Clear it if it repeats none any more.

    Do nothing if the profile remembers no deleted posts.
    """
    if not signed or not signed[0].adapter.settings.memory_days:
        return
    reposted = reposted_documents(signed, candidates, using)
    for document in signed:
        best_match = max(reposted[document.document_id], default=None)
        if best_match is not None:
            document_queries.set_repost(
                using,
                document.document_id,
                document.requested_version,
                best_match.document_id,
                best_match.exact,
            )
        elif not document.is_new:
            document_queries.clear_repost(using, document.document_id, document.requested_version)


def reposted_documents(
    signed: Sequence[SignedDocument], candidates: Mapping[int, Candidates], using: str
) -> dict[int, list[FingerprintMatch]]:
    """Return by document id the remembered deleted posts that it repeats.

    All the documents must be stored.
    """
    matches_by_document = {
        document.document_id: fingerprint_matches(document, candidates[document.document_id].deleted_posts)
        for document in signed
    }
    document_ids = {document_id for document_id, matches in matches_by_document.items() if matches}
    document_ids |= {match.document_id for matches in matches_by_document.values() for match in matches}
    facts = _repost_facts(document_ids, signed[0].scheme, using)
    return {
        document_id: [
            match for match in matches if _is_repost(document_id, match.document_id, match.exact, facts)
        ]
        for document_id, matches in matches_by_document.items()
    }


def recheck_reposts(document: Document, adapter: Adapter, scheme: Scheme, using: str) -> None:
    """Mark the posts that repeat a newly deleted and remembered post.

    They may have been processed before the deletion.
    """
    signed = _sign_from_fingerprint(document, adapter, scheme, using)
    matches = _similar_live_posts(signed, using) if signed else []
    facts = _repost_facts(
        {document.pk, *(match.document_id for match in matches)} if matches else (), scheme, using
    )
    for match in matches:
        if _is_repost(match.document_id, document.pk, match.exact, facts):
            mark_document(match.document_id, using, recheck=True)


def _similar_live_posts(signed: SignedDocument, using: str) -> list[FingerprintMatch]:
    """Return existing posts that are similar to a remembered one.

    Return an empty list if they wait for statistics: they are processed later anyway.
    """
    try:
        candidates = candidates_many([signed], StoredPosts.of([signed], using))[signed.document_id]
    except StatisticsMissing:
        return []
    return fingerprint_matches(signed, candidates.fingerprints)


def fingerprint_matches(
    signed: SignedDocument, others: Sequence[ScreeningRow] | Sequence[StoredFingerprint]
) -> list[FingerprintMatch]:
    """Return the others with a stored fingerprint as similar as a duplicate's must be."""
    if not others:
        return []
    scores = signed.algorithm.screen_many(signed.payload, [other.payload for other in others]).tolist()
    matches = []
    for position, score in enumerate(scores):
        other = others[position]
        exact = other.exact_digest == signed.exact_digest
        if exact or score >= signed.algorithm.duplicate_threshold(min(signed.word_count, other.word_count)):
            matches.append(FingerprintMatch(exact, score, other.document_id))
    return matches


def _is_repost(later: int, earlier: int, exact: bool, facts: Mapping[int, RepostFacts]) -> bool:
    """Return whether ``later`` came after ``earlier``, and is an exact copy or has the same codes."""
    if not {later, earlier} <= facts.keys():
        return False
    return facts[earlier].order < facts[later].order and (
        exact or facts[earlier].code_digest == facts[later].code_digest
    )


def _repost_facts(documents: Collection[int], scheme: Scheme, using: str) -> dict[int, RepostFacts]:
    now = datetime_parameter(datetime.now(timezone.utc), using)
    rows = document_queries.repost_facts(using, sorted(documents), scheme.pk, now)
    return {
        # The codes of a deleted post are stored as a digest already. It has no source digest.
        document: RepostFacts(
            (text_since, first_seen, document), keyed_digest(codes, scheme) if source_digest else codes
        )
        for document, text_since, first_seen, codes, source_digest in rows
    }


def _sign_from_fingerprint(
    document: Document, adapter: Adapter, scheme: Scheme, using: str
) -> SignedDocument | None:
    """Build a signed document from its stored fingerprint: enough to find candidates.

    Return None if no fingerprint or space is stored. The text of a deleted post is gone.
    """
    import numpy as np

    fingerprint = Fingerprint.objects.using(using).filter(document=document.pk, scheme=scheme).first()
    if fingerprint is None or document.space_id is None:
        return None
    copy_key = mix(int.from_bytes(bytes.fromhex(fingerprint.exact_digest)[:8], "big"), seed=EXACT_SEED)
    # The identity values are gone with the post. Only the key of exact copies can be computed again.
    sure_key = compared_key(to_signed(mix(mix(scheme.pk, document.space_id), copy_key)))
    keys = np.array(sorted(unpack_compared_keys(fingerprint.keys)), np.int64)
    return SignedDocument(
        document_id=document.pk,
        requested_version=document.wanted,
        is_new=True,
        adapter=adapter,
        scheme=scheme,
        space_id=document.space_id,
        source_digest="",
        exact_digest=fingerprint.exact_digest,
        word_count=fingerprint.word_count,
        keys=keys,
        sure_keys=np.array([sure_key] if sure_key in keys else [], np.int64),
        payload=bytes(fingerprint.payload),
    )
