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

from ..comparison.pieces import showable
from ..merging.permissions import may_view
from ..merging.relations import rows_of
from ..models import MergeRecord
from .shown import visible_keys
from .words import numbered

Post = tuple[int | None, str]


def name_posts(records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str) -> None:
    """Give each record ``loser_title`` and ``keeper_title``, as that person may read them: a few queries a model.

    A post that is there is told to those who may see it; one that is gone, to those who may see posts of its model.
    """
    rows: list[Any] = list(records)
    told = _told_posts(rows, request, site, using)
    for row in rows:
        row.loser_title = showable(row.loser_text) if _loser(row) in told else _("no access")
        row.keeper_title = row.keeper_text and (
            showable(row.keeper_text) if _keeper(row) in told else _("no access")
        )


def called(title: str, key: str) -> str:
    """A post by its title and its number, which tells it from others of that title."""
    return f"{title}, {numbered(key)}"


def readable(records: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str) -> list[int]:
    """The keys of those records of which that person may read every title."""
    rows = list(records)
    told = _told_posts(rows, request, site, using)
    return [row.pk for row in rows if {_loser(row), *([_keeper(row)] if row.keeper_text else [])} <= told]


def _told_posts(rows: Iterable[MergeRecord], request: HttpRequest, site: Any, using: str) -> set[Post]:
    wanted: defaultdict[int, set[str]] = defaultdict(set)
    for row in rows:
        for kind, key in (_loser(row), _keeper(row)):
            if kind is not None:
                wanted[kind].add(key)
    return {(kind, key) for kind, keys in wanted.items() for key in _told(kind, keys, request, site, using)}


def _loser(row: MergeRecord) -> Post:
    return row.loser_type_id, row.loser_id


def _keeper(row: MergeRecord) -> Post:
    return row.keeper_type_id, row.keeper_id


def _told(kind: int, keys: set[str], request: HttpRequest, site: Any, using: str) -> set[str]:
    """Those of the keys whose posts that person may see, or might have seen."""
    model = ContentType.objects.db_manager(using).get_for_id(kind).model_class()
    if model is None:
        return keys
    by_key = {key: _value(model, key) for key in keys}
    values = [value for value in by_key.values() if value is not None]
    there = set(rows_of(model, using).filter(pk__in=values).values_list("pk", flat=True))
    seen = visible_keys(model, list(there), request, site, using)
    gone_too = may_view(model, request, site)
    return {key for key, value in by_key.items() if value in seen or (value not in there and gone_too)}


def _value(model: type[models.Model], key: str) -> Any:
    try:
        return model._meta.pk.to_python(key)
    except ValidationError:
        return None
