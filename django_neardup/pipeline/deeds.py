"""What staff did to a post: as one of its adapter's model, or as a child of that, whose key may be another."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db.models import Model, OuterRef, Q, QuerySet, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast
from django.db.models.lookups import Exact

from ..adapters import registered
from ..columns import as_key, key_field
from ..models import MergeRecord
from .deed_keys import keys_by
from .objects import kinds_of

Post = tuple[int, str]
"""Content type id and canonical id."""


def deeds_on(model: type[Model], key: str, using: str) -> QuerySet[MergeRecord]:
    """What was done and still holds to the post of an adapter's model with that canonical id."""
    return MergeRecord.objects.using(using).filter(done_to(model, [key], using), undone=None)


def about(posts: Iterable[Post], using: str) -> Q:
    """The records of those documents' posts: of what was done to them, and of what was merged into them; a query for
    each of the children that have keys of their own."""
    found, by_kind = Q(pk__in=[]), defaultdict[int, list[str]](list)
    for kind, key in posts:
        by_kind[kind].append(key)
    for kind, keys in by_kind.items():
        model = ContentType.objects.db_manager(using).get_for_id(kind).model_class()
        if model in registered():
            found |= done_to(model, keys, using) | _merged_into(model, keys, using)
        else:
            found |= Q(loser_type=kind, loser_id__in=keys) | Q(keeper_type=kind, keeper_id__in=keys)
    return found


def done_to(model: type[Model], keys: Collection[str], using: str) -> Q:
    """The records of what was done to the posts of an adapter's model with those canonical ids."""
    return _done(model, using, Q(loser_id__in=keys), _has_key(model, keys))


def done_to_outer(model: type[Model], column: str, using: str) -> Q:
    """The same in a subquery: of the post whose canonical id the outer query has in that column."""
    key = OuterRef(column)
    return _done(
        model, using, Q(loser_id=key), lambda row: Q(Exact(Cast(KT(f"{row}__pk"), TextField()), key))
    )


def kinds_apart(model: type[Model], using: str) -> dict[int, type[Model]]:
    """Those of ``kinds_of`` by which a post goes by a key of its own."""
    kinds = ContentType.objects.db_manager(using)
    found = {kind: kinds.get_for_id(kind).model_class() for kind in kinds_of(model, using)}
    return {kind: each for kind, each in found.items() if each and key_field(each) != key_field(model)}


def holds(model: type[Model], keys: Collection[str], places: int) -> Q:
    """The journal has a row of that model with one of those keys among the post's own, so many of them at most."""
    return _in_a_row(model, places, _has_key(model, keys))


def _done(model: type[Model], using: str, named: Q, has_key: Callable[[str], Q]) -> Q:
    apart = kinds_apart(model, using)
    found = Q(named, loser_type__in=set(kinds_of(model, using)) - apart.keys())
    if apart:
        places = max(len(each._meta.get_parent_list()) for each in apart.values())
        found |= Q(_in_a_row(model, places, has_key), loser_type__in=apart)
    return found


def _merged_into(model: type[Model], keys: Collection[str], using: str) -> Q:
    apart = kinds_apart(model, using)
    found = Q(keeper_type__in=set(kinds_of(model, using)) - apart.keys(), keeper_id__in=keys)
    for kind, child in apart.items():
        found |= Q(keeper_type=kind, keeper_id__in=keys_by(model, keys, child, using).values())
    return found


def _in_a_row(model: type[Model], places: int, has_key: Callable[[str], Q]) -> Q:
    """Of the post's own rows those of its parents come first, then those of its model, then those of children."""
    found = Q()
    for place in range(places):
        row = f"journal__rows__{place}"
        own = Q(journal__own__gt=place) if place else Q()
        found |= Q(own, has_key(row), **{f"{row}__model": model._meta.label_lower})
    return found


def _has_key(model: type[Model], keys: Collection[str]) -> Callable[[str], Q]:
    values: list[Any] = [value if isinstance(value := as_key(model, key), int) else key for key in keys]
    return lambda row: Q(**{f"{row}__pk__in": values})
