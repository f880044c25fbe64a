"""The plan of an undo: what it would do. Planning changes nothing."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from django.contrib.contenttypes.models import ContentType
from django.db import models
from django.utils.translation import gettext as _

from ...adapters import adapters_of
from ...models import MergeRecord
from ...pipeline.emptied_journals import emptied_sentence
from ...pipeline.record_keys import loser_id_for_model
from ...pipeline.record_queries import records_of_post
from ..dependencies import model_of_row
from ..journal.editor import UNPLANNED_KEY
from ..journal.later_records import LaterRecords
from ..journal.serialization import RowId, row_id_of
from ..relation_rules import stays_with_posts
from ..relations import ModelType, rows_label, rows_of
from .counters import Effects
from .leftovers import UndoReport
from .restore_columns import ColumnRestore, ColumnRestorer
from .restore_rows import RowRestorer, describe_post


@dataclass
class UndoPlan:
    """The effect of an undo. If ``reasons`` is not empty, it does nothing.

    ``row_effects``: what triggers have added during the undo to the counters of rows that came back.
    ``share_effects``: the same for counters that got a share. The undo fills both.

    ``left_messages`` say what would stay, by the ``report``.

    ``post`` and ``keeper`` are the current objects, or None if they are gone. ``should_show`` says whether
    a hidden post is shown again. ``later_hide_record`` is its next hide in force: the undo of that hide
    shows the post instead.
    """

    record: MergeRecord
    using: str
    post: models.Model | None = None
    keeper: models.Model | None = None
    reasons: list[str] = field(default_factory=list)
    left_messages: list[str] = field(default_factory=list)
    report: UndoReport = field(default_factory=UndoReport)
    rows_to_insert: list[dict[str, Any]] = field(default_factory=list)
    column_restores: list[ColumnRestore] = field(default_factory=list)
    share_restores: list[ColumnRestore] = field(default_factory=list)
    row_effects: Effects = field(default_factory=dict)
    share_effects: Effects = field(default_factory=dict)
    own_row_ids: set[RowId] = field(default_factory=set)
    later_records: LaterRecords | None = None
    should_show: bool = False
    later_hide_record: MergeRecord | None = None

    @property
    def all_restores(self) -> list[ColumnRestore]:
        """Return the columns that go back, and the counters that get a share back."""
        return [*self.column_restores, *self.share_restores]

    @property
    def changed_models(self) -> set[ModelType]:
        """Return every model with rows that the action has changed by its plan and that go back."""
        return {model_of_row(restore.row_id) for restore in self.column_restores if restore.is_planned}

    @property
    def other_row_models(self) -> set[ModelType]:
        """Return the models of the rows that the action has deleted by its plan and that come back.

        The post's own rows are left out, and rows that a rule keeps with it.
        """
        models_of_rows = {
            model_of_row(row_id_of(row))
            for row in self.rows_to_insert
            if row_id_of(row) not in self.own_row_ids and not row.get(UNPLANNED_KEY)
        }
        post_model: Any = self.record.loser_type.model_class()
        post_models = [] if post_model is None else [post_model]
        return {model for model in models_of_rows if not stays_with_posts(model, post_models)}

    @property
    def child_models(self) -> set[ModelType]:
        """Return the models under which the post would come back as a multi-table child."""
        post_model: Any = self.record.loser_type.model_class()
        own_models = {
            model_of_row(row_id) for row_id in self.own_row_ids & set(map(row_id_of, self.rows_to_insert))
        }
        return {
            model
            for model in own_models
            if post_model is not None and issubclass(model, post_model) and model is not post_model
        }

    def lines(self) -> list[tuple[str, str, int]]:
        """Return what comes back, in words and numbers: the kind of rows, the column, and the count.

        The column is "" if whole rows come back.
        """
        rows = Counter((_rows_label(row["model"]), "") for row in self.rows_to_insert)
        columns = Counter(
            (_rows_label(restore.row_id[0]), _column_label(restore.row_id, field_name))
            for restore in self.all_restores
            for field_name in restore.values
        )
        return [(*labels, count) for labels, count in [*sorted(rows.items()), *sorted(columns.items())]]


def plan_undo(record: MergeRecord, using: str, *, lock_rows: bool = False) -> UndoPlan:
    """Plan an undo from the current state of the database, without changing anything.

    With ``lock_rows`` call it in a transaction. The rows of the posts and of later records stay locked
    until its end.
    """
    post, keeper = load_object(record.loser_type_id, record.loser_id, using, lock_row=lock_rows), None
    if record.action == MergeRecord.Action.MERGE and record.keeper_type_id is not None:
        keeper = load_object(record.keeper_type_id, record.keeper_id, using, lock_row=lock_rows)
    plan = UndoPlan(record, using, post, keeper)
    if record.emptied is not None:
        plan.reasons.append(emptied_sentence(record))
    elif record.loser_type.model_class() is None:
        plan.reasons.append(_("The site no longer has this model."))
    elif record.action == MergeRecord.Action.HIDE:
        _plan_show(plan, lock_rows)
    else:
        _plan_restore(plan, lock_rows)
    return plan


def _plan_show(plan: UndoPlan, lock_rows: bool) -> None:
    if plan.post is None:
        message = _("%(post)s no longer exists: it was merged or deleted since.")
        plan.reasons.append(message % {"post": describe_post(plan.record)})
    elif not plan.record.journal.get("shown", True):
        plan.left_messages.append(_("The post was not published before it was hidden: it stays unchanged."))
    elif later_record := _later_hide_records(plan, lock_rows).first():
        plan.later_hide_record = later_record
        plan.left_messages.append(_("The post was hidden again since: it is shown when that is undone, too."))
    else:
        plan.should_show = True


def _later_hide_records(plan: UndoPlan, lock_rows: bool) -> models.QuerySet[MergeRecord]:
    """Return the later hides of the post that are in force, the oldest first."""
    record = plan.record
    rows = MergeRecord.objects.using(plan.using).filter(
        loser_type=record.loser_type_id, loser_id=record.loser_id, undone=None
    )
    for adapter in adapters_of(plan.post)[:1] if plan.post is not None else ():
        rows = records_of_post(adapter.model, loser_id_for_model(record, adapter.model), plan.using)
    rows = rows.filter(action=MergeRecord.Action.HIDE, pk__gt=record.pk)
    return (rows.select_for_update() if lock_rows else rows).order_by("pk")


def _plan_restore(plan: UndoPlan, lock_rows: bool) -> None:
    report = plan.report
    later_records = LaterRecords(plan.record, plan.using, lock_rows=lock_rows)
    row_restorer = RowRestorer(later_records, report)
    column_restorer = ColumnRestorer(later_records, set(row_restorer.rows), report)
    row_restorer.resolve_obstacles(column_restorer)
    column_restorer.update_later_journals()
    plan.later_records, plan.left_messages = later_records, report.sentences()
    plan.reasons = list(dict.fromkeys(row_restorer.reasons))
    plan.own_row_ids = row_restorer.own_row_ids
    plan.rows_to_insert = sorted(
        row_restorer.rows.values(), key=lambda row: row_id_of(row) not in row_restorer.own_row_ids
    )
    plan.column_restores = list(column_restorer.column_restores.values())
    plan.share_restores = list(column_restorer.share_restores.values())


def load_object(content_type_id: int, key: str, using: str, *, lock_row: bool) -> models.Model | None:
    """Return the current object. Return None if it or its model is gone."""
    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    if model is None:
        return None
    rows = rows_of(model, using).filter(pk=model._meta.pk.to_python(key))
    instance: models.Model | None = (rows.select_for_update() if lock_row else rows).first()
    return instance


def _rows_label(model_label: str) -> str:
    return rows_label(model_of_row((model_label, None)))


def _column_label(row_id: RowId, field_name: str) -> str:
    field: Any = model_of_row(row_id)._meta.get_field(field_name)
    return str(field.verbose_name)
