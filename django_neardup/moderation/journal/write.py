"""The journal: everything that an undo needs, written before anything is changed.

``rows`` are the deleted rows. The first ones, ``own`` of them, are the post's own. A row with ``stays`` was
only changed by its model's ``delete()``.

A move is a column that was changed, ``from`` one value ``to`` another. An undo restores ``from`` if the
column still holds ``to``. ``sums`` are amounts that were added to the keeper: an undo subtracts them from any
value of the column. ``shown`` is stored for a hidden post: whether it was published until then.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any
from uuid import UUID, uuid4

from django.contrib.contenttypes.models import ContentType
from django.db import models

from ...adapters import adapter_for, adapters_of, scope_of
from ...exceptions import error_name
from ...models import Document, MergeRecord
from ...pipeline import canonical_id
from ...pipeline.schemes import get_or_create_space
from ..cascade import CascadeResult
from ..model_plan import RowMove, key_in_table
from ..plan import MergePlan
from ..relations import (
    ModelType,
    concrete_model,
    model_and_parents,
    rows_by_model,
    rows_in_portions,
    rows_of,
)
from .editor import SUMS_KEY
from .hold_entries import document_of, hold_journal_entry
from .serialization import serialize_key, serialize_rows, serialize_value

logger = logging.getLogger(__name__)

MAX_TEXT_LENGTH = 200


@dataclass(frozen=True)
class ShownScore:
    """What the person saw about a post: its score with the leader (0..1), and the verdict.

    ``exact`` is True if the post was shown as an exact copy.
    """

    score: float | None = None
    verdict: str = ""
    exact: bool = False


@dataclass(frozen=True)
class ActionContext:
    """Who acts, in which database, on which cluster, and the scores that they saw.

    ``check_unchanged`` is called under the locks, before anything is planned. It raises ``Conflict`` if the
    case has changed. With ``resolves_cluster`` the cluster counts as decided afterwards. With
    ``accepts_loss`` the person accepts that rows of the adapter's ``accepts_loss`` may not come back.
    """

    user: Any = None
    using: str = "default"
    cluster_id: int | None = None
    resolves_cluster: bool = False
    shown_scores: Mapping[models.Model, ShownScore] = field(default_factory=dict)
    check_unchanged: Callable[[], None] | None = None
    batch_id: UUID = field(default_factory=uuid4)
    accepts_loss: bool = False


def create_merge_records(plan: MergePlan, context: ActionContext) -> list[MergeRecord]:
    """Create one record for each loser: its rows, its moves, rows deleted with it, values taken from it."""
    records = []
    for loser_index, loser in enumerate(plan.losers):
        removals = [removal for removal in plan.removals if removal.loser_index == loser_index]
        moves = [move for move in plan.moves if move.loser_index == loser_index]
        values = [value for value in plan.taken_values if value.loser_index == loser_index]
        journal = {
            **_rows_for_journal(loser, [(removal.model, removal.pk) for removal in removals], context.using),
            **_moves_for_journal(moves, context.using),
        }
        journal["moves"] += [
            _move_entry(value.model, value.pk, value.field, value.old_value, value.new_value)
            for value in values
        ]
        sums = [added.journal_entry() for added in plan.sums if added.loser_index == loser_index]
        if sums:
            journal[SUMS_KEY] = sums
        records.append(_create_record(MergeRecord.Action.MERGE, loser, context, journal, plan.keeper))
    return records


def create_hide_records(
    instances: Sequence[models.Model], context: ActionContext, live_posts: Collection[models.Model]
) -> list[MergeRecord]:
    """Create one record for each object, with its rows. An undo shows only ``live_posts`` again."""
    return [
        _create_record(
            MergeRecord.Action.HIDE,
            post,
            context,
            {**_rows_for_journal(post, [], context.using), "shown": post in live_posts},
        )
        for post in instances
    ]


def create_delete_records(
    instances: Sequence[models.Model],
    context: ActionContext,
    cascades: Mapping[models.Model, CascadeResult],
    keeper: models.Model | None,
) -> list[MergeRecord]:
    """Create one record for each object: its rows and cascaded rows. ``keeper``: where its addresses lead."""
    journaled: set[Any] = {row for post in instances for row in _rows_in_all_tables(post, context.using)}
    journals_by_post = {}
    # A row that several posts take along is stored once, with the post that takes the fewest rows: the others
    # may take along that very post.
    for post in sorted(instances, key=lambda post: len(cascades[post].deleted_rows)):
        cascade = cascades[post]
        other_rows = [row for row in cascade.deleted_rows if row not in journaled]
        journaled |= {*other_rows}
        cascaded_keys = [(type(row), row.pk) for row in other_rows]
        journals_by_post[post] = {
            **_rows_for_journal(post, cascaded_keys, context.using),
            "moves": [],
        }
    return [
        _create_record(MergeRecord.Action.DELETE, post, context, journals_by_post[post], keeper)
        for post in instances
    ]


def _create_record(
    action: str,
    loser: models.Model,
    context: ActionContext,
    journal: dict[str, Any],
    keeper: models.Model | None = None,
) -> MergeRecord:
    shown_score, document = context.shown_scores.get(loser, ShownScore()), document_of(loser, context.using)
    keeper_document = None if keeper is None else document_of(keeper, context.using)
    documents = [document, keeper_document]
    space = _present_space(loser, document, context.using)
    keeper_columns = {} if keeper is None else {
        "keeper_type": _content_type(keeper, context.using),
        "keeper_id": canonical_id(keeper.pk),
        # One of the two has moved, and the record's readers may not see the space of the keeper.
        "keeper_text": "" if _has_parted(keeper, keeper_document, document, space, context.using)
        else str(keeper)[:MAX_TEXT_LENGTH],
    }  # fmt: skip
    return MergeRecord.objects.using(context.using).create(
        action=action,
        batch=context.batch_id,
        cluster=context.cluster_id,
        space_id=space,
        loser_type=_content_type(loser, context.using),
        loser_id=canonical_id(loser.pk),
        loser_text=str(loser)[:MAX_TEXT_LENGTH],
        author=_author_when_compared(loser, document),
        score=shown_score.score,
        verdict=shown_score.verdict,
        exact=shown_score.exact,
        journal={
            **journal,
            **hold_journal_entry(document, context.using),
            "resolves": context.resolves_cluster,
            # The documents may be cleaned up before an undo.
            "spaces": sorted({each.space_id for each in documents if each is not None and each.space_id}),
        },
        **user_columns(context.user),
        **keeper_columns,
    )


def _present_space(post: models.Model, document: Document | None, using: str) -> int | None:
    """Return the space of the post as it is now: the title of the record is the present one, too.

    The document of a post that has moved keeps its former space until it is processed.
    """
    if document is None:
        return None
    if document.space_id is None or not adapters_of(post):
        return document.space_id
    adapter = adapter_for(post)
    try:
        scope = scope_of(adapter, post)
    except Exception as error:
        # Code of the site runs here. Such a post must not become impossible to hide.
        logger.warning("neardup: the scope of a %s cannot be read: %s", post._meta.label, error_name(error))
        return document.space_id
    return get_or_create_space(adapter, scope, using).pk


def _has_parted(
    keeper: models.Model,
    keeper_document: Document | None,
    document: Document | None,
    space: int | None,
    using: str,
) -> bool:
    """Return whether two posts that were compared in one space are in two now."""
    if document is None or keeper_document is None or document.space_id != keeper_document.space_id:
        return False
    return _present_space(keeper, keeper_document, using) != space


def _author_when_compared(loser: models.Model, document: Document | None) -> str:
    """Return the author that the post had when it was last compared.

    If it was never compared, return the author from its adapter, or "" without one.
    """
    author: Any = None
    if document is not None and document.version:
        author = document.author
    elif adapters_of(loser):
        author = adapter_for(loser).author(loser)
    return "" if author is None else str(author)[:255]


def user_columns(user: Any) -> dict[str, str]:
    """Return the columns that name the acting user."""
    if user is None:
        return {"by": "", "by_name": ""}
    return {"by": str(user.pk), "by_name": str(user)[:255]}


def _rows_for_journal(
    loser: models.Model, other_rows: Iterable[tuple[ModelType, Any]], using: str
) -> dict[str, Any]:
    """Return the object's rows, then the other rows, which are given by model and key."""
    own_rows = _rows_in_all_tables(loser, using)
    keys: dict[ModelType, list[Any]] = {}
    for model, key in other_rows:
        keys.setdefault(concrete_model(model), []).append(key)
    other_instances = [
        row for model, model_keys in keys.items() for row in _rows_with_parents(model, model_keys, using)
    ]
    stored_own_rows = serialize_rows(own_rows, using)
    others = [row for row in dict.fromkeys(other_instances) if row not in own_rows]
    return {"rows": [*stored_own_rows, *serialize_rows(others, using)], "own": len(stored_own_rows)}


def _rows_with_parents(model: ModelType, keys: Sequence[Any], using: str) -> Iterator[models.Model]:
    reverse_fields = (field for field in model._meta.get_fields(include_hidden=True) if field.auto_created)
    is_single_table = not model._meta.parents and not any(field.one_to_one for field in reverse_fields)
    for portion in rows_in_portions(model, keys, using):
        for row in portion:
            yield from [row] if is_single_table else _rows_in_all_tables(row, using)


def _rows_in_all_tables(instance: models.Model, using: str) -> list[models.Model]:
    """Return the object's row in each of its tables, parents first."""
    row_by_model = rows_by_model(instance, using)
    rows: list[models.Model] = []
    for model in sorted(row_by_model, key=lambda model: len(model_and_parents(model))):
        # A stored row holds the columns of one table only.
        rows += rows_of(model, using).filter(pk=key_in_table(model, row_by_model[model]))
    return rows


def _moves_for_journal(moves: Sequence[RowMove], using: str) -> dict[str, Any]:
    through_tables = {move.reference.model for move in moves if move.is_through}
    pairs_by_model = {
        model: _through_rows(model, [move.pk for move in moves if move.reference.model is model], using)
        for model in through_tables
    }
    return {
        "moves": [
            _move_entry(move.reference.model, move.pk, move.reference.field, move.old_value, move.new_value)
            for move in moves
        ],
        "m2m": [{"model": model._meta.label_lower, "pairs": rows} for model, rows in pairs_by_model.items()],
    }


def _move_entry(model: ModelType, key: Any, field: Any, old: Any, new: Any) -> dict[str, Any]:
    return {
        "model": model._meta.label_lower,
        "pk": serialize_key(model, key),
        "field": field.name,
        "from": serialize_value(field, old),
        "to": serialize_value(field, new),
    }


def _through_rows(model: ModelType, keys: Sequence[Any], using: str) -> list[dict[str, Any]]:
    """Return rows of a many-to-many table before the change: primary key and what they join."""
    columns = [column for column in model._meta.local_concrete_fields if column.is_relation]
    return [
        {
            "pk": serialize_key(model, row["pk"]),
            **{column.attname: serialize_value(column, row[column.attname]) for column in columns},
        }
        for portion in rows_in_portions(model, keys, using)
        for row in portion.values("pk", *(column.attname for column in columns))
    ]


def _content_type(instance: models.Model, using: str) -> ContentType:
    return ContentType.objects.db_manager(using).get_for_model(instance)
