"""What stored rows need, and what they offer to others: references, files."""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping
from typing import Any

from django.db import models

from ..pipeline.sql import among
from .relations import ModelType, concrete, in_portions, rows_of
from .returning import value_in
from .stored import Place, key_of, model_of, own_fields, place_of, plain, value_of

logger = logging.getLogger(__name__)

Row = dict[str, Any]
Target = tuple[ModelType, str, Any]
"""A row that a reference needs: the model, the attribute that is pointed at, its stored value."""


def with_dependants(rows: Mapping[Place, Row], places: set[Place], own: set[Place]) -> set[Place]:
    """Those of the rows, and what is nothing without them, but for a post's own."""
    found = set(places)
    while True:
        offered = {target for place in found for target in offers(rows[place])}
        more = {
            place
            for place, row in rows.items()
            if place not in found and place not in own and offered & {target for _n, target in targets(row)}
        }
        if not more:
            return found
        found |= more


def targets(row: Mapping[str, Any]) -> Iterator[tuple[str, Target]]:
    """What a stored row points at, by column."""
    model = model_at(place_of(row))
    for field in model._meta.local_concrete_fields:
        value = value_in(row, field.name)
        if isinstance(field, models.ForeignKey) and value is not None:
            target = field.target_field
            yield field.name, (concrete(target.model), target.attname, value)


def offers(row: Mapping[str, Any]) -> Iterator[Target]:
    """What others may point at in a stored row."""
    model = model_at(place_of(row))
    for field in model._meta.local_concrete_fields:
        if (
            field.unique
            and (value := value_in(row, field.name)) is not None
            and not isinstance(value, list | dict)
        ):
            yield model, field.attname, value


def present(model: ModelType, attname: str, values: set[Any], using: str) -> set[Any]:
    field: Any = model._meta.get_field(attname)
    if attname == model._meta.pk.attname:
        keys = [key_of(model, value) for value in values]
        return {
            plain(field, key)
            for part in in_portions(model, keys, using)
            for key in part.values_list("pk", flat=True)
        }
    held = among(rows_of(model, using), attname, (value_of(field, value) for value in values))
    return {plain(field, value) for some in held for value in some.values_list(attname, flat=True)}


def lacks_file(row: Mapping[str, Any]) -> bool:
    """Whether a file that the row names is not in its storage, or that one cannot be asked."""
    fields = [field for field in own_fields(model_at(place_of(row))) if isinstance(field, models.FileField)]
    named = [(field, row["fields"].get(field.name)) for field in fields]
    return any(not _is_stored(field, name) for field, name in named if name)


def _is_stored(field: Any, name: str) -> bool:
    try:
        return bool(field.storage.exists(name))
    except Exception as error:  # a storage raises what it likes, and the post is worth more than its file
        logger.info("Whether %s is there cannot be told: %s", name, type(error).__name__)
        return False


def model_at(place: Place) -> ModelType:
    model = model_of(place[0])
    assert model is not None
    return model
