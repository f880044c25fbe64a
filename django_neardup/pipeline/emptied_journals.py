"""Emptied journals: without the words of the post, but with what the undo of other records needs."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta, timezone
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.fields import GenericForeignKey
from django.core.exceptions import FieldDoesNotExist
from django.utils import formats
from django.utils import timezone as zone
from django.utils.translation import gettext as _

from ..conf import get_site_settings
from ..db.timezones import to_database
from ..models import MergeRecord
from .deleted_posts import MAX_DAYS
from .locks import call_with_retries, write_transaction

StoredRow = dict[str, Any]

MAX_EMPTIED = 200
"""Journals that one search of a worker empties, at most."""

KEPT_KEYS = ("resolves", "spaces", "sums")
"""Keys of a journal without words: ids of our own rows, and numbers that other undos need."""

ADDRESS_KEYS = ("moved_urls", "redirects")
"""Keys of a journal for old addresses. They are needed as long as these addresses answer."""


def empty_old_journals(using: str, limit: int = MAX_EMPTIED) -> int:
    """Empty at most ``limit`` journals that are older than ``NEARDUP["JOURNAL_DAYS"]``. Return their number."""
    oldest = list(old_records(using).order_by("pk").values_list("pk", flat=True)[:limit])
    for pk in oldest:
        call_with_retries(_empty_old_journal, pk, using)
    return len(oldest)


def old_records(using: str) -> Any:
    """Return the records with journals that are older than the setting, and not emptied yet."""
    records, days = MergeRecord.objects.using(using), get_site_settings().journal_days
    if days is None:
        return records.none()
    limit = to_database(datetime.now(timezone.utc) - timedelta(days=min(days, MAX_DAYS)))
    return records.filter(emptied=None, created__lt=limit)


def last_undo_day(created: datetime) -> str:
    """Return the last day on which an action of that time can be undone, as people write it.

    Return an empty text if the site sets no limit.
    """
    days = get_site_settings().journal_days
    if days is None:
        return ""
    moment = created + timedelta(days=min(days, MAX_DAYS))
    return formats.date_format(zone.localtime(moment) if zone.is_aware(moment) else moment, "DATE_FORMAT")


def emptied_sentence(record: MergeRecord) -> str:
    """Return why an emptied record cannot be undone."""
    moment = record.emptied
    assert moment is not None
    day = formats.date_format(zone.localtime(moment) if zone.is_aware(moment) else moment, "DATE_FORMAT")
    return _("Its data was erased on %(day)s, so it cannot be undone.") % {"day": day}


def empty_journal(journal: Mapping[str, Any], *, keeps_addresses: bool) -> dict[str, Any]:
    """Return what stays of a journal: keys of rows, numbers, and where rows moved that pointed at the post.

    An undo of an earlier merge into this post follows these moves: its rows come back from the last keeper.
    """
    own_rows = own_rows_of(journal)
    kept_keys = (*KEPT_KEYS, *ADDRESS_KEYS) if keeps_addresses else KEPT_KEYS
    return {
        **{key: journal[key] for key in kept_keys if key in journal},
        "rows": [_without_columns(row) for row in own_rows],
        "own": len(own_rows),
        "moves": [
            {key: move[key] for key in ("model", "pk", "field", "from", "to")}
            for move in journal.get("moves", ())
            if is_moved_reference(move, journal)
        ],
    }


def own_rows_of(journal: Mapping[str, Any]) -> list[StoredRow]:
    """Return the post's own rows in its journal."""
    rows: list[StoredRow] = journal.get("rows", [])
    return rows[: journal.get("own", 1)]


def is_moved_reference(move: Mapping[str, Any], journal: Mapping[str, Any]) -> bool:
    """Return whether a move took a row that pointed at the post to another one. It holds keys, and no words."""
    own_keys = {str(row["pk"]) for row in own_rows_of(journal)}
    return str(move["from"]) in own_keys and move["to"] is not None and _is_reference(move)


def _empty_old_journal(pk: int, using: str) -> None:
    with write_transaction(using):
        for record in MergeRecord.objects.using(using).filter(pk=pk, emptied=None).select_for_update():
            record.journal = empty_journal(record.journal, keeps_addresses=True)
            record.emptied = zone.now()
            record.save(using=using, update_fields=["journal", "emptied"])


def _is_reference(move: Mapping[str, Any]) -> bool:
    """Return whether the column of a move holds the key of another row."""
    try:
        model = apps.get_model(move["model"])
        field: Any = model._meta.get_field(move["field"])
    except (LookupError, FieldDoesNotExist):
        # The site has dropped the model or the column since.
        return False
    generic_columns = [
        generic.fk_field for generic in model._meta.private_fields if isinstance(generic, GenericForeignKey)
    ]
    return bool(field.is_relation or field.name in generic_columns)


def _without_columns(row: Mapping[str, Any]) -> StoredRow:
    stays = {"stays": True} if row.get("stays") else {}
    return {"model": row["model"], "pk": row["pk"], "fields": {}, **stays}
