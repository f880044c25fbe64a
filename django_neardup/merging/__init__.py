"""Merging, hiding, deleting: planned in words, journalled, then done whole or not at all."""

from .apply import delete, hide, merge
from .journal import Case, Seen
from .plan import Plan, make_plan

__all__ = ["Case", "Plan", "Seen", "delete", "hide", "make_plan", "merge"]
