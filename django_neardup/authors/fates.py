"""What became of an author's posts that staff merged, hid or deleted, so that his own list still shows them."""

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
from ..ends import ends_of
from ..models import MergeRecord
from ..pipeline.deed_keys import key_under
from ..pipeline.deeds import kinds_apart
from ..pipeline.objects import kinds_of
from ..similar import address_of, appeal_of, checked_limit
from ..templating import Rendered
from ..titles import shorten, title_of
from ..visible import GroupingError, Querysets, Visible
from .was import post_of

MOST = 50
"""How many posts are listed."""
TITLE = 120

LABELS: dict[str, Promise] = {
    MergeRecord.Action.MERGE: pgettext_lazy("what became of a post", "became part of another"),
    MergeRecord.Action.HIDE: pgettext_lazy("what became of a post", "taken from publication"),
    MergeRecord.Action.DELETE: pgettext_lazy("what became of a post", "deleted"),
}


@dataclass(frozen=True)
class Fate:
    """A post that is published no more. ``title``: as it was; ``action``: "merge", "hide", "delete", ``label`` the same
    in words; ``when``.

    ``living``: the post that it is part of now, as far as that may be seen, with ``living_title`` and ``url``;
    ``appeal_url``: where the author can object, empty where nowhere.
    """

    title: str
    action: str
    label: Promise
    when: datetime
    living: Model | None = None
    living_title: str = ""
    url: str = ""
    appeal_url: str = ""


class Fates(Rendered, list[Fate]):
    """A list of fates, the newest first. Printed, it is the template ``neardup/fates.html``."""

    template: ClassVar[str] = "fates.html"
    name: ClassVar[str] = "fates"


def fates(
    author: Any,
    model: type[Model] | None = None,
    *,
    visible: Querysets | None = None,
    limit: int = MOST,
    using: str | None = None,
    request: HttpRequest | None = None,
) -> Fates:
    """What became of that author's posts that were merged, hidden or deleted, and are not back; the newest first.

    ``author``: as ``Adapter.author`` gives it, or the object with that key. ``model``: whose posts; None: that of
    ``visible``. ``visible``: the queryset of all that the author may see, or several, one for each model; None:
    ``live()`` of the model's adapter. A living post that it does not hold is not named.

    A post is known by the author that it had when it was last compared before the deed.
    """
    if model is None:
        model = _model_of(visible)
    adapter = adapter_for(model)
    allowed = Visible(adapter.live() if visible is None else visible)
    alias = using or router.db_for_read(adapter.model)
    key, most = author.pk if isinstance(author, Model) else author, checked_limit(limit)
    records = [] if key in (None, "") else _first(most, _records(str(key), adapter, alias), adapter, alias)
    ends = ends_of(records, alias)
    living = allowed.fetch({end for end in ends.values() if allowed.covers(end)}, alias)
    found = Fates(adapter.model, request)
    found.extend(
        _fate(record, adapter, living.get(ends[record.pk]) if record.pk in ends else None)
        for record in records
    )
    return found


def _model_of(visible: Querysets | None) -> type[Model]:
    for queryset in [visible] if isinstance(visible, QuerySet) else visible or ():
        return queryset.model
    raise GroupingError("Whose posts? Give a model, or the queryset of all that the author may see.")


def _records(author: str, adapter: Adapter, using: str) -> QuerySet[MergeRecord]:
    """What was done to the author's posts and still holds, the last deed of each."""
    later = MergeRecord.objects.using(using).filter(
        loser_type=OuterRef("loser_type"), loser_id=OuterRef("loser_id"), undone=None, pk__gt=OuterRef("pk")
    )
    records = MergeRecord.objects.using(using).filter(
        ~Exists(later), author=author, loser_type__in=kinds_of(adapter.model, using), undone=None
    )
    found = records.select_related("loser_type").order_by("-pk")
    reads = _can_appeal(adapter) or kinds_apart(adapter.model, using)
    return found if reads else found.defer("journal")


def _first(most: int, records: QuerySet[MergeRecord], adapter: Adapter, using: str) -> list[MergeRecord]:
    """So many of those that are not back; few authors need a second look."""
    found: list[MergeRecord] = []
    told: set[str] = set()
    rows, size = records, most
    while len(found) < most:
        portion = list(rows[:size])
        found += _still(_last(portion, told, adapter, using), adapter, using)
        if len(portion) < size:
            break
        rows, size = records.filter(pk__lt=portion[-1].pk), max(most, MOST)
    return found[:most]


def _last(records: list[MergeRecord], told: set[str], adapter: Adapter, using: str) -> dict[str, MergeRecord]:
    """The last deed of each post by its canonical id, but for those told before: one may be done to it as a child, and
    another not."""
    apart, found = kinds_apart(adapter.model, using), dict[str, MergeRecord]()
    for each in records:
        key = key_under(each, adapter.model) if each.loser_type_id in apart else each.loser_id
        if key not in told:
            found[key] = each
            told.add(key)
    return found


def _still(records: dict[str, MergeRecord], adapter: Adapter, using: str) -> list[MergeRecord]:
    """Without those of posts that were hidden and have been published again since."""
    hidden = [(adapter.model, key) for key, each in records.items() if each.action == MergeRecord.Action.HIDE]
    back = Visible(adapter.live()).held(hidden, using) if hidden else {}
    return [each for key, each in records.items() if (adapter.model, key) not in back]


def _fate(record: MergeRecord, adapter: Adapter, living: Model | None) -> Fate:
    told = Fate(
        shorten(record.loser_text, TITLE),
        record.action,
        LABELS[record.action],
        record.created,
        appeal_url=_appeal(record, adapter),
    )
    if living is None:
        return told
    return replace(told, living=living, living_title=title_of(living, TITLE), url=address_of(living))


def _appeal(record: MergeRecord, adapter: Adapter) -> str:
    if not _can_appeal(adapter):
        return ""
    post = post_of(record)
    return appeal_of(post) if post is not None else ""


def _can_appeal(adapter: Adapter) -> bool:
    return type(adapter).appeal_url is not Adapter.appeal_url
