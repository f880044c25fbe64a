"""Which objects need which permission, and whether a person has it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.contrib.auth import get_permission_codename
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext as _

from ..pipeline.sql import among
from .plan import Plan
from .relations import ModelType
from .table import ITSELF, THERE

REVIEW = "neardup.review"
MERGE = "neardup.merge_cluster"


@dataclass(frozen=True)
class Need:
    """A permission, "change" or "delete", on an object, or on a model where ``instance`` is None.

    In words an object has no title: whoever lacks the permission may not be meant to read it.
    """

    act: str
    model: ModelType
    instance: models.Model | None = None

    def __str__(self) -> str:
        what = self.model._meta.verbose_name_plural
        if self.instance is not None:
            what = f"{self.model._meta.verbose_name} №\N{NO-BREAK SPACE}{self.instance.pk}"
        sentence = _("delete: %(what)s") if self.act == "delete" else _("change: %(what)s")
        return sentence % {"what": what}


def on_objects(act: str, instances: Iterable[models.Model]) -> list[Need]:
    """The permission on each of those objects."""
    return [Need(act, type(instance), instance) for instance in instances]


def of_merge(plan: Plan) -> list[Need]:
    """To change the keeper, to delete every loser, as a multi-table child too, and every row that goes for not being
    chosen, to change every model whose rows move, to delete of those whose spare rows go, and both where it is not
    decided which row goes.
    """
    spare = {drop.model for drop in plan.drops if drop.why in (THERE, ITSELF)} | {
        each.model for each in plan.open
    }
    moved = {owner_of(model) for model in {move.pointer.model for move in plan.moves} | spare}
    own = [model for model in spare if not model._meta.auto_created]
    return [
        *on_objects("change", [plan.keeper]),
        *on_objects("delete", [*plan.losers, *plan.below]),
        *(Need("change", model) for model in sorted(moved, key=_label)),
        *(Need("delete", model) for model in sorted(own, key=_label)),
        *on_objects("delete", (row for row in plan.going if not row._meta.auto_created)),
    ]


def of_delete(instances: Sequence[models.Model], others: Iterable[models.Model]) -> list[Need]:
    """To delete the objects, and every row that goes with them."""
    given = set(instances)
    cascade = [each for each in others if each not in given and not each._meta.auto_created]
    return [*on_objects("delete", instances), *on_objects("delete", cascade)]


def missing(needs: Collection[Need], request: HttpRequest, site: Any, using: str) -> list[Need]:
    """The needs that this person lacks.

    A model that the admin knows is asked through its ModelAdmin, and its objects must be in what that one
    lists; any other through the user's permissions.
    """
    unlisted = _unlisted(needs, request, site, using)
    return [need for need in needs if not _may(need, request, site) or need.instance in unlisted]


def _may(need: Need, request: HttpRequest, site: Any) -> bool:
    if site.is_registered(need.model):
        model_admin = site.get_model_admin(need.model)
        return bool(getattr(model_admin, f"has_{need.act}_permission")(request, need.instance))
    options = need.model._meta
    name = f"{options.app_label}.{get_permission_codename(need.act, options)}"
    user: Any = request.user
    return bool(user.has_perm(name) or (need.instance is not None and user.has_perm(name, need.instance)))


def _unlisted(
    needs: Collection[Need], request: HttpRequest, site: Any, using: str
) -> set[models.Model | None]:
    """The objects that their ModelAdmin does not show to this person."""
    wanted: defaultdict[ModelType, dict[Any, models.Model]] = defaultdict(dict)
    for need in needs:
        if need.instance is not None and site.is_registered(need.model):
            wanted[need.model][need.instance.pk] = need.instance
    hidden: set[models.Model | None] = set()
    for model, instances in wanted.items():
        queryset = site.get_model_admin(model).get_queryset(request).using(using)
        listed = {pk for some in among(queryset, "pk", instances) for pk in some.values_list("pk", flat=True)}
        hidden |= {instance for key, instance in instances.items() if key not in listed}
    return hidden


def may_view(model: ModelType, request: HttpRequest, site: Any) -> bool:
    """Whether that person may see objects of that model: as its ModelAdmin says, else by the user's permissions."""
    if site.is_registered(model):
        return bool(site.get_model_admin(model).has_view_permission(request))
    user: Any = request.user
    names = [get_permission_codename(act, model._meta) for act in ("view", "change")]
    return any(user.has_perm(f"{model._meta.app_label}.{name}") for name in names)


def owner_of(model: ModelType) -> ModelType:
    """Who is changed with a row: a many-to-many table of Django's own belongs to the model that declares
    it.
    """
    owner: Any = model._meta.auto_created
    return owner or model


def _label(model: ModelType) -> str:
    return str(model._meta.label_lower)
