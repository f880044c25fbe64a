"""The lines of a plan: each relation with its number of rows, and what happens to them, in words."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.conf import settings
from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from .model_plan import (
    CASCADED,
    KEEPER_NOT_CHOSEN,
    NOT_CHOSEN,
    REDUNDANT,
    SELF_LINK,
    RowMove,
    RowRemoval,
)
from .relation_rules import RelationRules
from .relations import ModelType, Reference, rows_label, through_models
from .unique_conflicts import UniqueConflict, unique_rules

MOVED_TEXT = ngettext_lazy("It moves.", "They move.", "count")
FREED_TEXT = ngettext_lazy(
    "It moves and does not block the deletion.", "They move and do not block the deletion.", "count"
)
EMPTIED_TEXT = ngettext_lazy(
    "%(count)d loses its reference to a deleted row.",
    "%(count)d lose their references to deleted rows.",
    "count",
)
REMOVED_TEXTS = {
    REDUNDANT: ngettext_lazy(
        "The keeper already has %(count)d: the extra one is deleted.",
        "The keeper already has %(count)d: the extra ones are deleted.",
        "count",
    ),
    SELF_LINK: ngettext_lazy(
        "%(count)d would refer from the post to itself: it is deleted.",
        "%(count)d would refer from the post to itself: they are deleted.",
        "count",
    ),
    NOT_CHOSEN: ngettext_lazy(
        "%(count)d is deleted, as chosen.", "%(count)d are deleted, as chosen.", "count"
    ),
    KEEPER_NOT_CHOSEN: ngettext_lazy(
        "%(count)d of the keeper is deleted, as chosen.",
        "%(count)d of the keeper are deleted, as chosen.",
        "count",
    ),
    CASCADED: ngettext_lazy(
        "%(count)d is deleted with a row that is not selected.",
        "%(count)d are deleted with rows that are not selected.",
        "count",
    ),
}


@dataclass
class PlanLine:
    """One relation of a plan.

    ``moved_count`` rows move to the keeper, ``emptied_count`` rows lose their reference. ``removed_counts``
    counts the rows that are deleted, by reason. ``conflicts`` need decisions.
    """

    model: ModelType
    reference: Reference
    moved_count: int = 0
    emptied_count: int = 0
    removed_counts: Counter[str] = field(default_factory=Counter)
    conflicts: list[UniqueConflict] = field(default_factory=list)

    @property
    def column_label(self) -> str:
        """Return the label of the referencing column."""
        return str(self.reference.field.verbose_name)

    @property
    def undecided_count(self) -> int:
        """Return how many decisions are needed."""
        return sum(conflict.choice is None for conflict in self.conflicts)

    @property
    def removed_count(self) -> int:
        return (
            sum(count for reason, count in self.removed_counts.items() if reason != KEEPER_NOT_CHOSEN)
            + self.undecided_count
        )

    @property
    def row_count(self) -> int:
        return self.moved_count + self.emptied_count + self.removed_count

    @property
    def title(self) -> str:
        """Return the label of the rows. A many-to-many relation has its own name."""
        return rows_label(self.model)

    @property
    def relation_label(self) -> str:
        """Return the column as developers write it, and the kinds of the relation."""
        return ", ".join(
            [f"{self.model._meta.model_name}.{self.reference.field.name}", *self._relation_kinds()]
        )

    @property
    def sentences(self) -> list[str]:
        """Return what happens to the rows, one sentence for each result."""
        sentences = [
            (FREED_TEXT if self._forbids_deletion else MOVED_TEXT, self.moved_count),
            (EMPTIED_TEXT, self.emptied_count),
        ]
        sentences += [(text, self.removed_counts[reason]) for reason, text in REMOVED_TEXTS.items()]
        written = [str(text % {"count": count}) for text, count in sentences if count]
        return (
            [*written, _("They may grant rights.")] if self.moved_count and self.may_grant_rights else written
        )

    @property
    def may_grant_rights(self) -> bool:
        """Return whether the rows join the post and a user, and no rule says what becomes of them."""
        rules = RelationRules.of(self.reference.target_model)
        # By their labels: a site may be without the app of users.
        holders = (settings.AUTH_USER_MODEL.lower(), "auth.group")
        return not rules.is_named(self.model, self.reference.field.name) and any(
            isinstance(field, models.ForeignKey) and field.remote_field.model._meta.label_lower in holders
            for field in self.model._meta.local_concrete_fields
        )

    @property
    def _forbids_deletion(self) -> bool:
        column = self.reference.field
        return column.is_relation and column.remote_field.on_delete in (models.PROTECT, models.RESTRICT)

    def _relation_kinds(self) -> Iterator[str]:
        column = self.reference.field
        if self.reference.content_type_condition is not None:
            yield _("any model (generic)")
        elif self.model in through_models():
            yield _("many to many")
        elif column.is_relation and column.unique:
            yield _("one to one")
        for rule in unique_rules(self.model, {self.reference.column}):
            if len(rule.column_names) > 1:
                yield _("unique together: %(names)s") % {"names": rule.label}
        if self._forbids_deletion:
            yield _("blocks the deletion")


def build_plan_lines(
    moves: Iterable[RowMove], removals: Iterable[RowRemoval], conflicts: Iterable[UniqueConflict]
) -> list[PlanLine]:
    """Return the relations that have rows: first relations with conflicts, then by model and column."""
    lines_by_relation: dict[tuple[ModelType, str], PlanLine] = {}

    def line(model: ModelType, reference: Reference) -> PlanLine:
        return lines_by_relation.setdefault((model, reference.field.name), PlanLine(model, reference))

    for move in moves:
        plan_line = line(move.reference.model, move.reference)
        if move.new_value is None:
            plan_line.emptied_count += 1
        else:
            plan_line.moved_count += 1
    for removal in removals:
        line(removal.model, removal.reference).removed_counts[removal.reason] += 1
    for conflict in conflicts:
        line(conflict.model, conflict.reference).conflicts.append(conflict)
    return sorted(
        lines_by_relation.values(),
        key=lambda plan_line: (
            not plan_line.conflicts,
            plan_line.model._meta.label_lower,
            plan_line.column_label,
        ),
    )
