"""The admin: the queue, its clusters and pairs, decisions, records of what was done, old addresses, phrases, ledger."""

from . import clusters, decisions, documents, moved, pairs, phrases, records
from .queue.admin import QueueAdmin

__all__ = ["QueueAdmin", "clusters", "decisions", "documents", "moved", "pairs", "phrases", "records"]
