"""The second half of a run: compare, cluster and finish posts whose keys are all written, few at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ...models import Document
from ...signals import cluster_changed, document_checked
from ..compare_documents import compare_documents
from ..leases import finish_many
from ..process_documents import send_signals
from ..stage_types import SignedDocument
from .batch_fallback import apply_to_all_or_each
from .range_documents import release_documents
from .run_posts import RunPosts

BATCH = 100
"""Posts compared together."""


class Matcher:
    """Compares the stored posts of one run in their order, batch by batch."""

    def __init__(self, posts: RunPosts) -> None:
        self.posts, self.using = posts, posts.using
        self._attempted: set[int] = set()

    def match(self, signed: Sequence[SignedDocument]) -> None:
        """Compare posts with documents that share keys with them, update clusters, and finish the posts'
        turns.

        Posts for which this fails are left to the normal drain.
        """
        finished = apply_to_all_or_each(self._match_batch, signed)
        release_documents({document.document_id for document in signed}.difference(finished), self.using)

    def _match_batch(self, signed: Sequence[SignedDocument]) -> list[int]:
        retried = self._attempted.intersection(document.document_id for document in signed)
        self._attempted.update(document.document_id for document in signed)
        changes = compare_documents(signed, self.posts)
        finished = [document for document in signed if document.document_id in changes]
        # An attempt that failed may have changed their clusters without sending signals.
        self._send_signals(changes | dict.fromkeys(retried & changes.keys(), True))
        finish_many(finished, self.using)
        self._attempted.difference_update(changes)
        return [document.document_id for document in finished]

    def _send_signals(self, cluster_changes: Mapping[int, bool]) -> None:
        if not (document_checked.has_listeners() or cluster_changed.has_listeners()):
            return
        for document in Document.objects.using(self.using).filter(pk__in=cluster_changes).order_by("pk"):
            send_signals(document, cluster_changes[document.pk], self.using)
