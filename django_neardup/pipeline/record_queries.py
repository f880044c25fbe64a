"""Queries for the merge records of a post.

A record names a post as one of its adapter's model, or of a child model, possibly with another primary key.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, OuterRef, Q, QuerySet, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.db.models.lookups import Exact

from ..adapters import registered_adapters
from ..models import MergeRecord
from ..querysets import parse_pk, pk_field
from .content_objects import content_type_ids_of
from .record_keys import ids_in_other_model

PostId = tuple[int, str]
"""Content type id and canonical id."""


def records_of_post(model: type[Model], post_id: str, using: str) -> QuerySet[MergeRecord]:
    """Return the records of an adapter model's post that are not undone."""
    return MergeRecord.objects.using(using).filter(records_of_posts_q(model, [post_id], using), undone=None)


def records_about_q(post_ids: Iterable[PostId], using: str) -> Q:
    """Return a condition for records of the posts, and of posts that were merged into them.

    This takes one query for each child model with its own primary key.
    """
    condition, ids_by_content_type = Q(pk__in=[]), defaultdict[int, list[str]](list)
    for content_type_id, object_id in post_ids:
        ids_by_content_type[content_type_id].append(object_id)
    for content_type_id, object_ids in ids_by_content_type.items():
        model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
        if model in registered_adapters():
            condition |= records_of_posts_q(model, object_ids, using) | _merged_into_q(
                model, object_ids, using
            )
        else:
            condition |= Q(loser_type=content_type_id, loser_id__in=object_ids) | Q(
                keeper_type=content_type_id, keeper_id__in=object_ids
            )
    return condition


def records_of_posts_q(model: type[Model], post_ids: Collection[str], using: str) -> Q:
    """Return a condition for records of an adapter model's posts, by canonical ids."""
    return _records_q(model, using, Q(loser_id__in=post_ids), _build_pk_q(model, post_ids))


def records_of_outer_post_q(model: type[Model], column: str, using: str) -> Q:
    """Do the same in a subquery, for the post with its canonical id in ``column`` of the outer query."""
    key = OuterRef(column)
    return _records_q(
        model, using, Q(loser_id=key), lambda row: Q(Exact(Cast(KT(f"{row}__pk"), TextField()), key))
    )


def models_with_own_pk(model: type[Model], using: str) -> dict[int, type[Model]]:
    """Return by content type the child models that have their own primary key."""
    content_types = ContentType.objects.db_manager(using)
    models = {
        content_type_id: content_types.get_for_id(content_type_id).model_class()
        for content_type_id in content_type_ids_of(model, using)
    }
    return {
        content_type_id: child
        for content_type_id, child in models.items()
        if child and pk_field(child) != pk_field(model)
    }


def journal_contains_q(model: type[Model], post_ids: Collection[str], max_rows: int) -> Q:
    """Return a condition for journals with a row of the model and one of the primary keys.

    Only the first ``max_rows`` rows of the post itself are searched.
    """
    return _in_first_rows_q(model, max_rows, _build_pk_q(model, post_ids))


def _records_q(model: type[Model], using: str, loser_q: Q, pk_q: Callable[[str], Q]) -> Q:
    own_pk_models = models_with_own_pk(model, using)
    condition = Q(loser_q, loser_type__in=set(content_type_ids_of(model, using)) - own_pk_models.keys())
    if own_pk_models:
        max_rows = max(len(child._meta.get_parent_list()) for child in own_pk_models.values())
        condition |= Q(_in_first_rows_q(model, max_rows, pk_q), loser_type__in=own_pk_models)
    return condition


def _merged_into_q(model: type[Model], post_ids: Collection[str], using: str) -> Q:
    own_pk_models = models_with_own_pk(model, using)
    condition = Q(
        keeper_type__in=set(content_type_ids_of(model, using)) - own_pk_models.keys(), keeper_id__in=post_ids
    )
    for content_type_id, child in own_pk_models.items():
        condition |= Q(
            keeper_type=content_type_id,
            keeper_id__in=ids_in_other_model(model, post_ids, child, using).values(),
        )
    return condition


def _in_first_rows_q(model: type[Model], max_rows: int, pk_q: Callable[[str], Q]) -> Q:
    """Return the condition for the first rows of a journal."""
    condition = Q()
    # The journal holds the post's rows in parent models first, then its own row, then rows in child models.
    for position in range(max_rows):
        row = f"journal__rows__{position}"
        is_own_row = Q(journal__own__gt=position) if position else Q()
        condition |= Q(is_own_row, pk_q(row), **{f"{row}__model": model._meta.label_lower})
    return condition


def _build_pk_q(model: type[Model], post_ids: Collection[str]) -> Callable[[str], Q]:
    values: list[Any] = [value if isinstance(value := parse_pk(model, key), int) else key for key in post_ids]
    return lambda row: Q(**{f"{row}__pk__in": values})
