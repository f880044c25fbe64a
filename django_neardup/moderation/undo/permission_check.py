"""The permissions that an undo needs."""

from __future__ import annotations

from typing import Any

from django.http import HttpRequest
from django.utils.translation import gettext as _

from ...models import MergeRecord
from ..permissions import (
    MERGE_PERMISSION,
    RequiredPermission,
    missing_permissions,
    owning_model,
    permissions_on_models,
    permissions_on_objects,
)
from .undo_plan import UndoPlan


def permissions_for_undo(plan: UndoPlan) -> list[RequiredPermission]:
    """Return the permissions for an undo: the same that the action needed.

    - Change the keeper, and the post if it exists.
    - Delete the models of rows that come back: the post's, also as a multi-table child, and others.
    - Change every model with columns that go back, or with many-to-many rows that come back.
    """
    existing_posts = [
        existing_post for existing_post in (plan.post, plan.keeper) if existing_post is not None
    ]
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
