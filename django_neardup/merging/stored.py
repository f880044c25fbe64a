"""Values and rows as the journal keeps them: plain JSON, from which each comes back as it was, to the last digit."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable, Mapping
from types import SimpleNamespace
from typing import Any

from django.apps import apps
from django.db import models
from django.db.models.fields.files import FieldFile

from .relations import ModelType, concrete, in_portions

Place = tuple[str, Any]
"""A row: the label of its model and its primary key as the journal has it, a composite one as a tuple."""


def plain(field: Any, value: Any) -> Any:
    """A column's value as plain JSON. Django's own encoder would cut microseconds."""
    if isinstance(field, models.JSONField):
        return json.loads(json.dumps(value, cls=field.encoder))
    if isinstance(value, FieldFile):
        return value.name
    if value is None or isinstance(value, str | int):
        return value
    return _leaf(field).value_to_string(SimpleNamespace(**{_leaf(field).attname: value}))


def value_of(field: Any, stored: Any) -> Any:
    """The value that was stored so."""
    if isinstance(field, models.JSONField):
        return json.loads(json.dumps(stored), cls=field.decoder)
    value = _leaf(field).to_python(stored)
    return bytes(value) if isinstance(value, memoryview) else value


def same(field: Any, stored: Any, other: Any) -> bool:
    """Whether two stored values are one, however each is written."""
    return bool(stored == other or value_of(field, stored) == value_of(field, other))


def plain_key(model: ModelType, key: Any) -> Any:
    """A primary key as plain JSON, a composite one as a list."""
    fields = model._meta.pk_fields
    if len(fields) > 1:
        return [plain(field, part) for field, part in zip(fields, key, strict=True)]
    return plain(fields[0], key)


def key_of(model: ModelType, stored: Any) -> Any:
    """The primary key that was stored so."""
    fields = model._meta.pk_fields
    if len(fields) > 1:
        return tuple(value_of(field, part) for field, part in zip(fields, stored, strict=True))
    return value_of(fields[0], stored)


def frozen(stored: Any) -> Any:
    """A stored primary key as one that can be looked up."""
    return tuple(stored) if isinstance(stored, list) else stored


def place_of(row: Mapping[str, Any]) -> Place:
    """Where a stored row, or a step of one, belongs."""
    return row["model"], frozen(row["pk"])


def model_of(label: str) -> ModelType | None:
    """The model of that label; None where the site has dropped it."""
    try:
        return apps.get_model(label)
    except LookupError:
        return None


def own_fields(model: ModelType) -> list[Any]:
    """The columns of the model's own table, but for its primary key and what the database reckons itself."""
    keys = model._meta.pk_fields
    return [field for field in model._meta.local_concrete_fields if field not in keys and not field.generated]


def row_of(instance: models.Model) -> dict[str, Any]:
    """An object's row in the table of its model."""
    model = concrete(instance)
    return {
        "model": model._meta.label_lower,
        "pk": plain_key(model, instance.pk),
        "fields": {
            field.name: plain(field, field.value_from_object(instance)) for field in own_fields(model)
        },
    }


def rows(instances: Iterable[models.Model]) -> list[dict[str, Any]]:
    """Their rows, one each."""
    return [row_of(instance) for instance in instances]


def instance_of(row: Mapping[str, Any]) -> models.Model:
    """The object of a stored row, to be saved raw; columns that the model has got since have their defaults."""
    model: ModelType = apps.get_model(row["model"])
    keys = model._meta.pk_fields
    parts = row["pk"] if len(keys) > 1 else [row["pk"]]
    values = {field.attname: value_of(field, part) for field, part in zip(keys, parts, strict=True)}
    known = {field.name: field for field in own_fields(model)}
    for name, stored in row["fields"].items():
        if name in known:
            values[known[name].attname] = _writable(known[name], value_of(known[name], stored))
    instance = model(**values)
    _name_parents(instance, model)
    return instance


def insert(row: Mapping[str, Any], using: str) -> models.Model:
    """Put a stored row back, raw: as it was, in its own table alone, dates that set themselves among it."""
    instance = instance_of(row)
    instance.save_base(raw=True, force_insert=True, using=using)
    empty = [
        name
        for name, stored in row["fields"].items()
        if stored is None and isinstance(instance._meta.get_field(name), models.FileField)
    ]
    if empty:  # a save writes the empty text for them
        rows = next(in_portions(type(instance), [instance.pk], using))
        rows.update(**dict.fromkeys(empty))
    return instance


def read(
    model: ModelType, keys: Collection[Any], fields: Collection[Any], using: str
) -> dict[Any, dict[str, Any]]:
    """Those columns of those rows as they are now, by stored key: what would be stored of them."""
    found = {}
    for portion in in_portions(model, list(keys), using):
        for key, *values in portion.values_list("pk", *(field.attname for field in fields)):
            cells = zip(fields, values, strict=True)
            found[frozen(plain_key(model, key))] = {field.name: plain(field, value) for field, value in cells}
    return found


def _leaf(field: Any) -> Any:
    """The column whose kind of values a foreign key holds."""
    while field.remote_field is not None:
        field = field.target_field
    return field


def _writable(field: Any, value: Any) -> Any:
    """A JSON column that may not be empty has held the ``null`` of JSON."""
    if value is None and isinstance(field, models.JSONField) and not field.null:
        return models.Value(None, models.JSONField())
    return value


def _name_parents(instance: models.Model, model: ModelType) -> None:
    """The keys of its parents' rows, which a raw save does not write and signals may ask for."""
    for parent, link in model._meta.parents.items():
        if link is not None and link.model is model:
            setattr(instance, parent._meta.pk.attname, getattr(instance, link.attname))
            _name_parents(instance, parent)
