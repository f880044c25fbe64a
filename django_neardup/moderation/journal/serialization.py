"""Values and rows in the journal: plain JSON that restores every value exactly."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from types import SimpleNamespace
from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.fields.files import FieldFile

from ..relations import ModelType, concrete_model, rows_in_portions

RowId = tuple[str, Any]
"""A row: the label of its model and its stored primary key. A composite key is a tuple."""


def serialize_value(field: Any, value: Any) -> Any:
    """Return a column's value as plain JSON."""
    if isinstance(field, models.JSONField):
        return json.loads(json.dumps(value, cls=field.encoder))
    if isinstance(value, FieldFile):
        return value.name
    if value is None or isinstance(value, str | int):
        return value
    # The encoder of Django would cut microseconds.
    return _value_field(field).value_to_string(SimpleNamespace(**{_value_field(field).attname: value}))


def deserialize_value(field: Any, stored: Any) -> Any:
    """Return the value that was stored."""
    if isinstance(field, models.JSONField):
        return json.loads(json.dumps(stored), cls=field.decoder)
    value = _value_field(field).to_python(stored)
    return bytes(value) if isinstance(value, memoryview) else value


def is_same_value(field: Any, stored: Any, other: Any) -> bool:
    """Return whether two stored values are equal, even if they are written differently."""
    return bool(stored == other or deserialize_value(field, stored) == deserialize_value(field, other))


def stores_null(field: Any, value: Any) -> bool:
    """Return whether the column holds NULL for a value. Some fields read NULL as an empty text."""
    if value is None:
        return True
    return hasattr(field, "from_db_value") and field.null and field.get_prep_value(value) is None


def comparable_value(field: Any, value: Any) -> str:
    """Return a value as its column stores it, as JSON: values of a field may be neither equal nor hashable."""
    return json.dumps(serialize_value(field, value), sort_keys=True, default=str)


def serialize_key(model: ModelType, key: Any) -> Any:
    """Return a primary key as plain JSON. A composite key becomes a list."""
    fields = model._meta.pk_fields
    if len(fields) > 1:
        return [serialize_value(field, part) for field, part in zip(fields, key, strict=True)]
    return serialize_value(fields[0], key)


def deserialize_key(model: ModelType, stored: Any) -> Any:
    """Return the primary key that was stored."""
    fields = model._meta.pk_fields
    if len(fields) > 1:
        return tuple(deserialize_value(field, part) for field, part in zip(fields, stored, strict=True))
    return deserialize_value(fields[0], stored)


def hashable_key(stored: Any) -> Any:
    """Return a stored primary key in a form that can be looked up."""
    return tuple(stored) if isinstance(stored, list) else stored


def stored_key(key: Any) -> Any:
    """Return the key of a row id as a stored row holds it: the inverse of ``hashable_key``."""
    return list(key) if isinstance(key, tuple) else key


def changed_columns(
    model: ModelType, values: Mapping[str, Any], other_values: Mapping[str, Any]
) -> Iterator[str]:
    """Yield the names of the columns that both sides have, with unequal stored values."""
    for name, value in values.items():
        if name in other_values and not is_same_value(model._meta.get_field(name), value, other_values[name]):
            yield name


def row_id_of(row: Mapping[str, Any]) -> RowId:
    """Return the id of a stored row, or of the row of a move."""
    return row["model"], hashable_key(row["pk"])


def find_model(label: str) -> ModelType | None:
    """Return the model with the label. Return None if the site has dropped it."""
    try:
        return apps.get_model(label)
    except LookupError:
        return None


def own_table_fields(model: ModelType) -> list[Any]:
    """Return the columns of the model's own table, except its primary key and generated columns."""
    keys = model._meta.pk_fields
    return [field for field in model._meta.local_concrete_fields if field not in keys and not field.generated]


def serialize_rows(instances: Sequence[models.Model], using: str) -> list[dict[str, Any]]:
    """Return the row of each object in the table of its model, in stored form. Rows that are gone are left out."""
    keys_by_model: dict[ModelType, list[Any]] = {}
    for instance in instances:
        keys_by_model.setdefault(concrete_model(instance), []).append(instance.pk)
    # Columns are read, not attributes: an attribute may give another value, such as that of a language.
    stored_by_model = {
        model: read_rows(model, keys, own_table_fields(model), using) for model, keys in keys_by_model.items()
    }
    rows = []
    for instance in instances:
        model = concrete_model(instance)
        key = serialize_key(model, instance.pk)
        fields = stored_by_model[model].get(hashable_key(key))
        if fields is not None:
            rows.append({"model": model._meta.label_lower, "pk": key, "fields": fields})
    return rows


def build_instance(row: Mapping[str, Any]) -> models.Model:
    """Return the object of a stored row, for a raw save.

    Columns that the model has got since have their defaults.
    """
    model: ModelType = apps.get_model(row["model"])
    keys = model._meta.pk_fields
    parts = row["pk"] if len(keys) > 1 else [row["pk"]]
    values = {field.attname: deserialize_value(field, part) for field, part in zip(keys, parts, strict=True)}
    fields = {field.name: field for field in own_table_fields(model)}
    for name, stored in row["fields"].items():
        if name in fields:
            values[fields[name].attname] = _writable_value(
                fields[name], deserialize_value(fields[name], stored)
            )
    instance = model(**values)
    _set_parent_keys(instance, model)
    return instance


def insert_row(row: Mapping[str, Any], using: str) -> models.Model:
    """Insert a stored row raw: as it was, only into its own table, with automatic dates unchanged."""
    instance = build_instance(row)
    instance.save_base(raw=True, force_insert=True, using=using)
    null_file_names = [
        name
        for name, stored in row["fields"].items()
        if stored is None and isinstance(instance._meta.get_field(name), models.FileField)
    ]
    if null_file_names:  # a save writes an empty text instead of NULL
        rows = next(rows_in_portions(type(instance), [instance.pk], using))
        rows.update(**dict.fromkeys(null_file_names))
    return instance


def read_rows(
    model: ModelType, keys: Collection[Any], fields: Collection[Any], using: str
) -> dict[Any, dict[str, Any]]:
    """Return the current values of the columns in stored form, by stored key."""
    values_by_key: dict[Any, dict[str, Any]] = {}
    for portion in rows_in_portions(model, list(keys), using):
        values_by_key |= read_queryset(portion, fields)
    return values_by_key


def read_queryset(rows: models.QuerySet[Any], fields: Collection[Any]) -> dict[Any, dict[str, Any]]:
    """Return the columns of the rows in stored form, by stored key."""
    values_by_key = {}
    for key, *values in rows.values_list("pk", *(field.attname for field in fields)):
        cells = zip(fields, values, strict=True)
        values_by_key[hashable_key(serialize_key(rows.model, key))] = {
            field.name: serialize_value(field, value) for field, value in cells
        }
    return values_by_key


def _value_field(field: Any) -> Any:
    """Return the column with the kind of values that a field holds. For a foreign key this is its target."""
    while field.remote_field is not None:
        field = field.target_field
    return field


def _writable_value(field: Any, value: Any) -> Any:
    """Return the value in a form that can be saved."""
    # A JSON column that may not be NULL has held the ``null`` of JSON.
    if value is None and isinstance(field, models.JSONField) and not field.null:
        return models.Value(None, models.JSONField())
    return value


def _set_parent_keys(instance: models.Model, model: ModelType) -> None:
    """Set the keys of the parents' rows."""
    # A raw save does not write these keys, and listeners of signals may read them.
    for parent, link in model._meta.parents.items():
        if link is not None and link.model is model:
            setattr(instance, parent._meta.pk.attname, getattr(instance, link.attname))
            _set_parent_keys(instance, parent)


def primary_key_names(row_id: RowId) -> Sequence[str]:
    """Return the names of the primary key's columns. Return an empty list if the model is gone."""
    model = find_model(row_id[0])
    return [] if model is None else [pk_field.name for pk_field in model._meta.pk_fields]


def stored_value(row: Mapping[str, Any], field_name: str) -> Any:
    """Return the value of a column of a stored row. The column may be part of the primary key."""
    if field_name in row["fields"]:
        return row["fields"][field_name]
    names = primary_key_names((row["model"], None))
    parts = row["pk"] if len(names) > 1 else [row["pk"]]
    return dict(zip(names, parts, strict=True)).get(field_name)


def field_of_move(move: Mapping[str, Any]) -> Any:
    """Return the column that a move is about."""
    return apps.get_model(move["model"])._meta.get_field(move["field"])


def is_valid(field: Any, value: Any) -> bool:
    """Return whether a column may hold a value, by the validators of its field."""
    try:
        field.run_validators(value)
    except ValidationError:
        return False
    return True
