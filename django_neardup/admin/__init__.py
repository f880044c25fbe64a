"""The site's admin of near-duplicates.

It shows the review queue, clusters, pairs, decisions, merge records, held posts, old addresses, key phrases,
passages to ignore and documents.
"""

from . import (
    cluster_admin,
    decision_admin,
    document_admin,
    hold_admin,
    ignored_passage_admin,
    key_phrase_admin,
    merge_record_admin,
    moved_url_admin,
    pair_admin,
)
from .review_queue.queue_admin import QueueAdmin

__all__ = [
    "QueueAdmin",
    "cluster_admin",
    "decision_admin",
    "document_admin",
    "hold_admin",
    "ignored_passage_admin",
    "key_phrase_admin",
    "merge_record_admin",
    "moved_url_admin",
    "pair_admin",
]
