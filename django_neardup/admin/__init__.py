"""The admin: the queue, its clusters and pairs, decisions, records of what was done, held posts, old addresses, phrases
and the ledger."""

from . import (
    cluster_admin,
    decision_admin,
    document_admin,
    hold_admin,
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
    "key_phrase_admin",
    "merge_record_admin",
    "moved_url_admin",
    "pair_admin",
]
