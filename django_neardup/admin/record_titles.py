"""The titles of the posts of merge records, shown only to people who may see these posts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import ValidationError
from django.db import models
from django.http import HttpRequest
from django.utils.translation import gettext as _

from ..models import MergeRecord
from ..moderation.permissions import can_view
from ..moderation.relations import rows_of
from ..reports.segments import replace_control_characters
from .text_format import format_object_number
from .visible_objects import visible_pks

ObjectKey = tuple[int | None, str]

MAX_TITLE_MATCHES = 400
"""Maximum number of rows that a search by title or address returns."""


def attach_titles(records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str) -> None:
    """Set ``loser_title`` and ``keeper_title`` on each record.

    The title of an existing post needs permission to see the post. The title of a deleted post needs
    permission to see posts of its model. Without the permission, the result is "no access". This takes a few
    queries a model.
    """
    rows: list[Any] = list(records)
    readable = _visible_object_keys(rows, request, site, using)
    for row in rows:
        row.loser_title = _title_or_none(row.loser_text) if _loser_key(row) in readable else _("no access")
        row.keeper_title = row.keeper_id and (
            _title_or_none(row.keeper_text) if _keeper_key(row) in readable else _("no access")
        )


def _title_or_none(title: str) -> str:
    # An erasure blanks titles.
    return replace_control_characters(title) if title else _("no title")


def title_with_number(title: str, object_id: str) -> str:
    """Return a post's title with its number. The number distinguishes posts with the same title."""
    return f"{title}, {format_object_number(object_id)}"


def find_readable_ids(
    records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str
) -> list[int]:
    """Return the primary keys of the records with only titles that this person may read."""
    rows = list(records)
    readable = _visible_object_keys(rows, request, site, using)
    return [
        row.pk
        for row in rows
        if {_loser_key(row), *([_keeper_key(row)] if row.keeper_text else [])} <= readable
    ]


def find_readable_losers(
    records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str
) -> set[int]:
    """Return the primary keys of the records of posts that this person may see, or might have seen.

    Their keepers are not asked about.
    """
    rows = list(records)
    readable = _visible_object_keys(rows, request, site, using)
    return {row.pk for row in rows if _loser_key(row) in readable}


def _visible_object_keys(
    rows: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str
) -> set[ObjectKey]:
    ids_by_type: defaultdict[int, set[str]] = defaultdict(set)
    for row in rows:
        for content_type_id, key in (_loser_key(row), _keeper_key(row)):
            if content_type_id is not None:
                ids_by_type[content_type_id].add(key)
    return {
        (content_type_id, key)
        for content_type_id, keys in ids_by_type.items()
        for key in _visible_object_ids(content_type_id, keys, request, site, using)
    }


def _loser_key(row: MergeRecord) -> ObjectKey:
    return row.loser_type_id, row.loser_id


def _keeper_key(row: MergeRecord) -> ObjectKey:
    return row.keeper_type_id, row.keeper_id


def _visible_object_ids(
    content_type_id: int, object_ids: set[str], request: HttpRequest, site: Any, using: str
) -> set[str]:
    """Return the object ids of the posts that this person may see, or might have seen before they were
    deleted.

    If the model itself no longer exists, return all ids.
    """
    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    if model is None:
        return object_ids
    pk_by_object_id = {key: _to_pk(model, key) for key in object_ids}
    pks = [pk for pk in pk_by_object_id.values() if pk is not None]
    existing = set(rows_of(model, using).filter(pk__in=pks).values_list("pk", flat=True))
    visible = visible_pks(model, list(existing), request, site, using)
    may_see_deleted = can_view(model, request, site)
    return {
        key
        for key, pk in pk_by_object_id.items()
        if pk in visible or (pk not in existing and may_see_deleted)
    }


def _to_pk(model: type[models.Model], object_id: str) -> Any:
    try:
        return model._meta.pk.to_python(object_id)
    except ValidationError:
        return None
