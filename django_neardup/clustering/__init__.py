"""Clusters from verified pairs: node ids, scores and verdicts in, leaders out. No text is read here."""

from .leaders import Graph, choose_family_leader, solve_from_scratch, update_leaders

__all__ = ["Graph", "choose_family_leader", "solve_from_scratch", "update_leaders"]
