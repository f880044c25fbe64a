"""Undo of a merge, a hiding, a deletion: each post by itself, whole or not at all, later edits left as they are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.contenttypes.models import ContentType
from django.db import connections, models
from django.utils import timezone
from django.utils.translation import gettext as _

from ..adapters import Adapter, adapter_for, adapters_of
from ..exceptions import Conflict, MergeRefused
from ..models import Cluster, Document, MergeRecord
from ..pipeline import mark_key, retrying
from ..pipeline.committing import after_commit
from ..pipeline.deed_keys import keeper_under, key_under
from ..pipeline.objects import content_type_of, key_of
from ..queues import ring
from ..signals import post_undo
from . import addresses, history
from .held import hold_again
from .needs import model_at
from .relations import ModelType, in_portions
from .returning import Back
from .stored import insert, model_of, value_of
from .stored import key_of as key_from
from .undo_plan import Undo, object_of, plan_undo
from .whole import whole


@dataclass
class Undone:
    """What became of one member of a batch: ``reasons`` say why it was not undone."""

    record: MergeRecord
    reasons: list[str] = field(default_factory=list)

    @property
    def done(self) -> bool:
        return not self.reasons


def undo(record: MergeRecord, by: Any, using: str) -> MergeRecord:
    """Take back what was done to the record's post; ``left`` says, in words, what could not be restored.

    Merged: its rows come back, and what moved from it, wherever later merges have moved it on; what people have changed
    since is left. Hidden: it is shown if it was published until then and is not hidden once more. Deleted: its rows
    come back, or what the deletion changed in them.
    ``MergeRefused`` where the post cannot come back, ``Conflict`` where it was undone already; nothing is changed then.
    """
    return retrying(_undo, record.pk, by, using)


def undo_batch(batch: UUID, by: Any, using: str) -> list[Undone]:
    """Undo every member of one confirmation that is not undone yet, each by itself."""
    records = MergeRecord.objects.using(using).filter(batch=batch, undone=None).order_by("-pk")
    return undo_each(list(records), by, using)


def undo_each(records: Sequence[MergeRecord], by: Any, using: str) -> list[Undone]:
    """Undo those records, each by itself, a post after those that it points at; what became of each, in their order."""
    found: dict[int, Undone] = {}
    own, wanted = ({each.pk: of(each) for each in records} for of in (_own, _pointed_at))
    waiting = {each.pk: each for each in records}
    while waiting:
        away = Counter(place for pk in waiting for place in own[pk])
        free = (pk for pk in waiting if all(away[place] == (place in own[pk]) for place in wanted[pk]))
        record = waiting.pop(next(free, next(iter(waiting))))
        found[record.pk] = _one(record, by, using)
    return [found[record.pk] for record in records]


def _one(record: MergeRecord, by: Any, using: str) -> Undone:
    try:
        return Undone(undo(record, by, using))
    except MergeRefused as error:
        return Undone(record, error.reasons)
    except Conflict as error:
        return Undone(record, [str(error)])


def _undo(pk: int, by: Any, using: str) -> MergeRecord:
    record = MergeRecord.objects.using(using).select_related("loser_type", "keeper_type").get(pk=pk)
    with whole(_spaces(record, using), using):
        _claim(record, by, using)
        found = plan_undo(record, using, lock=True)
        if found.reasons:
            raise MergeRefused(found.reasons)
        _show(found) if record.action == MergeRecord.Action.HIDE else _restore(found)
        addresses.take_back(record, using)
        _reopen(record, using)
        record.left = found.left
        record.save(using=using, update_fields=["left"])
        _tell(found, by)
    return record


def _spaces(record: MergeRecord, using: str) -> set[int]:
    found: set[int] = set()
    for model, key in _names(record, using):
        kind = content_type_of(model, using)
        documents = Document.objects.using(using).filter(content_type=kind, object_id=key)
        found |= {each for each in documents.values_list("space", flat=True) if each is not None}
    return found


def _names(record: MergeRecord, using: str) -> Iterator[tuple[ModelType, str]]:
    """The registered models of the record's posts, each with the post's key there: a child may have one of its own."""
    for adapter in _adapters(record.loser_type):
        yield adapter.model, key_under(record, adapter.model)
    for adapter in _adapters(record.keeper_type):
        yield adapter.model, keeper_under(record, adapter.model, using)


def _adapters(kind: ContentType | None) -> list[Adapter]:
    model = kind.model_class() if kind else None
    return adapters_of(model) if model else []


def _claim(record: MergeRecord, by: Any, using: str) -> None:
    """A write comes first, and only one of two people gets through it."""
    record.undone, record.undone_by = timezone.now(), "" if by is None else str(by)[:255]
    rows = MergeRecord.objects.using(using).filter(pk=record.pk, undone=None)
    if not rows.update(undone=record.undone, undone_by=record.undone_by):
        raise Conflict(_("It was undone already."))
    record.refresh_from_db(
        using=using, fields=["journal"]
    )  # an undo of another post may have amended it meanwhile


def _show(found: Undo) -> None:
    """A later hiding learns that the post was published: its undo shows it."""
    assert found.post is not None
    if found.again is not None:
        found.again.journal["shown"] = True
        found.again.save(using=found.using, update_fields=["journal"])
    elif found.shows:
        adapter_for(found.post).show(found.post)


def _restore(found: Undo) -> None:
    """Columns first: a value that a row of ours needs may be in one of them."""
    assert found.later is not None
    with connections[found.using].constraint_checks_disabled():
        _put_back(found.backs, found.using)
        for row in found.rows:
            insert(row, found.using)
    found.later.save()
    record = found.record
    found.post = object_of(record.loser_type_id, record.loser_id, found.using, lock=False)
    if found.post is not None:
        hold_again(found.post, record.journal, found.using)


def _put_back(backs: Sequence[Back], using: str) -> None:
    """One update for the rows of a model that get the same values."""
    groups: dict[tuple[str, str], list[Back]] = {}
    for back in backs:
        groups.setdefault((back.place[0], repr(sorted(back.values.items()))), []).append(back)
    for (label, _values), every in groups.items():
        model = model_at((label, None))
        fields: dict[str, Any] = {name: model._meta.get_field(name) for name in every[0].values}
        values = {name: value_of(fields[name], stored) for name, stored in every[0].values.items()}
        for portion in in_portions(model, [key_from(model, back.place[1]) for back in every], using):
            portion.update(**values)


def _reopen(record: MergeRecord, using: str) -> None:
    """A group that this has closed is to be decided again."""
    if record.journal.get("resolves"):
        clusters = Cluster.objects.using(using).filter(pk=record.cluster or 0, state=Cluster.State.RESOLVED)
        clusters.update(state=Cluster.State.OPEN)


def _tell(found: Undo, by: Any) -> None:
    """The histories, the worker, the site's listeners."""
    words = {
        MergeRecord.Action.MERGE: _("Came back: the merge into “%(keeper)s” was undone."),
        MergeRecord.Action.HIDE: _shown_words(found),
        MergeRecord.Action.DELETE: _("Came back: the deletion as a near-duplicate was undone."),
    }
    record, using = found.record, found.using
    post, keeper = found.post, found.keeper
    message = words[MergeRecord.Action(record.action)] % {"keeper": record.keeper_text}
    history.log(by, [post] if post else [], message, using)
    message = _("The merge of “%(post)s” was undone.") % {"post": record.loser_text}
    history.log(by, [keeper] if keeper else [], message, using)
    _mark(found)
    sender = record.loser_type.model_class()
    after_commit(using, post_undo.send_robust, sender=sender, record=record, using=using)


def _shown_words(found: Undo) -> str:
    if found.shows:
        return _("Shown again: the hiding as a near-duplicate was undone.")
    return _("The hiding as a near-duplicate was undone; the post is left as it is.")


def _mark(found: Undo) -> None:
    """What came back or was changed is compared anew: an update sends no signal."""
    for post in (each for each in (found.post, found.keeper) if each is not None):
        for adapter in adapters_of(post):
            mark_key(adapter, key_of(post, adapter.model), found.using, recheck=post is found.post)
    for back in found.backs:
        model = model_at(back.place)
        for adapter in adapters_of(model):
            if adapter.watched & set(back.values):
                mark_key(adapter, key_from(model, back.after[1]), found.using)
    after_commit(found.using, ring, found.using)


def _own(record: MergeRecord) -> set[tuple[str, str]]:
    """The rows of the record's post."""
    rows = record.journal.get("rows", ())[: record.journal.get("own", 1)]
    return {(row["model"], str(row["pk"])) for row in rows}


def _pointed_at(record: MergeRecord) -> set[tuple[str, str]]:
    """What the rows of a record point at."""
    found = set()
    for row in record.journal.get("rows", ()):
        model = model_of(row["model"])
        for each in model._meta.local_concrete_fields if model else ():
            if isinstance(each, models.ForeignKey) and row["fields"].get(each.name) is not None:
                found.add((each.remote_field.model._meta.label_lower, str(row["fields"][each.name])))
    return found
