"""The posts of records by the titles that they had, for those who may see such posts."""

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


def attach_titles(records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str) -> None:
    """Give each record ``loser_title`` and ``keeper_title``, as that person may read them: a few queries a model.

    A post that is there is told to those who may see it; one that is gone, to those who may see posts of its model.
    """
    rows: list[Any] = list(records)
    told = _visible_object_keys(rows, request, site, using)
    for row in rows:
        row.loser_title = (
            replace_control_characters(row.loser_text) if _loser_key(row) in told else _("no access")
        )
        row.keeper_title = row.keeper_text and (
            replace_control_characters(row.keeper_text) if _keeper_key(row) in told else _("no access")
        )


def title_with_number(title: str, object_id: str) -> str:
    """A post by its title and its number, which tells it from others of that title."""
    return f"{title}, {format_object_number(object_id)}"


def find_readable_ids(
    records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str
) -> list[int]:
    """The keys of those records of which that person may read every title."""
    rows = list(records)
    told = _visible_object_keys(rows, request, site, using)
    return [
        row.pk for row in rows if {_loser_key(row), *([_keeper_key(row)] if row.keeper_text else [])} <= told
    ]


def _visible_object_keys(
    rows: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str
) -> set[ObjectKey]:
    wanted: defaultdict[int, set[str]] = defaultdict(set)
    for row in rows:
        for kind, key in (_loser_key(row), _keeper_key(row)):
            if kind is not None:
                wanted[kind].add(key)
    return {
        (kind, key)
        for kind, keys in wanted.items()
        for key in _visible_object_ids(kind, keys, request, site, using)
    }


def _loser_key(row: MergeRecord) -> ObjectKey:
    return row.loser_type_id, row.loser_id


def _keeper_key(row: MergeRecord) -> ObjectKey:
    return row.keeper_type_id, row.keeper_id


def _visible_object_ids(
    content_type_id: int, object_ids: set[str], request: HttpRequest, site: Any, using: str
) -> set[str]:
    """Those of the keys whose posts that person may see, or might have seen."""
    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    if model is None:
        return object_ids
    by_key = {key: _to_pk(model, key) for key in object_ids}
    values = [value for value in by_key.values() if value is not None]
    there = set(rows_of(model, using).filter(pk__in=values).values_list("pk", flat=True))
    seen = visible_pks(model, list(there), request, site, using)
    gone_too = can_view(model, request, site)
    return {key for key, value in by_key.items() if value in seen or (value not in there and gone_too)}


def _to_pk(model: type[models.Model], object_id: str) -> Any:
    try:
        return model._meta.pk.to_python(object_id)
    except ValidationError:
        return None
