"""The admin: the queue, its clusters and pairs, decisions, records of what was done, old addresses, phrases, ledger."""

from . import clusters, decisions, documents, moved, pairs, phrases, queue, records

__all__ = ["clusters", "decisions", "documents", "moved", "pairs", "phrases", "queue", "records"]
