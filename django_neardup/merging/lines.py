"""A plan's relations in words: how many rows each has, and what becomes of them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from django.db import models
from django.utils.translation import gettext as _
from django.utils.translation import ngettext_lazy

from .clashes import Clash, uniques
from .relations import ModelType, Pointer, link_models, rows_called
from .table import DECIDED, FALLEN, ITSELF, OWN, THERE, Drop, Move

MOVED = ngettext_lazy("It moves.", "They move.", "count")
FREED = ngettext_lazy(
    "It moves, and does not forbid the deletion.", "They move, and do not forbid the deletion.", "count"
)
EMPTIED = ngettext_lazy(
    "%(count)d loses its reference to what goes.", "%(count)d lose their reference to what goes.", "count"
)
GONE = {
    THERE: ngettext_lazy(
        "The keeper has %(count)d already: the spare one goes.",
        "The keeper has %(count)d already: the spare ones go.",
        "count",
    ),
    ITSELF: ngettext_lazy(
        "%(count)d would lead from the post to itself: it goes.",
        "%(count)d would lead from the post to itself: they go.",
        "count",
    ),
    DECIDED: ngettext_lazy("%(count)d goes, as decided.", "%(count)d go, as decided.", "count"),
    OWN: ngettext_lazy(
        "%(count)d of the keeper's own goes, as decided.",
        "%(count)d of the keeper's own go, as decided.",
        "count",
    ),
    FALLEN: ngettext_lazy(
        "%(count)d goes with a row that is not chosen.",
        "%(count)d go with rows that are not chosen.",
        "count",
    ),
}


@dataclass
class Line:
    """One relation of a plan. ``moves`` rows come to the keeper, ``drops`` do not; ``clashes`` want decisions."""

    model: ModelType
    pointer: Pointer
    moves: int = 0
    emptied: int = 0
    gone: Counter[str] = field(default_factory=Counter)
    clashes: list[Clash] = field(default_factory=list)

    @property
    def name(self) -> str:
        """The column by which it points."""
        return str(self.pointer.field.verbose_name)

    @property
    def open(self) -> int:
        """How many decisions are needed."""
        return sum(clash.choice is None for clash in self.clashes)

    @property
    def drops(self) -> int:
        return sum(count for why, count in self.gone.items() if why != OWN) + self.open

    @property
    def total(self) -> int:
        return self.moves + self.emptied + self.drops

    @property
    def title(self) -> str:
        """What the rows are called: a many-to-many relation by its own name."""
        return rows_called(self.model)

    @property
    def kind(self) -> str:
        """The column as developers write it, and what sort of relation it is."""
        return ", ".join([f"{self.model._meta.model_name}.{self.pointer.field.name}", *self._kinds()])

    @property
    def words(self) -> list[str]:
        """What becomes of the rows, a sentence each."""
        sentences = [(FREED if self._forbids else MOVED, self.moves), (EMPTIED, self.emptied)]
        sentences += [(words, self.gone[why]) for why, words in GONE.items()]
        return [str(words % {"count": count}) for words, count in sentences if count]

    @property
    def _forbids(self) -> bool:
        at = self.pointer.field
        return at.is_relation and at.remote_field.on_delete in (models.PROTECT, models.RESTRICT)

    def _kinds(self) -> Iterator[str]:
        at = self.pointer.field
        if self.pointer.kind is not None:
            yield _("any model (generic)")
        elif self.model in link_models():
            yield _("many to many")
        elif at.is_relation and at.unique:
            yield _("one to one")
        for rule in uniques(self.model, {self.pointer.column}):
            if len(rule.names) > 1:
                yield _("unique together: %(names)s") % {"names": rule.words}
        if self._forbids:
            yield _("forbids the deletion")


def lines_of(moves: Iterable[Move], drops: Iterable[Drop], clashes: Iterable[Clash]) -> list[Line]:
    """The relations that have rows: those with clashes first, then by model and column."""
    found: dict[tuple[ModelType, str], Line] = {}

    def line(model: ModelType, pointer: Pointer) -> Line:
        return found.setdefault((model, pointer.field.name), Line(model, pointer))

    for move in moves:
        each = line(move.pointer.model, move.pointer)
        if move.new is None:
            each.emptied += 1
        else:
            each.moves += 1
    for drop in drops:
        line(drop.model, drop.pointer).gone[drop.why] += 1
    for clash in clashes:
        line(clash.model, clash.pointer).clashes.append(clash)
    return sorted(
        found.values(), key=lambda each: (not each.clashes, each.model._meta.label_lower, each.name)
    )
