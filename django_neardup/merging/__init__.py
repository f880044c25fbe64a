"""Merging, hiding, deleting: planned in words, journalled, then done whole or not at all."""

from .apply import delete, hide, merge
from .journal import Case, Seen
from .plan import Plan, make_plan
from .undo import Undone, undo, undo_batch
from .undo_plan import Undo, plan_undo

__all__ = [
    "Case",
    "Plan",
    "Seen",
    "Undo",
    "Undone",
    "delete",
    "hide",
    "make_plan",
    "merge",
    "plan_undo",
    "undo",
    "undo_batch",
]
