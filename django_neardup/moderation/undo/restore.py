"""Undo of a merge, a hide or a delete: each post separately, completely or not at all.

Later edits stay untouched.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils import timezone
from django.utils.translation import gettext as _

from ...adapters import Adapter, adapter_for, adapters_of
from ...db.transactions import call_after_commit
from ...exceptions import Conflict, MergeRefused
from ...models import Cluster, Document, MergeRecord
from ...pipeline import call_with_retries, mark_key
from ...pipeline.content_objects import content_type_of, pk_of
from ...pipeline.open_items import log_changed_documents, log_changed_posts
from ...pipeline.record_keys import keeper_id_for_model, loser_id_for_model
from ...queues import notify_worker
from ...signals import post_undo
from .. import addresses, admin_log
from ..dependencies import model_of_row
from ..journal.hold_entries import restore_hold
from ..journal.serialization import (
    RowId,
    find_model,
    row_id_of,
    stored_key,
)
from ..journal.serialization import deserialize_key as key_from
from ..locked_transaction import locked_transaction
from ..package_data import drop_cached_texts, keys_of_posts, refresh
from ..relations import ModelType
from ..sums import recount, take_back_sums
from ..trees import settle
from .leftovers import ROW_EDITED
from .restore_tables import restore_tables
from .undo_plan import UndoPlan, load_object, plan_undo


@dataclass
class UndoResult:
    """The result for one record of a batch. ``reasons`` say why it was not undone."""

    record: MergeRecord
    reasons: list[str] = field(default_factory=list)

    @property
    def is_done(self) -> bool:
        return not self.reasons


def undo(record: MergeRecord, user: Any, using: str) -> MergeRecord:
    """Undo what was done to the record's post.

    ``left`` of the record says what could not be restored, in words.

    - Merge: the post's rows come back. What moved from it goes back, even if later merges moved it on.
      What people have changed since stays.
    - Hide: the post is shown if it was published before and is not hidden again.
    - Delete: its rows come back, or the changes that the deletion made in them are reverted.

    Raise MergeRefused if the post cannot come back, and Conflict if it was undone already. In both cases
    nothing changes.
    """
    return call_with_retries(_undo, record.pk, user, using)


def undo_batch(batch_id: UUID, user: Any, using: str) -> list[UndoResult]:
    """Undo every record of a batch that is not undone yet, each separately."""
    records = MergeRecord.objects.using(using).filter(batch=batch_id, undone=None).order_by("-pk")
    return undo_records(list(records), user, using)


def undo_records(records: Sequence[MergeRecord], user: Any, using: str) -> list[UndoResult]:
    """Undo the records, each separately. Return the results in the order of the records."""
    newest_first = sorted(records, key=lambda record: -record.pk)
    results = {record.pk: _try_undo(record, user, using) for record in in_undo_order(newest_first)}
    return [results[record.pk] for record in records]


def in_undo_order(records: Sequence[MergeRecord]) -> Iterator[MergeRecord]:
    """Yield the records so that a row comes after the rows that it references.

    In a cycle only references that may not be empty count, and then the order stays.
    """
    deleted_keys = {record.pk: _deleted_row_keys(record) for record in records}
    referenced_keys = {record.pk: _referenced_row_keys(record) for record in records}
    needed_keys = {record.pk: _referenced_row_keys(record, only_needed=True) for record in records}
    pending = {record.pk: record for record in records}
    while pending:
        pending_rows_by_key = Counter(row_key for pk in pending for row_key in deleted_keys[pk])
        ready = (
            pk
            for keys in (referenced_keys, needed_keys)
            for pk in pending
            if all(pending_rows_by_key[row_key] == (row_key in deleted_keys[pk]) for row_key in keys[pk])
        )
        yield pending.pop(next(ready, next(iter(pending))))


def _try_undo(record: MergeRecord, user: Any, using: str) -> UndoResult:
    try:
        return UndoResult(undo(record, user, using))
    except MergeRefused as error:
        return UndoResult(record, error.reasons)
    except Conflict as error:
        return UndoResult(record, [str(error)])


def _undo(pk: int, user: Any, using: str) -> MergeRecord:
    with locked_transaction(_spaces(_record(pk, using), using), using):
        return undo_in_transaction(pk, user, using).record


def undo_in_transaction(pk: int, user: Any, using: str) -> UndoPlan:
    """Undo a record (see ``undo``) in the open transaction, which holds the locks of its posts' spaces.

    Return the plan that was carried out.
    """
    record = _record(pk, using)
    _mark_undone(record, user, using)
    plan = plan_undo(record, using, lock_rows=True)
    if plan.reasons:
        raise MergeRefused(plan.reasons)
    _show_post(plan) if record.action == MergeRecord.Action.HIDE else _restore_post(plan)
    addresses.revert_entries(record, using)
    _reopen_cluster(record, using)
    record.left = plan.left_messages
    record.save(using=using, update_fields=["left"])
    _announce_undo(plan, user)
    return plan


def _record(pk: int, using: str) -> MergeRecord:
    return MergeRecord.objects.using(using).select_related("loser_type", "keeper_type").get(pk=pk)


def _spaces(record: MergeRecord, using: str) -> set[int]:
    space_ids = set(record.journal.get("spaces", ()))
    for model, key in _registered_posts(record, using):
        content_type = content_type_of(model, using)
        documents = Document.objects.using(using).filter(content_type=content_type, object_id=key)
        space_ids |= {
            space_id for space_id in documents.values_list("space", flat=True) if space_id is not None
        }
    return space_ids


def _registered_posts(record: MergeRecord, using: str) -> Iterator[tuple[ModelType, str]]:
    """Yield the registered models of the record's posts, each with the key of the post there.

    A child may have its own key.
    """
    for adapter in _adapters_of_type(record.loser_type):
        yield adapter.model, loser_id_for_model(record, adapter.model)
    for adapter in _adapters_of_type(record.keeper_type):
        yield adapter.model, keeper_id_for_model(record, adapter.model, using)


def _adapters_of_type(content_type: ContentType | None) -> list[Adapter]:
    model = content_type.model_class() if content_type else None
    return adapters_of(model) if model else []


def _mark_undone(record: MergeRecord, user: Any, using: str) -> None:
    """Mark the record as undone. Raise Conflict if it is undone already."""
    record.undone, record.undone_by = timezone.now(), "" if user is None else str(user)[:255]
    rows = MergeRecord.objects.using(using).filter(pk=record.pk, undone=None)
    # The write comes first, and only one of two people gets through it.
    if not rows.update(undone=record.undone, undone_by=record.undone_by):
        raise Conflict(_("It is already undone."))
    # An undo of another post may have amended the journal meanwhile, or an erasure has emptied it.
    record.refresh_from_db(using=using, fields=["journal", "emptied"])


def _show_post(plan: UndoPlan) -> None:
    """Show a hidden post again, or leave that to the undo of a later hide."""
    assert plan.post is not None
    if plan.later_hide_record is not None:
        # The undo of the later hide shows the post only if its journal says that it was published.
        plan.later_hide_record.journal["shown"] = True
        plan.later_hide_record.save(using=plan.using, update_fields=["journal"])
    elif plan.should_show:
        adapter_for(plan.post).show(plan.post)


def _restore_post(plan: UndoPlan) -> None:
    """Restore columns and rows, save the later journals, and restore the hold of the post."""
    assert plan.later_records is not None
    restore_tables(plan)
    for row_id, field_name in take_back_sums(plan.later_records, plan.using):
        plan.report.add(ROW_EDITED, row_id, field_name)
    plan.later_records.save_journals()
    record = plan.record
    plan.post = load_object(record.loser_type_id, record.loser_id, plan.using, lock_row=False)
    if plan.post is not None:
        restore_hold(plan.post, record.journal, plan.using)
        for adapter in adapters_of(plan.post)[:1]:
            adapter.after_restore(plan.post)
    present = [post for post in (plan.post, _current_keeper(plan)) if post is not None]
    log_changed_posts(present, plan.using)
    settle(present, plan.using)
    _leave_out_counters(plan, recount(present, plan.using))
    refresh(_restored_keys(plan, present), plan.using)
    drop_cached_texts(present, plan.using)


def _leave_out_counters(plan: UndoPlan, recounted_rows: Iterable[RowId]) -> None:
    """Do not report counters that a recount has changed."""
    for row_id in recounted_rows:
        for column in model_of_row(row_id)._meta.local_concrete_fields:
            if not column.editable:
                plan.report.leave_out(ROW_EDITED, row_id, column.name)
    plan.left_messages = plan.report.sentences()


def _current_keeper(plan: UndoPlan) -> models.Model | None:
    """Return the keeper, or the post that it was merged into since. Return None if that one is gone."""
    if plan.keeper is not None or plan.later_records is None or not plan.later_records.keeper_chain:
        return plan.keeper
    last = plan.later_records.keeper_chain[-1].record
    if last.action != MergeRecord.Action.MERGE or last.keeper_type_id is None:
        return None
    return load_object(last.keeper_type_id, last.keeper_id, plan.using, lock_row=False)


def _restored_keys(plan: UndoPlan, posts: Sequence[models.Model]) -> dict[ModelType, list[Any]]:
    """Return the keys of the posts, and of the rows that have come back or have columns that went back."""
    row_ids = [restore.row_id_after for restore in plan.all_restores]
    keys = keys_of_posts(posts, plan.using)
    for label, key in [*row_ids, *map(row_id_of, plan.rows_to_insert)]:
        model = model_of_row((label, key))
        keys.setdefault(model, []).append(key_from(model, stored_key(key)))
    return keys


def _reopen_cluster(record: MergeRecord, using: str) -> None:
    """Reopen the cluster that the action resolved."""
    if record.journal.get("resolves"):
        clusters = Cluster.objects.using(using).filter(pk=record.cluster or 0, state=Cluster.State.RESOLVED)
        log_changed_documents(clusters.values_list("leader", flat=True), using)
        clusters.update(state=Cluster.State.OPEN)


def _announce_undo(plan: UndoPlan, user: Any) -> None:
    """Write the admin's history, mark posts for the worker, and send ``post_undo`` at the commit."""
    messages = {
        MergeRecord.Action.MERGE: _("Restored: the merge into %(keeper)s was undone."),
        MergeRecord.Action.HIDE: _hide_undo_message(plan),
        MergeRecord.Action.DELETE: _("Restored: the deletion as a near-duplicate was undone."),
    }
    record, using = plan.record, plan.using
    post, keeper = plan.post, plan.keeper
    message = messages[MergeRecord.Action(record.action)] % {
        "keeper": _name_in_log(record.keeper_type, record.keeper_id)
    }
    admin_log.write_admin_log(user, [post] if post else [], message, using)
    message = _("The merge of %(post)s was undone.") % {
        "post": _name_in_log(record.loser_type, record.loser_id)
    }
    admin_log.write_admin_log(user, [keeper] if keeper else [], message, using)
    _mark_for_check(plan)
    sender = record.loser_type.model_class()
    call_after_commit(using, post_undo.send_robust, sender=sender, record=record, using=using)


def _name_in_log(content_type: ContentType | None, object_id: str) -> str:
    return admin_log.number_in_message(content_type.name if content_type is not None else "", object_id)


def _hide_undo_message(plan: UndoPlan) -> str:
    if plan.should_show:
        return _("Shown again: the hiding as a near-duplicate was undone.")
    return _("The hiding as a near-duplicate was undone; the post stays unchanged.")


def _mark_for_check(plan: UndoPlan) -> None:
    """Mark what came back or was changed for another check."""
    for post in (existing_post for existing_post in (plan.post, plan.keeper) if existing_post is not None):
        for adapter in adapters_of(post):
            mark_key(adapter, pk_of(post, adapter.model), plan.using, recheck=post is plan.post)
    # ``update()`` sends no signal that would mark these rows.
    for restore in plan.all_restores:
        model = model_of_row(restore.row_id)
        for adapter in adapters_of(model):
            if adapter.watched & set(restore.values):
                mark_key(adapter, key_from(model, restore.row_id_after[1]), plan.using)
    call_after_commit(plan.using, notify_worker, plan.using)


def _deleted_row_keys(record: MergeRecord) -> set[tuple[str, str]]:
    """Return the model labels and keys of the rows that a record brings back."""
    return {(row["model"], str(row["pk"])) for row in record.journal.get("rows", ()) if not row.get("stays")}


def _referenced_row_keys(record: MergeRecord, *, only_needed: bool = False) -> set[tuple[str, str]]:
    """Return the model labels and keys that the rows of a record reference.

    With ``only_needed`` leave out references that may be empty.
    """
    row_keys = set()
    for row in record.journal.get("rows", ()):
        model = find_model(row["model"])
        for column in model._meta.local_concrete_fields if model else ():
            if (
                isinstance(column, models.ForeignKey)
                and not (only_needed and column.null)
                and row["fields"].get(column.name) is not None
            ):
                row_keys.add((column.remote_field.model._meta.label_lower, str(row["fields"][column.name])))
    return row_keys
