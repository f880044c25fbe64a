"""Merges, hides and deletions: planned in words, journalled, then done completely or not at all."""

from .actions import delete, hide, merge
from .journal.write import ActionContext, ShownScore
from .plan import MergePlan, plan_merge
from .undo.restore import UndoResult, undo, undo_batch
from .undo.undo_plan import UndoPlan, plan_undo

__all__ = [
    "ActionContext",
    "MergePlan",
    "ShownScore",
    "UndoPlan",
    "UndoResult",
    "delete",
    "hide",
    "merge",
    "plan_merge",
    "plan_undo",
    "undo",
    "undo_batch",
]
