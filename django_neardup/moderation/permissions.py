"""The permissions that objects need, and whether a person has them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_permission_codename
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext as _

from ..db.sql import filter_in_chunks
from .model_plan import REDUNDANT, SELF_LINK
from .plan import MergePlan
from .relation_rules import stays_with_posts
from .relations import ModelType

REVIEW_PERMISSION = "neardup.review"
MERGE_PERMISSION = "neardup.merge_cluster"


@dataclass(frozen=True)
class RequiredPermission:
    """A permission, "change" or "delete", on an object, or on a model if ``instance`` is None.

    ``is_related``: the rows move or go with a post automatically. If the admin does not know their model,
    staff could not edit them, and nothing is asked, as in Django's own deletion.
    """

    operation: str
    model: ModelType
    instance: models.Model | None = None
    is_related: bool = False

    def __str__(self) -> str:
        # No title: a person without the permission may not be allowed to read it.
        what = self.model._meta.verbose_name_plural
        if self.instance is not None:
            what = f"{self.model._meta.verbose_name} №\N{NO-BREAK SPACE}{self.instance.pk}"
        sentence = _("delete: %(what)s") if self.operation == "delete" else _("change: %(what)s")
        return sentence % {"what": what}


def permissions_on_objects(
    operation: str, instances: Iterable[models.Model], *, are_related: bool = False
) -> list[RequiredPermission]:
    """Return the permission on each of the objects."""
    return [RequiredPermission(operation, type(instance), instance, are_related) for instance in instances]


def permissions_on_models(
    operation: str, permission_models: Iterable[ModelType], *, are_related: bool = False
) -> list[RequiredPermission]:
    """Return the permission on each of the models."""
    return [
        RequiredPermission(operation, model, is_related=are_related)
        for model in sorted(set(permission_models), key=lambda model: model._meta.label_lower)
    ]


def permissions_for_merge(plan: MergePlan) -> list[RequiredPermission]:
    """Return the permissions for a merge.

    - Change the keeper, and every model with rows that move, are redundant or clash.
    - Delete every loser, also its rows as a multi-table child, and every row that is deleted because the
      person did not choose it.
    - Delete every model with rows that are redundant or undecided.
    """
    undecided_models = {conflict.model for conflict in plan.undecided_conflicts}
    clashing_models = {conflict.model for conflict in plan.conflicts}
    redundant_models = {
        removal.model for removal in plan.removals if removal.reason in (REDUNDANT, SELF_LINK)
    }
    moved_models = {move.reference.model for move in plan.moves} | redundant_models
    return [
        *permissions_on_objects("change", [plan.keeper]),
        *permissions_on_objects("delete", [*plan.losers, *plan.loser_child_rows]),
        *permissions_on_models("change", map(owning_model, clashing_models)),
        *permissions_on_models("change", map(owning_model, moved_models - clashing_models), are_related=True),
        *permissions_on_models("delete", _with_own_rights(undecided_models)),
        *permissions_on_models(
            "delete", _with_own_rights(redundant_models - undecided_models), are_related=True
        ),
        *permissions_on_objects("delete", (row for row in plan.deleted_rows if not row._meta.auto_created)),
    ]


def _with_own_rights(models_of_rows: Iterable[ModelType]) -> list[ModelType]:
    """Return the models without Django's own many-to-many tables."""
    return [model for model in models_of_rows if not model._meta.auto_created]


def permissions_for_delete(
    instances: Sequence[models.Model], cascaded: Iterable[models.Model]
) -> list[RequiredPermission]:
    """Return the permissions to delete the objects and every row that is deleted with them.

    Rows that a rule lets stay with the objects need none: history, rights, entries of a search index.
    """
    given_objects, models_of_posts = set(instances), {type(instance) for instance in instances}
    others = [row for row in cascaded if row not in given_objects and not row._meta.auto_created]
    parts = {model for model in map(type, others) if stays_with_posts(model, models_of_posts)}
    other_rows = [row for row in others if type(row) not in parts]
    return [
        *permissions_on_objects("delete", instances),
        *permissions_on_objects("delete", other_rows, are_related=True),
    ]


def missing_permissions(
    needs: Collection[RequiredPermission], request: HttpRequest, admin_site: Any, using: str
) -> list[RequiredPermission]:
    """Return the permissions that the person lacks.

    If the admin knows a model, its ModelAdmin decides, and the objects must be in its queryset. Otherwise
    the user's permissions decide, and nothing is asked about rows that only go along.
    """
    needs = [need for need in needs if not need.is_related or admin_site.is_registered(need.model)]
    unlisted = _unlisted_objects(needs, request, admin_site, using)
    return [
        permission
        for permission in needs
        if not _has_permission(permission, request, admin_site) or permission.instance in unlisted
    ]


def _has_permission(permission: RequiredPermission, request: HttpRequest, admin_site: Any) -> bool:
    if admin_site.is_registered(permission.model):
        model_admin = admin_site.get_model_admin(permission.model)
        return bool(
            getattr(model_admin, f"has_{permission.operation}_permission")(request, permission.instance)
        )
    options = permission.model._meta
    name = f"{options.app_label}.{get_permission_codename(permission.operation, options)}"
    user: Any = request.user
    return bool(
        user.has_perm(name) or (permission.instance is not None and user.has_perm(name, permission.instance))
    )


def _unlisted_objects(
    needs: Collection[RequiredPermission], request: HttpRequest, admin_site: Any, using: str
) -> set[models.Model | None]:
    """Return the objects that their ModelAdmin does not show to this person."""
    objects_by_model: defaultdict[ModelType, dict[Any, models.Model]] = defaultdict(dict)
    for permission in needs:
        if permission.instance is not None and admin_site.is_registered(permission.model):
            objects_by_model[permission.model][permission.instance.pk] = permission.instance
    hidden: set[models.Model | None] = set()
    for model, instances in objects_by_model.items():
        queryset = admin_site.get_model_admin(model).get_queryset(request).using(using)
        listed = {
            pk
            for portion in filter_in_chunks(queryset, "pk", instances)
            for pk in portion.values_list("pk", flat=True)
        }
        hidden |= {instance for key, instance in instances.items() if key not in listed}
    return hidden


def can_view(model: ModelType, request: HttpRequest, admin_site: Any) -> bool:
    """Return whether the person may see objects of the model, by its ModelAdmin or the user's permissions."""
    if admin_site.is_registered(model):
        return bool(admin_site.get_model_admin(model).has_view_permission(request))
    user: Any = request.user
    names = [get_permission_codename(operation, model._meta) for operation in ("view", "change")]
    return any(user.has_perm(f"{model._meta.app_label}.{name}") for name in names)


def owning_model(model: ModelType) -> ModelType:
    """Return the model that changes with a row."""
    # Django's own many-to-many tables belong to the model that declares the relation.
    owner: Any = model._meta.auto_created
    return owner or model
