"""The journal: all that an undo needs, written before anything is changed."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.contrib.contenttypes.models import ContentType
from django.core import serializers
from django.core.serializers.json import DjangoJSONEncoder
from django.db import models

from ..models import MergeRecord
from ..pipeline import canonical_id
from .plan import Plan
from .relations import ModelType, ancestors, faces, in_portions, rows_of
from .table import Drop, Move, key_in

TEXT = 200


@dataclass(frozen=True)
class Seen:
    """What the person was shown of a post: its score with the representative, 0..1, and the verdict."""

    score: float | None = None
    verdict: str = ""


@dataclass(frozen=True)
class Case:
    """Who acts, in which database, on which cluster, and what they saw of each object.

    ``check`` is called under the lock before anything is read; it raises ``Conflict`` where the case has
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
    """One record a loser: its rows, what moves from it, what goes with it."""
    records = []
    for number, loser in enumerate(plan.losers):
        drops = [drop for drop in plan.drops if drop.loser == number]
        moves = [move for move in plan.moves if move.loser == number]
        journal = {**_rows([loser], drops, case.using), **_moves(moves, case.using)}
        records.append(_record(MergeRecord.Action.MERGE, loser, case, journal, plan.keeper))
    return records


def record_each(
    action: str, instances: Sequence[models.Model], case: Case, others: Mapping[Any, Collection[models.Model]]
) -> list[MergeRecord]:
    """One record an object, with its row; ``others``, by primary key, are the rows that go with it."""
    return [
        _record(action, each, case, _rows([each, *others.get(each.pk, ())], [], case.using))
        for each in instances
    ]


def _record(
    action: str, loser: models.Model, case: Case, journal: dict[str, Any], keeper: models.Model | None = None
) -> MergeRecord:
    seen = case.seen.get(loser, Seen())
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
        score=seen.score,
        verdict=seen.verdict,
        journal=journal,
        **who(case.by),
        **kept,
    )


def who(by: Any) -> dict[str, str]:
    """The columns that say who acted."""
    if by is None:
        return {"by": "", "by_name": ""}
    return {"by": str(by.pk), "by_name": str(by)[:255]}


def serialised(instances: Iterable[models.Model]) -> list[Any]:
    """Rows as Django's serializers write them, plain JSON."""
    rows: list[Any] = json.loads(serializers.serialize("json", instances))
    return rows


def _rows(instances: Sequence[models.Model], drops: Sequence[Drop], using: str) -> dict[str, Any]:
    every = [row for instance in instances for row in _own_rows(instance, using)]
    for model in dict.fromkeys(drop.model for drop in drops):
        keys = [drop.pk for drop in drops if drop.model is model]
        every += [row for portion in in_portions(model, keys, using) for row in portion]
    return {"rows": serialised(dict.fromkeys(every))}


def _own_rows(instance: models.Model, using: str) -> list[models.Model]:
    """The object's row in each of its tables: a serializer writes only one table's columns."""
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
        "moves": [_step(move) for move in moves],
        "m2m": [{"model": model._meta.label_lower, "pairs": rows} for model, rows in pairs.items()],
    }


def _step(move: Move) -> dict[str, Any]:
    return {
        "model": move.pointer.model._meta.label_lower,
        "pk": _plain(move.pk),
        "field": move.pointer.field.name,
        "from": _plain(move.old),
        "to": _plain(move.new),
    }


def _ends(model: ModelType, keys: Sequence[Any], using: str) -> list[dict[str, Any]]:
    """The rows of a many-to-many table before the change: primary key and what they join."""
    columns = [each.attname for each in model._meta.local_concrete_fields if each.is_relation]
    return [
        {name: _plain(value) for name, value in row.items()}
        for portion in in_portions(model, keys, using)
        for row in portion.values("pk", *columns)
    ]


def _plain(value: Any) -> Any:
    return json.loads(json.dumps(value, cls=DjangoJSONEncoder))


def _kind(instance: models.Model, using: str) -> ContentType:
    return ContentType.objects.db_manager(using).get_for_model(instance)
