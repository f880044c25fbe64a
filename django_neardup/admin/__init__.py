"""The admin: the queue, its clusters and pairs, decisions, records of what was done, held posts, old addresses, phrases
and the ledger."""

from . import clusters, decisions, documents, holds, moved, pairs, phrases, records
from .queue.admin import QueueAdmin

__all__ = [
    "QueueAdmin",
    "clusters",
    "decisions",
    "documents",
    "holds",
    "moved",
    "pairs",
    "phrases",
    "records",
]
