"""The permissions that an undo needs."""

from __future__ import annotations

from typing import Any

from django.db.models import Model
from django.http import HttpRequest
from django.utils.translation import gettext as _

from ...models import MergeRecord
from ..final_keepers import find_final_keepers
from ..permissions import (
    MERGE_PERMISSION,
    RequiredPermission,
    missing_permissions,
    owning_model,
    permissions_on_models,
    permissions_on_objects,
)
from ..relations import rows_of
from .undo_plan import UndoPlan


def permissions_for_undo(plan: UndoPlan) -> list[RequiredPermission]:
    """Return the permissions for an undo: the same that the action needed.

    - Change the keeper and the post, if they exist. If the keeper was merged since, change the post that has its
      rows now.
    - Delete the models of rows that come back: the post's, also as a multi-table child, and others.
    - Change every model with columns that go back, or with many-to-many rows that come back.
    """
    keeper = plan.keeper or _later_keeper(plan)
    existing_posts = [existing_post for existing_post in (plan.post, keeper) if existing_post is not None]
    post_model = plan.record.loser_type.model_class()
    own_models = plan.child_models | ({post_model} if plan.post is None and post_model else set())
    other_models = {model for model in plan.other_row_models if not model._meta.auto_created} - own_models
    changed_models = {owning_model(model) for model in plan.changed_models}
    changed_models |= {owning_model(model) for model in plan.other_row_models if model._meta.auto_created}
    return [
        *permissions_on_objects("change", existing_posts),
        *permissions_on_models("delete", own_models),
        *permissions_on_models("delete", other_models, are_related=True),
        *permissions_on_models("change", changed_models, are_related=True),
    ]


def _later_keeper(plan: UndoPlan) -> Model | None:
    """Return the post that the keeper of a merge was merged into since. Return None if there is none."""
    if plan.record.action != MergeRecord.Action.MERGE:
        return None
    key = find_final_keepers([plan.record], plan.using).get(plan.record.pk)
    if key is None:
        return None
    model, object_id = key
    return rows_of(model, plan.using).filter(pk=model._meta.pk.to_python(object_id)).first()


def missing_undo_permissions(
    plan: UndoPlan, request: HttpRequest, admin_site: Any
) -> list[RequiredPermission | str]:
    """Return what the person lacks. The undo of a merge also needs the permission to merge."""
    missing: list[RequiredPermission | str] = list(
        missing_permissions(permissions_for_undo(plan), request, admin_site, plan.using)
    )
    if plan.record.action == MergeRecord.Action.MERGE and not request.user.has_perm(MERGE_PERMISSION):
        missing.insert(0, _("merge near-duplicates"))
    return missing
