"""What a person must be allowed to do for an undo."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from ..models import MergeRecord
from .permissions import MERGE, Need, missing, on_objects, owner_of
from .relations import ModelType
from .undo_plan import Undo


def of_undo(plan: Undo) -> list[Need]:
    """What the deed itself needed: to change the keeper, and the post where it is there, to delete where rows come
    back, those of the post as a multi-table child among them, to change every model whose rows go back.
    """
    there = [each for each in (plan.post, plan.keeper) if each is not None]
    post = plan.record.loser_type.model_class()
    returned = {model for model in plan.beside | plan.below if not model._meta.auto_created}
    returned |= {post} if plan.post is None and post is not None else set()
    changed = {owner_of(model) for model in plan.models}
    changed |= {owner_of(model) for model in plan.beside if model._meta.auto_created}
    return [
        *on_objects("change", there),
        *(Need("delete", model) for model in sorted(returned, key=_label)),
        *(Need("change", model) for model in sorted(changed, key=_label)),
    ]


def lacking(plan: Undo, request: HttpRequest, site: Any) -> list[Need | str]:
    """What that person lacks for it: a merge is undone by those who may merge."""
    found: list[Need | str] = list(missing(of_undo(plan), request, site, plan.using))
    if plan.record.action == MergeRecord.Action.MERGE and not request.user.has_perm(MERGE):
        found.insert(0, _("merge near-duplicates"))
    return found


def _label(model: ModelType) -> str:
    return str(model._meta.label_lower)
