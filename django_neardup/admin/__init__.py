"""The admin: clusters and pairs that wait for a person, decisions, records of what was done, the ledger."""

from . import clusters, decisions, documents, pairs, records

__all__ = ["clusters", "decisions", "documents", "pairs", "records"]
