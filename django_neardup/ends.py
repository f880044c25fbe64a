"""Where merges in force lead: to the post that lives now, however long the chain."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from django.contrib.contenttypes.models import ContentType
from django.db.models import Q

from .models import MergeRecord
from .pipeline.deed_keys import keys_by
from .visible import Key, root_of

Post = tuple[int | None, str]
"""Content type id and canonical id, as records have them."""


def ends_of(records: Iterable[MergeRecord], using: str) -> dict[int, Key]:
    """The post that each merged one is part of now, by the record's id; a query for each link of the longest chain.

    Those whose keeper was deleted since are left out."""
    merged = [record for record in records if record.action == MergeRecord.Action.MERGE]
    at = {record.pk: (record.pk, (record.keeper_type_id, record.keeper_id)) for record in merged}
    waiting = set(at)
    while waiting:
        steps = _steps({at[pk][1] for pk in waiting}, using)
        moved = {pk: step for pk in waiting if (step := _next(*at[pk], steps)) is not None}
        at |= {pk: (step.pk, (step.keeper_type_id, step.keeper_id)) for pk, step in moved.items()}
        waiting = {pk for pk, step in moved.items() if step.action == MergeRecord.Action.MERGE}
    found = {pk: _key(*post, using) for pk, (_last, post) in at.items()}
    return {pk: key for pk, key in found.items() if key is not None}


def _steps(posts: Iterable[Post], using: str) -> dict[Post, list[MergeRecord]]:
    """What became of those posts in turn, in the order of its happening."""
    of_kind: defaultdict[int | None, list[str]] = defaultdict(list)
    for kind, key in posts:
        of_kind[kind].append(key)
    wanted = Q()
    for kind, keys in of_kind.items():
        wanted |= Q(loser_type=kind, loser_id__in=keys)
    rows = (
        MergeRecord.objects.using(using).filter(wanted, undone=None).exclude(action=MergeRecord.Action.HIDE)
    )
    found: dict[Post, list[MergeRecord]] = defaultdict(list)
    for row in rows.defer("journal").order_by("pk"):
        found[row.loser_type_id, row.loser_id].append(row)
    return found


def _next(last: int, post: Post, steps: dict[Post, list[MergeRecord]]) -> MergeRecord | None:
    return next((row for row in steps.get(post, ()) if row.pk > last), None)


def _key(kind: int | None, object_id: str, using: str) -> Key | None:
    model = ContentType.objects.db_manager(using).get_for_id(kind).model_class() if kind is not None else None
    if kind is None or model is None or not object_id:
        return None
    root = root_of(model)
    key = keys_by(model, [object_id], root, using).get(object_id)
    return (root, key) if key is not None else None
