"""The proof that an action can be undone: it is undone, compared, and done again by taking the undo back.

The undo runs in a savepoint of the action's transaction. Its rollback leaves the action as it was, so
signals, files and callbacks of the action happen once. Signals of the undo happen too, and may ask
``is_proof()``.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import chain
from typing import TYPE_CHECKING, Any

from django.db import DatabaseError, transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..conf import get_site_settings
from ..db.transactions import call_after_commit
from ..exceptions import MergeRefused, UndoIsInexact, infrastructure_errors, without_message
from ..models import MergeRecord, UndoProof
from ..pipeline.content_objects import content_type_of
from .dependencies import model_of_row
from .journal.editor import RecordJournal
from .journal.serialization import RowId, changed_columns, find_model
from .journal.side_effects import arrived_row_ids, load_current_rows
from .journal.statement_watch import StatementWatch, models_by_table
from .locked_transaction import is_refusal
from .package_data import lost_files, repeat_outside
from .relation_rules import AcceptedLoss
from .relations import ModelType
from .undo.counters import store_effects
from .undo.leftovers import UndoReport
from .undo.restore import in_undo_order, undo_in_transaction
from .undo.undo_plan import UndoPlan

if TYPE_CHECKING:
    from .journal.write import ActionContext

logger = logging.getLogger(__name__)

PROOF_KEY = "proof"
"""The key of a journal for what a proof came to: one of the following."""

DONE, ACCEPTED = UndoProof.Outcome.DONE.value, UndoProof.Outcome.ACCEPTED.value
OFF, TOO_MANY_ROWS = "off", "too many rows"

LOST_KEY = "lost"
"""The key of a journal for the loss that the person has accepted, as sentences."""

LOST = gettext_lazy("%(rows)s: would not be restored.")
CHANGED = gettext_lazy("%(rows)s: would have another value.")

_is_proof: ContextVar[bool] = ContextVar("neardup_is_proof", default=False)


def is_proof() -> bool:
    """Return whether the undo that runs now is a proof, which will be rolled back."""
    return _is_proof.get()


def prove_undo(
    records: Sequence[MergeRecord], watch: StatementWatch, context: ActionContext, accepted: AcceptedLoss
) -> None:
    """Undo an action that has just been done, compare every row that it changed, and take the undo back.

    Raise UndoIsInexact with what would not come back. Rows whose loss is ``accepted`` may be missing if the
    person accepts it too. ``NEARDUP["PROVE_UNDO"]`` turns the proof off. Above ``NEARDUP["PROVE_ROWS"]`` changed
    rows nothing is proved. The journals say so.
    """
    site = get_site_settings()
    outcome = OFF if not site.prove_undo else DONE
    if outcome == DONE and len(watch.named_row_ids) > site.prove_rows:
        outcome = TOO_MANY_ROWS
    losses: list[str] = []
    plans: dict[int, UndoPlan] = {}
    if outcome == DONE:
        differences = [
            *_unexplained_tables(watch),
            *lost_files(watch.rows, watch.using),
            *_undo_and_compare(records, watch, context, plans),
        ]
        losses = list(dict.fromkeys(sentence for _name, sentence in differences))
        is_acceptable = all(accepted.covers(name) for name, _sentence in differences)
        if losses and not (is_acceptable and context.accepts_loss):
            message = _("An undo would not restore everything.")
            raise UndoIsInexact([message, *losses], is_acceptable=is_acceptable)
        outcome = ACCEPTED if losses else DONE
        post_model = records[0].loser_type.model_class()
        assert post_model is not None
        call_after_commit(context.using, remember_outcome, post_model, outcome, losses, context.using)
        repeat_outside(watch.rows, watch.using)
    # One record may bring back a row of another.
    row_effects = dict(chain.from_iterable(plan.row_effects.items() for plan in plans.values()))
    for record in records:
        if record.pk in plans:
            store_effects(RecordJournal(record), row_effects, plans[record.pk].share_effects)
        record.journal[PROOF_KEY] = outcome
        if losses:
            record.journal[LOST_KEY] = losses
        record.save(using=context.using, update_fields=["journal"])


def remember_outcome(model: ModelType, outcome: str, reasons: Sequence[str], using: str) -> None:
    """Store what came of a proof on posts of the model, for the next plan of such an action."""
    UndoProof.objects.using(using).update_or_create(
        content_type=content_type_of(model, using), defaults={"outcome": outcome, "reasons": list(reasons)}
    )


Difference = tuple[str, str]
"""The label of a model, or the name of a table, and what is different there, in words."""


def _undo_and_compare(
    records: Sequence[MergeRecord],
    watch: StatementWatch,
    context: ActionContext,
    plans: dict[int, UndoPlan],
) -> list[Difference]:
    """Undo the records in a savepoint, return what is different then, and fill ``plans`` by record."""
    changed_by_action, inserted_models = set(watch.rows), set(watch.inserted_models)
    arrived = {row_id for record in records for row_id in arrived_row_ids(RecordJournal(record))}
    with _proving(context.using):
        try:
            for record in in_undo_order(sorted(records, key=lambda record: -record.pk)):
                plans[record.pk] = undo_in_transaction(record.pk, context.user, context.using)
        except MergeRefused as error:
            return [("", reason) for reason in error.reasons]
        except DatabaseError as error:
            if not is_refusal(error):
                raise
            return [("", _("The database refuses: %(error)s") % {"error": error})]
        except Exception as error:
            if isinstance(error, infrastructure_errors()):
                raise
            logger.error(
                "neardup: the action is refused, because its undo fails.", exc_info=without_message(error)
            )
            message = _("The undo fails: %(error)s")
            return [("", message % {"error": f"{type(error).__name__}: {error}"})]
        seen = changed_by_action | arrived
        undone = {
            row_id for row_id in watch.rows if row_id not in seen and find_model(row_id[0]) in inserted_models
        }
        # A row that has a new key, and a row that the action has inserted, are gone after the undo.
        may_be_gone = undone | (arrived - changed_by_action)
        is_hiding = any(record.action == MergeRecord.Action.HIDE for record in records)
        cells = list(_differing_cells(watch.rows, may_be_gone, watch.using, is_hiding=is_hiding))
        differing_tables = list(_differing_tables(watch))
    lost_ids = {row_id for reason, row_id, _name in cells if reason is LOST} - changed_by_action
    # A row that the undo itself has made and taken away, as a trigger's, is not there after the rollback either.
    existing = load_current_rows([watch.rows[row_id] for row_id in lost_ids], watch.using)
    cells = [cell for cell in cells if cell[1] not in lost_ids or cell[1] in existing]
    return [*_in_words(cells), *differing_tables]


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


DifferingCell = tuple[Any, RowId, str]
"""The reason, the row, and the name of the column. It is "" if the whole row is missing."""


def _differing_cells(
    rows: Mapping[RowId, Mapping[str, Any]], may_be_gone: set[RowId], using: str, *, is_hiding: bool
) -> Iterator[DifferingCell]:
    """Yield what is not as it was before the action."""
    current = load_current_rows(rows.values(), using)
    for row_id, row in rows.items():
        if row_id in current:
            model = model_of_row(row_id)
            for name in changed_columns(model, row["fields"], current[row_id]):
                # The adapter's ``show()`` is a change of today, and its ``save()`` writes the date of it.
                if not (is_hiding and getattr(model._meta.get_field(name), "auto_now", False)):
                    yield CHANGED, row_id, name
        elif row_id not in may_be_gone:
            yield LOST, row_id, ""


def _in_words(cells: Iterable[DifferingCell]) -> Iterator[Difference]:
    reports: defaultdict[str, UndoReport] = defaultdict(UndoReport)
    for reason, row_id, name in cells:
        reports[row_id[0]].add(reason, row_id, name)
    for label, report in reports.items():
        yield from ((label, sentence) for sentence in report.sentences())


def _differing_tables(watch: StatementWatch) -> Iterator[Difference]:
    for table in watch.tables_with_losses():
        model = models_by_table().get(table)
        name = table if model is None else model._meta.label_lower
        yield name, _("Rows would be missing in the table %(table)s.") % {"table": table}


def _unexplained_tables(watch: StatementWatch) -> Iterator[Difference]:
    for table in sorted(watch.unexplained_tables()):
        model = models_by_table().get(table)
        message = _("Something changes the table %(table)s; its source is unknown.")
        yield model._meta.label_lower if model else table, message % {"table": table or "?"}
