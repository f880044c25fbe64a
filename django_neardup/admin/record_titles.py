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
    permission to see posts of its model, and to see the keeper, if there is one. Without the permission, the
    result is "no access". This takes a few queries a model.
    """
    rows: list[Any] = list(records)
    readable = _ReadableTitles(rows, request, site, using)
    for row in rows:
        row.loser_title = _title_or_none(row.loser_text) if readable.has_loser(row) else _("no access")
        row.keeper_title = row.keeper_id and (
            _title_or_none(row.keeper_text) if readable.has_keeper(row) else _("no access")
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
    readable = _ReadableTitles(rows, request, site, using)
    return [
        row.pk
        for row in rows
        if readable.has_loser(row) and (not row.keeper_text or readable.has_keeper(row))
    ]


def find_readable_losers(
    records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str
) -> set[int]:
    """Return the primary keys of the records of posts whose titles this person may read."""
    rows = list(records)
    titles = _ReadableTitles(rows, request, site, using)
    return {row.pk for row in rows if titles.has_loser(row)}


class _ReadableTitles:
    """The titles of records that a person may read.

    ``_visible``: existing posts that they may see. ``_gone``: deleted posts of models that they may see.
    """

    def __init__(self, rows: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str) -> None:
        ids_by_type: defaultdict[int, set[str]] = defaultdict(set)
        for row in rows:
            for content_type_id, key in (_loser_key(row), _keeper_key(row)):
                if content_type_id is not None:
                    ids_by_type[content_type_id].add(key)
        self._visible: set[ObjectKey] = set()
        self._gone: set[ObjectKey] = set()
        for content_type_id, keys in ids_by_type.items():
            visible, gone = _readable_object_ids(content_type_id, keys, request, site, using)
            self._visible |= {(content_type_id, key) for key in visible}
            self._gone |= {(content_type_id, key) for key in gone}

    def has_keeper(self, row: MergeRecord) -> bool:
        return _keeper_key(row) in self._visible | self._gone

    def has_loser(self, row: MergeRecord) -> bool:
        """Return whether the title of the record's post may be read. If it is gone, the keeper stands for it."""
        if _loser_key(row) in self._visible:
            return True
        return _loser_key(row) in self._gone and (not row.keeper_id or self.has_keeper(row))


def _loser_key(row: MergeRecord) -> ObjectKey:
    return row.loser_type_id, row.loser_id


def _keeper_key(row: MergeRecord) -> ObjectKey:
    return row.keeper_type_id, row.keeper_id


def _readable_object_ids(
    content_type_id: int, object_ids: set[str], request: HttpRequest, site: Any, using: str
) -> tuple[set[str], set[str]]:
    """Return the ids of existing posts that this person may see, and of deleted ones that they might have seen.

    If the model itself no longer exists, all posts are deleted ones.
    """
    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    if model is None:
        return set(), object_ids
    pk_by_object_id = {key: _to_pk(model, key) for key in object_ids}
    pks = [pk for pk in pk_by_object_id.values() if pk is not None]
    existing = set(rows_of(model, using).filter(pk__in=pks).values_list("pk", flat=True))
    visible = visible_pks(model, list(existing), request, site, using)
    return (
        {key for key, pk in pk_by_object_id.items() if pk in visible},
        {key for key, pk in pk_by_object_id.items() if pk not in existing}
        if can_view(model, request, site)
        else set(),
    )


def _to_pk(model: type[models.Model], object_id: str) -> Any:
    try:
        return model._meta.pk.to_python(object_id)
    except ValidationError:
        return None
