"""Predictions about an undo before an action: whether it will be tried, the result of the last try, and other
effects on posts of these models than Django's own deletion. It only reads.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from django.db import models
from django.db.models.signals import post_delete, pre_delete
from django.utils import timezone
from django.utils.translation import gettext as _

from ..conf import get_site_settings
from ..db.own_effects import OwnEffects
from ..models import UndoProof
from ..pipeline.content_objects import content_type_of
from ..pipeline.emptied_journals import last_undo_day
from .journal.statement_watch import models_by_table, own_tables
from .relation_rules import AcceptedLoss
from .relations import ModelType, rows_label


@dataclass(frozen=True)
class UndoOutlook:
    """What can be said of an undo before an action.

    - ``untried_reason``: why the undo will not be tried before the commit. Empty if it will be.
    - ``last_proof``: what came of the last try on posts of this model, None if there was none.
    - ``findings``: sentences about other effects than Django's own deletion.
    - ``accepted_names``: the rows that the site accepts to lose, if the person does too.
    - ``last_day``: the last day of the undo. Empty if the site sets no limit.
    """

    untried_reason: str = ""
    last_proof: UndoProof | None = None
    findings: list[str] = field(default_factory=list)
    accepted_names: list[str] = field(default_factory=list)
    last_day: str = ""


def undo_outlook(
    posts: Sequence[models.Model], using: str, row_count: int, *, are_deleted: bool
) -> UndoOutlook:
    """Return the outlook for an action on posts that changes this number of rows, or more."""
    post_models = list(dict.fromkeys(type(post) for post in posts))
    types = [content_type_of(model, using) for model in post_models]
    proofs = UndoProof.objects.using(using).filter(content_type__in=types).order_by("-created")
    return UndoOutlook(
        _untried_reason(row_count),
        proofs.first(),
        [sentence for model in post_models for sentence in _findings(model, using)] if are_deleted else [],
        [_label(name) for name in AcceptedLoss(posts).names],
        last_undo_day(timezone.now()),
    )


def _untried_reason(row_count: int) -> str:
    site = get_site_settings()
    if not site.prove_undo:
        return _("NEARDUP[“PROVE_UNDO”] turns it off.")
    if row_count > site.prove_rows:
        return _("More than %(count)d rows change.") % {"count": site.prove_rows}
    return ""


def _findings(model: ModelType, using: str) -> Iterator[str]:
    name = rows_label(model)
    if model.delete is not models.Model.delete:
        message = _("“%(model)s” has its own delete() (%(module)s).")
        yield message % {"model": name, "module": model.delete.__module__}
    if receivers := list(dict.fromkeys(_receivers(model))):
        yield _("These receivers run immediately: %(receivers)s.") % {"receivers": ", ".join(receivers)}
    effects = OwnEffects(using)
    tables = {parent._meta.db_table for parent in (model, *model._meta.all_parents)}
    by_key = {
        action.table for table in tables for action in effects.foreign_key_actions.get(table, ())
    } - own_tables()
    if by_key:
        message = _("The database itself deletes or changes rows that refer to it: %(rows)s.")
        yield message % {"rows": _join_tables(by_key)}
    reached = {each for table in tables for each in effects.changed_with(table)}
    if (
        triggered := {table for each in reached for table in effects.behind_triggers.get(each, ())}
        - own_tables()
    ):
        yield _("Triggers may change: %(rows)s.") % {"rows": _join_tables(triggered)}


def _receivers(model: ModelType) -> Iterator[str]:
    """Yield the names of the site's functions that a deletion calls."""
    for signal in (pre_delete, post_delete):
        # Django has no public way to ask which receivers a signal has for a model.
        for receivers in signal._live_receivers(model):
            for receiver in receivers:
                module = getattr(receiver, "__module__", "")
                if not module.startswith("django_neardup."):
                    yield f"{module}.{getattr(receiver, '__qualname__', type(receiver).__name__)}"


def _join_tables(tables: set[str]) -> str:
    return ", ".join(sorted(_label_of_table(table) for table in tables))


def _label_of_table(table: str) -> str:
    model = models_by_table().get(table)
    return table if model is None else rows_label(model)


def _label(name: str) -> str:
    """Return the label of the rows that ``accepts_loss`` names."""
    labels = {model._meta.label_lower: model for model in models_by_table().values()}
    return rows_label(labels[name.lower()]) if name.lower() in labels else name
