"""The proof that an action can be undone: it is undone, compared, and done again by taking the undo back.

The undo runs in a savepoint of the action's transaction. Its rollback leaves the action as it was, so
signals, files and callbacks of the action happen once. Signals of the undo happen too, and may ask
``is_proof()``.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import TYPE_CHECKING, Any

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..conf import get_profile
from ..exceptions import MergeRefused
from ..models import MergeRecord
from .dependencies import model_of_row
from .journal.editor import RecordJournal
from .journal.serialization import RowId, changed_columns, find_model
from .journal.side_effects import arrived_row_ids, load_current_rows
from .journal.statement_watch import StatementWatch
from .relations import ModelType, rows_label, rows_of
from .undo.leftovers import UndoReport
from .undo.restore import in_undo_order, undo_in_transaction

if TYPE_CHECKING:
    from .journal.write import ActionContext

PROOF_KEY = "proof"
"""The key of a journal for what a proof came to: one of the following."""

DONE, OFF, TOO_MANY_ROWS = "done", "off", "too many rows"

LOST = gettext_lazy("%(rows)s: would not come back.")
CHANGED = gettext_lazy("%(rows)s: would have another value.")

_is_proof: ContextVar[bool] = ContextVar("neardup_is_proof", default=False)


def is_proof() -> bool:
    """Return whether the undo that runs now is a proof, which will be rolled back."""
    return _is_proof.get()


def prove_undo(
    records: Sequence[MergeRecord],
    watch: StatementWatch,
    context: ActionContext,
    accepted_models: Collection[ModelType] = (),
) -> None:
    """Undo an action that has just been done, compare every row that it changed, and take the undo back.

    Rows of ``accepted_models`` are not compared.
    Raise MergeRefused with what would not come back. ``NEARDUP["PROVE_UNDO"]`` turns it off. Above
    ``NEARDUP["PROVE_ROWS"]`` changed rows nothing is proved. The journals say so.
    """
    profile = get_profile()
    outcome = OFF if not profile.prove_undo else DONE
    if outcome == DONE and len(watch.rows) > profile.prove_rows:
        outcome = TOO_MANY_ROWS
    if outcome == DONE:
        reasons = [
            *_unread_messages(watch),
            *_undo_and_compare(records, watch, context, accepted_models),
        ]
        if reasons:
            raise MergeRefused([_("An undo would not restore everything."), *dict.fromkeys(reasons)])
    for record in records:
        record.journal[PROOF_KEY] = outcome
        record.save(using=context.using, update_fields=["journal"])


def _undo_and_compare(
    records: Sequence[MergeRecord],
    watch: StatementWatch,
    context: ActionContext,
    accepted_models: Collection[ModelType],
) -> list[str]:
    changed_by_action, inserted_models = set(watch.rows), set(watch.inserted_models)
    arrived = {row_id for record in records for row_id in arrived_row_ids(RecordJournal(record))}
    with _proving(context.using):
        try:
            for record in in_undo_order(sorted(records, key=lambda record: -record.pk)):
                undo_in_transaction(record.pk, context.user, context.using)
        except MergeRefused as error:
            return error.reasons
        except IntegrityError as error:
            return [_("The database refuses: %(error)s") % {"error": error}]
        seen = changed_by_action | arrived
        undone = {
            row_id for row_id in watch.rows if row_id not in seen and find_model(row_id[0]) in inserted_models
        }
        # A row that has a new key, and a row that the action has inserted, are gone after the undo.
        accepted_labels = {model._meta.label_lower for model in accepted_models}
        compared = {row_id: row for row_id, row in watch.rows.items() if row_id[0] not in accepted_labels}
        counts = {model: count for model, count in watch.row_counts.items() if model not in accepted_models}
        return [
            *_differences(compared, undone | (arrived - changed_by_action), watch.using),
            *_other_counts(counts, watch.using),
        ]


@contextmanager
def _proving(using: str) -> Iterator[None]:
    """Run the block in a savepoint, and roll it back."""
    token = _is_proof.set(True)
    try:
        with transaction.atomic(using=using):
            try:
                yield
            finally:
                transaction.set_rollback(True, using=using)
    finally:
        _is_proof.reset(token)


def _differences(
    rows: Mapping[RowId, Mapping[str, Any]], may_be_gone: set[RowId], using: str
) -> Iterator[str]:
    """Yield which rows are not as they were before the action, in words."""
    report = UndoReport()
    current = load_current_rows(rows.values(), using)
    for row_id, row in rows.items():
        if row_id in current:
            for name in changed_columns(model_of_row(row_id), row["fields"], current[row_id]):
                report.add(CHANGED, row_id, name)
        elif row_id not in may_be_gone:
            report.add(LOST, row_id)
    yield from report.sentences()


def _other_counts(counts: Mapping[ModelType, int], using: str) -> Iterator[str]:
    for model, count in counts.items():
        if rows_of(model, using).count() != count:
            yield _("%(rows)s: there would be another number of them.") % {"rows": rows_label(model)}


def _unread_messages(watch: StatementWatch) -> Iterator[str]:
    for table in sorted(watch.unread_tables):
        yield _("Something changes the table %(table)s, and nothing shows what.") % {"table": table or "?"}
