"""Obstacles that no decision can settle. A merge with one of them is refused."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from typing import Any

from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..db.chunks import chunked
from .model_plan import CASCADED, KEEPER_NOT_CHOSEN, NOT_CHOSEN, ColumnChange, MergePosts, PlanProtocol
from .relation_rules import REFUSE, RelationRules
from .relations import (
    ModelType,
    Reference,
    concrete_model,
    describe_object,
    references_to,
    references_to_pk,
    rows_by_model,
    rows_of,
)

MAX_STEPS = 1000
"""Maximum length of a chain of references that is followed."""


def check_same_model(keeper: models.Model, losers: Sequence[models.Model]) -> list[str]:
    """Return an obstacle for each loser of another model, and for a loser that is the keeper."""
    reasons = []
    for loser in losers:
        if type(loser)._meta.concrete_model is not type(keeper)._meta.concrete_model:
            reasons.append(
                _("%(loser)s and %(keeper)s are of different models.")
                % {"loser": describe_object(loser), "keeper": describe_object(keeper)}
            )
        elif loser.pk == keeper.pk:
            reasons.append(_("%(loser)s cannot be merged into itself.") % {"loser": describe_object(loser)})
    return reasons


def check_same_kind(posts: MergePosts, losers: Sequence[models.Model]) -> list[str]:
    """Return an obstacle for each loser of another kind.

    Loser and keeper are of different kinds if each has a multi-table child that the other lacks. The loser's
    child moves to a keeper that has none, unless the keeper's row names its own class.
    """
    keeper_models = set(posts.keeper_rows)
    is_fixed = _names_own_class(posts.keeper, keeper_models)
    return [
        _("%(loser)s and %(keeper)s are of different kinds.")
        % {"loser": describe_object(loser), "keeper": describe_object(posts.keeper)}
        for loser, loser_rows in zip(losers, posts.loser_rows, strict=True)
        if set(loser_rows) - keeper_models and (is_fixed or keeper_models - set(loser_rows))
    ]


def _names_own_class(post: models.Model, post_models: Collection[ModelType]) -> bool:
    """Return whether a column of a post names its class, as those of django-polymorphic and of Wagtail do."""
    generic_columns = {
        field.ct_field for field in post._meta.private_fields if isinstance(field, GenericForeignKey)
    }
    fields: Sequence[Any] = post._meta.concrete_fields
    content_types = (
        getattr(post, field.name)
        for field in fields
        if field.is_relation
        and field.name not in generic_columns
        and concrete_model(field.remote_field.model) is ContentType
    )
    classes = {content_type.model_class() for content_type in content_types if content_type is not None}
    return any(concrete_model(model) in post_models for model in classes if model is not None)


def check_loops(
    posts: MergePosts, column_changes: Mapping[ModelType, Sequence[ColumnChange]], plan: PlanProtocol
) -> list[str]:
    """Return an obstacle for each self-reference that would lead from the keeper back to it."""
    moved_columns = {(move.reference.model, move.reference.column) for move in plan.moves}
    return [
        _("%(keeper)s descends (%(field)s) from a post to be merged: it would be its own ancestor.")
        % {"keeper": describe_object(plan.keeper), "field": column_change.reference.field.verbose_name}
        for model, changes in column_changes.items()
        for column_change in changes
        if model in posts.keeper_rows and (model, column_change.reference.column) in moved_columns
        if column_change.reference.content_type_condition is None
        and _leads_back_to_loser(posts, column_change, plan.using)
    ]


def _leads_back_to_loser(posts: MergePosts, column_change: ColumnChange, using: str) -> bool:
    """Return whether a chain of more than one reference leads from the keeper to a loser."""
    reference = column_change.reference
    value = getattr(posts.keeper_rows[reference.model], reference.target_attname)
    for step in range(MAX_STEPS):
        parents = rows_of(reference.model, using).filter(**{reference.target_attname: value})
        value = parents.values_list(reference.column, flat=True).first()
        if value is None or value in column_change.changes:
            # A direct reference to a loser is no loop: it is emptied.
            return value is not None and step > 0
    return False


def check_refused_relations(posts: Sequence[models.Model], using: str) -> list[str]:
    """Return an obstacle for each post with rows that its adapter says forbid a merge and a deletion."""
    obstacles = []
    for post in posts:
        rules = RelationRules.of(type(post))
        if not rules.may_refuse:
            continue
        rows_of_post = rows_by_model(post, using)
        for reference in references_to(set(rows_of_post), using):
            if rules.rule_for_reference(reference) != REFUSE:
                continue
            value = reference.value_for(rows_of_post[reference.target_model])
            if (
                value is not None
                and rows_of(reference.model, using).filter(reference.matching_q([value])).exists()
            ):
                message = _("%(post)s has %(rows)s: it is neither merged nor deleted.")
                obstacles.append(
                    message
                    % {"post": describe_object(post), "rows": reference.model._meta.verbose_name_plural}
                )
    return obstacles


def check_referenced_rows(plan: PlanProtocol) -> list[str]:
    """Return an obstacle for each redundant row that would be deleted, but is still referenced."""
    deleted_keys: defaultdict[ModelType, list[Any]] = defaultdict(list)
    for removal in plan.removals:
        if removal.reason not in (NOT_CHOSEN, KEEPER_NOT_CHOSEN, CASCADED):
            deleted_keys[removal.model].append(removal.pk)
    return [
        _("%(model)s %(keys)s: rows of %(other)s point at it, and the keeper has one like it already.")
        % {
            "model": capfirst(model._meta.verbose_name),
            "keys": ", ".join(map(str, keys[:5])),
            "other": reference.model._meta.verbose_name_plural,
        }
        for model, keys in deleted_keys.items()
        if len(model._meta.pk_fields) == 1
        for reference in references_to_pk(model, plan.using)
        if _is_referenced(reference, keys, plan.using)
    ]


def _is_referenced(reference: Reference, keys: Sequence[Any], using: str) -> bool:
    """Return whether any row with one of the keys is referenced."""
    rows = rows_of(reference.model, using)
    values = [reference.stored_value(key) for key in keys]
    return any(rows.filter(reference.matching_q(portion)).exists() for portion in chunked(values))
