"""The admin: clusters and pairs that wait for a person, decisions, records of what was done, key phrases, ledger."""

from . import clusters, decisions, documents, pairs, phrases, records

__all__ = ["clusters", "decisions", "documents", "pairs", "phrases", "records"]
