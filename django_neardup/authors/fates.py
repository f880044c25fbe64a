"""The fates of an author's posts that staff merged, hid or deleted. The author's list can still show them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any, ClassVar

from django.db import router
from django.db.models import Exists, Model, OuterRef, QuerySet
from django.http import HttpRequest
from django.utils.functional import Promise
from django.utils.translation import pgettext_lazy

from ..adapters import Adapter, adapter_for
from ..models import MergeRecord
from ..moderation.final_keepers import find_final_keepers
from ..moderation.journal.stored_posts import post_from_journal
from ..pipeline.availability import has_current_tables
from ..pipeline.content_objects import content_type_ids_of
from ..pipeline.record_keys import loser_id_for_model
from ..pipeline.record_queries import models_with_own_pk
from ..search.display_titles import display_title, shorten
from ..similar_posts import parse_limit, public_url, safe_appeal_url
from ..similar_posts.template_names import Renderable
from ..visibility import GroupingError, Querysets, VisibilityFilter

FATES_LIMIT = 50
"""Default number of listed posts."""
MAX_TITLE_LENGTH = 120

ACTION_LABELS: dict[str, Promise] = {
    MergeRecord.Action.MERGE: pgettext_lazy("what became of a post", "merged into another post"),
    MergeRecord.Action.HIDE: pgettext_lazy("what became of a post", "taken from publication"),
    MergeRecord.Action.DELETE: pgettext_lazy("what became of a post", "deleted"),
}


@dataclass(frozen=True)
class Fate:
    """A post that is no longer published.

    ``title`` is the post's title at the time of the action. ``action`` is "merge", "hide" or "delete", and
    ``label`` is the same in words. ``acted_at`` is the time of the action.

    ``keeper`` is the post that it is part of now, with ``keeper_title`` and ``url``. They are None or empty
    if there is no such post or if it may not be seen. ``appeal_url`` is the page for the author's
    objection. It is empty if there is no such page.
    """

    title: str
    action: str
    label: Promise
    acted_at: datetime
    keeper: Model | None = None
    keeper_title: str = ""
    url: str = ""
    appeal_url: str = ""


class Fates(Renderable, list[Fate]):
    """A list of fates, newest first. Printed, it renders the template ``neardup/fates.html``."""

    template_name: ClassVar[str] = "fates.html"
    context_name: ClassVar[str] = "fates"


def fates(
    author: Any,
    model: type[Model] | None = None,
    *,
    visible: Querysets | None = None,
    limit: int = FATES_LIMIT,
    using: str | None = None,
    request: HttpRequest | None = None,
) -> Fates:
    """Return the author's posts that were merged, hidden or deleted and have not come back, newest first.

    ``author`` is a value of ``Adapter.author``, or an object with that primary key. ``model`` is the model
    of the posts, by default the model of ``visible``. ``visible`` is the queryset of all posts that the
    author may see, or one for each model. Its default is ``live()`` of the model's adapter. A keeper
    outside ``visible`` is not named.

    A post belongs to the author that it had at its last comparison before the action. Return an empty list
    if the author is None or empty, or if the tables are not there. Raise GroupingError if neither ``model``
    nor ``visible`` gives a model.
    """
    if model is None:
        model = _model_of(visible)
    adapter = adapter_for(model)
    allowed = VisibilityFilter(adapter.live() if visible is None else visible)
    alias = using or router.db_for_read(adapter.model)
    author_key, max_count = author.pk if isinstance(author, Model) else author, parse_limit(limit)
    records = (
        []
        if author_key in (None, "") or not has_current_tables(alias)
        else _load_records(max_count, _author_records(str(author_key), adapter, alias), adapter, alias)
    )
    # The post that stays when a duplicate is deleted may be a stranger's: its author is not led there.
    merges = [record for record in records if record.action == MergeRecord.Action.MERGE]
    keeper_keys = find_final_keepers(merges, alias)
    keepers = allowed.fetch_objects(
        {keeper_key for keeper_key in keeper_keys.values() if allowed.covers(keeper_key)}, alias
    )
    author_fates = Fates(adapter.model, request)
    author_fates.extend(
        _build_fate(
            record, adapter, keepers.get(keeper_keys[record.pk]) if record.pk in keeper_keys else None
        )
        for record in records
    )
    return author_fates


def _model_of(visible: Querysets | None) -> type[Model]:
    for queryset in [visible] if isinstance(visible, QuerySet) else visible or ():
        return queryset.model
    raise GroupingError("Pass a model, or the queryset of all posts that the author may see.")


def _author_records(author: str, adapter: Adapter, using: str) -> QuerySet[MergeRecord]:
    """Return the last record in force of each of the author's posts, newest first."""
    later_records = MergeRecord.objects.using(using).filter(
        loser_type=OuterRef("loser_type"), loser_id=OuterRef("loser_id"), undone=None, pk__gt=OuterRef("pk")
    )
    records = MergeRecord.objects.using(using).filter(
        ~Exists(later_records),
        author=author,
        loser_type__in=content_type_ids_of(adapter.model, using),
        undone=None,
    )
    ordered_records = records.select_related("loser_type").order_by("-pk")
    needs_journal = _has_appeal_url(adapter) or models_with_own_pk(adapter.model, using)
    # Journals are large. They are needed only for appeal addresses and for child models with own keys.
    return ordered_records if needs_journal else ordered_records.defer("journal")


def _load_records(
    limit: int, records: QuerySet[MergeRecord], adapter: Adapter, using: str
) -> list[MergeRecord]:
    """Return at most ``limit`` records of posts that have not come back."""
    fate_records: list[MergeRecord] = []
    listed_keys: set[str] = set()
    rows, portion_size = records, limit
    # Few authors need a second portion.
    while len(fate_records) < limit:
        portion = list(rows[:portion_size])
        fate_records += _without_republished(
            _last_record_by_post(portion, listed_keys, adapter, using), adapter, using
        )
        if len(portion) < portion_size:
            break
        rows, portion_size = records.filter(pk__lt=portion[-1].pk), max(limit, FATES_LIMIT)
    return fate_records[:limit]


def _last_record_by_post(
    records: list[MergeRecord], listed_keys: set[str], adapter: Adapter, using: str
) -> dict[str, MergeRecord]:
    """Return the last record of each post by its canonical id, and add these ids to ``listed_keys``.

    Posts in ``listed_keys`` are left out.
    """
    own_pk_models, last_records = models_with_own_pk(adapter.model, using), dict[str, MergeRecord]()
    for record in records:
        # One record may name the post as a child, another as its parent, with different keys.
        key = (
            loser_id_for_model(record, adapter.model)
            if record.loser_type_id in own_pk_models
            else record.loser_id
        )
        if key not in listed_keys:
            last_records[key] = record
            listed_keys.add(key)
    return last_records


def _without_republished(records: dict[str, MergeRecord], adapter: Adapter, using: str) -> list[MergeRecord]:
    """Return the records without hidden posts that have been published again since."""
    hidden_keys = [
        (adapter.model, key) for key, record in records.items() if record.action == MergeRecord.Action.HIDE
    ]
    republished_keys = (
        VisibilityFilter(adapter.live()).visible_keys(hidden_keys, using) if hidden_keys else {}
    )
    return [record for key, record in records.items() if (adapter.model, key) not in republished_keys]


def _build_fate(record: MergeRecord, adapter: Adapter, keeper: Model | None) -> Fate:
    fate = Fate(
        shorten(record.loser_text, MAX_TITLE_LENGTH),
        record.action,
        ACTION_LABELS[record.action],
        record.created,
        appeal_url=_appeal_url(record, adapter),
    )
    if keeper is None:
        return fate
    return replace(
        fate, keeper=keeper, keeper_title=display_title(keeper, MAX_TITLE_LENGTH), url=public_url(keeper)
    )


def _appeal_url(record: MergeRecord, adapter: Adapter) -> str:
    if not _has_appeal_url(adapter):
        return ""
    post = post_from_journal(record)
    return safe_appeal_url(post) if post is not None else ""


def _has_appeal_url(adapter: Adapter) -> bool:
    return type(adapter).appeal_url is not Adapter.appeal_url
