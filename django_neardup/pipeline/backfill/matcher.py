"""The second half of a run: compare, cluster and finish posts whose keys are all written, few at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...models import Document
from ...signals import cluster_changed, document_checked
from ..compare_leaders import compare_with_given_leaders, duplicates_of, leaders_of
from ..process_documents import send_signals
from ..reposts import record_reposts
from ..stage_types import SignedDocument
from ..stages import candidates_many, conclude_many, finish_many, verify_many
from .batch_fallback import apply_to_all_or_each
from .bucket_cache import BucketCache
from .range_documents import release_documents

BATCH = 100
"""Posts compared together."""

MAX_ROUNDS = 3
"""Largest number of comparisons with leaders that appeared while the batch itself was concluded."""


class Matcher:
    """Compares the stored posts of one run in their order, batch by batch."""

    def __init__(self, buckets: BucketCache, using: str) -> None:
        self.buckets, self.using = buckets, using
        self._attempted: set[int] = set()

    def match(self, signed: Sequence[SignedDocument]) -> None:
        """Compare posts with documents that share keys with them, update clusters, and finish the posts'
        turns.

        Posts for which this fails are left to the normal drain.
        """
        finished = apply_to_all_or_each(self._match_batch, signed)
        release_documents({document.document_id for document in signed}.difference(finished), self.using)

    def _match_batch(self, signed: Sequence[SignedDocument]) -> list[int]:
        retried = self._attempted.intersection(signed_document.document_id for signed_document in signed)
        self._attempted.update(signed_document.document_id for signed_document in signed)
        candidates = candidates_many(signed, self.using, self.buckets.read_buckets)
        judged_pairs = verify_many(signed, candidates, self.using)
        concluded = conclude_many(signed, candidates, judged_pairs, self.using)
        finished = [signed_document for signed_document in signed if signed_document.document_id in concluded]
        compared_ids = {
            signed_document.document_id: {
                fingerprint.document_id
                for fingerprint in candidates[signed_document.document_id].fingerprints
            }
            for signed_document in finished
        }
        members = {
            signed_document.document_id: duplicates_of(
                signed_document, judged_pairs[signed_document.document_id]
            )
            for signed_document in finished
        }
        saturated = [
            signed_document
            for signed_document in finished
            if len(compared_ids[signed_document.document_id]) >= signed_document.adapter.settings.max_aligned
        ]
        for round_number in range(MAX_ROUNDS):
            leaders = leaders_of(finished, members, self.using)
            if saturated and not round_number:
                for document, nearby in self._nearby_leaders(saturated).items():
                    leaders[document] |= nearby
            members = compare_with_given_leaders(finished, leaders, compared_ids, concluded, self.using)
        record_reposts(finished, candidates, self.using)
        # An attempt that failed may have changed their clusters without sending signals.
        self._send_signals(concluded | dict.fromkeys(retried & concluded.keys(), True))
        finish_many(finished, self.using)
        self._attempted.difference_update(signed_document.document_id for signed_document in finished)
        return [signed_document.document_id for signed_document in finished]

    def _nearby_leaders(self, signed: Sequence[SignedDocument]) -> dict[int, set[int]]:
        """Return the leaders of candidates, for documents with more candidates than are aligned.

        The candidates that were not aligned may be in clusters of these leaders by now.
        """
        return {
            document: {
                fingerprint.leader_id
                for fingerprint in candidates.fingerprints
                if fingerprint.leader_id is not None
            }
            for document, candidates in candidates_many(signed, self.using, self.buckets.read_buckets).items()
        }

    def _send_signals(self, cluster_changes: Mapping[int, bool]) -> None:
        if not (document_checked.has_listeners() or cluster_changed.has_listeners()):
            return
        for document in Document.objects.using(self.using).filter(pk__in=cluster_changes).order_by("pk"):
            send_signals(document, cluster_changes[document.pk], self.using)
