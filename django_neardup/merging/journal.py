"""The journal: all that an undo needs, written before anything is changed.

``rows`` are those that go, the post's own first (``own`` of them); one with ``stays`` was only changed by its model's
``delete()``. A move is a column that was changed, ``from`` one value ``to`` another: *what still is* ``to`` *goes back
to* ``from``. ``shown``, of a post that was hidden: whether it was published until then.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.contrib.contenttypes.models import ContentType
from django.db import models

from ..adapters import adapter_for, adapters_of
from ..models import Document, MergeRecord
from ..pipeline import canonical_id
from .cascade import Fall
from .held import document_of, noted
from .plan import Plan
from .relations import ModelType, ancestors, concrete, faces, in_portions, rows_of
from .stored import plain, plain_key, rows
from .table import Move, key_in

TEXT = 200


@dataclass(frozen=True)
class Seen:
    """What the person was shown of a post: its score with the representative, 0..1, the verdict, and whether it is an
    exact copy."""

    score: float | None = None
    verdict: str = ""
    exact: bool = False


@dataclass(frozen=True)
class Case:
    """Who acts, in which database, on which cluster, and what they saw of each object.

    ``check`` is called under the locks before anything is planned; it raises ``Conflict`` where the case has
    changed. With ``resolves`` the cluster counts as decided afterwards.
    """

    by: Any = None
    using: str = "default"
    cluster: int | None = None
    resolves: bool = False
    seen: Mapping[models.Model, Seen] = field(default_factory=dict)
    check: Callable[[], None] | None = None
    batch: UUID = field(default_factory=uuid4)


def record_merge(plan: Plan, case: Case) -> list[MergeRecord]:
    """One record a loser: its rows, what moves from it, what goes with it, which of its values the keeper takes."""
    records = []
    for number, loser in enumerate(plan.losers):
        drops = [drop for drop in plan.drops if drop.loser == number]
        moves = [move for move in plan.moves if move.loser == number]
        values = [value for value in plan.values if value.loser == number]
        journal = {
            **_rows(loser, [(drop.model, drop.pk) for drop in drops], case.using),
            **_moves(moves, case.using),
        }
        journal["moves"] += [_change(each.model, each.pk, each.field, each.old, each.new) for each in values]
        if values:
            journal["keeper"] = rows(_own_rows(plan.keeper, case.using))
        records.append(_record(MergeRecord.Action.MERGE, loser, case, journal, plan.keeper))
    return records


def record_hide(
    instances: Sequence[models.Model], case: Case, published: Collection[models.Model]
) -> list[MergeRecord]:
    """One record an object, with its rows; ``published``: those that an undo is to show again."""
    return [
        _record(
            MergeRecord.Action.HIDE,
            each,
            case,
            {**_rows(each, [], case.using), "shown": each in published},
        )
        for each in instances
    ]


def record_delete(
    instances: Sequence[models.Model], case: Case, falls: Mapping[models.Model, Fall]
) -> list[MergeRecord]:
    """One record an object: its rows, those that go with it, and the references that are emptied.

    What goes with several of them is written down once, with the one that takes the fewest along: another of them
    may be what it takes.
    """
    told: set[Any] = {row for each in instances for row in _own_rows(each, case.using)}
    journals = {}
    for each in sorted(instances, key=lambda each: len(falls[each].rows)):
        fall = falls[each]
        others = [row for row in fall.rows if row not in told]
        emptied = [(row, field) for row, field, _new in fall.emptied if (row, field) not in told]
        told |= {*others, *emptied}
        fallen = [(type(row), row.pk) for row in others]
        journals[each] = {**_rows(each, fallen, case.using), "moves": _emptied(emptied, case.using)}
    return [_record(MergeRecord.Action.DELETE, each, case, journals[each]) for each in instances]


def _record(
    action: str, loser: models.Model, case: Case, journal: dict[str, Any], keeper: models.Model | None = None
) -> MergeRecord:
    seen, document = case.seen.get(loser, Seen()), document_of(loser, case.using)
    kept = {} if keeper is None else {
        "keeper_type": _kind(keeper, case.using),
        "keeper_id": canonical_id(keeper.pk),
        "keeper_text": str(keeper)[:TEXT],
    }  # fmt: skip
    return MergeRecord.objects.using(case.using).create(
        action=action,
        batch=case.batch,
        cluster=case.cluster,
        loser_type=_kind(loser, case.using),
        loser_id=canonical_id(loser.pk),
        loser_text=str(loser)[:TEXT],
        author=_author(loser, document),
        score=seen.score,
        verdict=seen.verdict,
        exact=seen.exact,
        journal={**journal, **noted(document, case.using), "resolves": case.resolves},
        **who(case.by),
        **kept,
    )


def _author(loser: models.Model, document: Document | None) -> str:
    """The author that the post had when it was last compared; of one that never was, as its adapter tells it."""
    told: Any = None
    if document is not None and document.version:
        told = document.author
    elif adapters_of(loser):
        told = adapter_for(loser).author(loser)
    return "" if told is None else str(told)[:255]


def who(by: Any) -> dict[str, str]:
    """The columns that say who acted."""
    if by is None:
        return {"by": "", "by_name": ""}
    return {"by": str(by.pk), "by_name": str(by)[:255]}


def _rows(loser: models.Model, others: Iterable[tuple[ModelType, Any]], using: str) -> dict[str, Any]:
    """The object's rows, then those others, named by model and key."""
    own = _own_rows(loser, using)
    keys: dict[ModelType, list[Any]] = {}
    for model, key in others:
        keys.setdefault(concrete(model), []).append(key)
    beside = [row for model, every in keys.items() for row in _rows_of(model, every, using)]
    return {"rows": rows(dict.fromkeys([*own, *beside])), "own": len(own)}


def _rows_of(model: ModelType, keys: Sequence[Any], using: str) -> Iterator[models.Model]:
    back = (each for each in model._meta.get_fields(include_hidden=True) if each.auto_created)
    alone = not model._meta.parents and not any(each.one_to_one for each in back)
    for portion in in_portions(model, keys, using):
        for row in portion:
            yield from [row] if alone else _own_rows(row, using)


def _own_rows(instance: models.Model, using: str) -> list[models.Model]:
    """The object's row in each of its tables, parents first: a row holds only one table's columns."""
    every = faces(instance, using)
    found: list[models.Model] = []
    for model in sorted(every, key=lambda model: len(ancestors(model))):
        found += rows_of(model, using).filter(pk=key_in(model, every[model]))
    return found


def _moves(moves: Sequence[Move], using: str) -> dict[str, Any]:
    links = {move.pointer.model for move in moves if move.link}
    pairs = {
        model: _ends(model, [move.pk for move in moves if move.pointer.model is model], using)
        for model in links
    }
    return {
        "moves": [
            _change(move.pointer.model, move.pk, move.pointer.field, move.old, move.new) for move in moves
        ],
        "m2m": [{"model": model._meta.label_lower, "pairs": rows} for model, rows in pairs.items()],
    }


def _change(model: ModelType, key: Any, field: Any, old: Any, new: Any) -> dict[str, Any]:
    return {
        "model": model._meta.label_lower,
        "pk": plain_key(model, key),
        "field": field.name,
        "from": plain(field, old),
        "to": plain(field, new),
    }


def _emptied(cells: Sequence[tuple[models.Model, Any]], using: str) -> list[dict[str, Any]]:
    """Columns that a deletion is about to change; ``noting`` writes down what they have become."""
    found = []
    for column in dict.fromkeys(each for _row, each in cells):
        keys = [row.pk for row, each in cells if each == column]
        for portion in in_portions(column.model, keys, using):
            for key, old in portion.values_list("pk", column.attname):
                found.append(_change(column.model, key, column, old, old))
    return found


def _ends(model: ModelType, keys: Sequence[Any], using: str) -> list[dict[str, Any]]:
    """The rows of a many-to-many table before the change: primary key and what they join."""
    columns = [each for each in model._meta.local_concrete_fields if each.is_relation]
    return [
        {
            "pk": plain_key(model, row["pk"]),
            **{each.attname: plain(each, row[each.attname]) for each in columns},
        }
        for portion in in_portions(model, keys, using)
        for row in portion.values("pk", *(each.attname for each in columns))
    ]


def _kind(instance: models.Model, using: str) -> ContentType:
    return ContentType.objects.db_manager(using).get_for_model(instance)
