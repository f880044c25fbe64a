"""Clusters out of verified pairs: ids, scores and verdicts in, leaders out. No text is ever seen here."""

from .leaders import Graph, settle, solve

__all__ = ["Graph", "settle", "solve"]
