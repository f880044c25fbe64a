"""Updates of rows with the signals of a save: `QuerySet.update()` sends none, and caches and search indexes listen.

Rows of the many-to-many tables that Django has made send ``m2m_changed`` instead.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.db.models.signals import m2m_changed, post_save, pre_save

from ..exceptions import MergeRefused
from .relations import ModelType, get_field, rows_in_portions, rows_of


def update_rows(model: ModelType, keys: Sequence[Any], values: Mapping[str, Any], using: str) -> None:
    """Set columns of the rows, by field name. Receivers hear a raw save of each row, or of changed links."""
    for portion in rows_in_portions(model, keys, using):
        if has_link_listeners(model):
            _update_links(portion, values, using)
            continue
        rows = list(portion) if _has_listeners(model) else []
        if any(get_field(model, name).primary_key for name in values):
            # Caches drop what they hold under the old key, too.
            _send(pre_save, rows, values, using)
            _send(post_save, rows, values, using, created=False)
        _set_values(rows, values)
        _send(pre_save, rows, values, using)
        portion.update(**values)
        # As for a fixture, ``raw`` tells receivers not to change other rows.
        _send(post_save, rows, values, using, created=False)


def delete_rows(model: ModelType, keys: Sequence[Any], using: str) -> None:
    """Delete the rows. Django's own signals do not tell of rows of its many-to-many tables."""
    for portion in rows_in_portions(model, keys, using):
        if has_link_listeners(model):
            with announce_links(model, list(portion.values()), [], using):
                portion.delete()
        else:
            portion.delete()


def _update_links(rows: models.QuerySet[Any], values: Mapping[str, Any], using: str) -> None:
    links = list(rows.values())
    columns = {get_field(rows.model, name).attname: value for name, value in values.items()}
    with announce_links(rows.model, links, [{**link, **columns} for link in links], using):
        rows.update(**values)


def _has_listeners(model: ModelType) -> bool:
    # Django sends no such signal for the tables that it has made for a many-to-many relation.
    return not model._meta.auto_created and any(
        signal.has_listeners(model) for signal in (pre_save, post_save)
    )


def _set_values(rows: Sequence[models.Model], values: Mapping[str, Any]) -> None:
    for row in rows:
        for name, value in values.items():
            # Not ``setattr()``: a descriptor may also set other columns, for example of languages.
            row.__dict__[get_field(type(row), name).attname] = value


def _send(
    signal: Any, rows: Sequence[models.Model], values: Mapping[str, Any], using: str, **arguments: Any
) -> None:
    for row in rows:
        signal.send(
            type(row), instance=row, raw=True, using=using, update_fields=frozenset(values), **arguments
        )


LinkRow = Mapping[str, Any]
"""A row of a many-to-many table: its values by attribute."""


def has_link_listeners(model: ModelType) -> bool:
    """Return whether a model is a table that Django has made, and receivers listen to its changes."""
    return bool(model._meta.auto_created) and m2m_changed.has_listeners(model)


@contextmanager
def announce_links(
    model: ModelType, removed: Sequence[LinkRow], added: Sequence[LinkRow], using: str
) -> Iterator[None]:
    """Send the signals around a block that removes and adds rows of a many-to-many table."""
    for moment in ("pre", "post"):
        _send_links(model, f"{moment}_remove", removed, using)
        _send_links(model, f"{moment}_add", added, using)
        if moment == "pre":
            yield


def _send_links(model: ModelType, action: str, rows: Sequence[LinkRow], using: str) -> None:
    """Send the signal from the side that declares the relation, once for each of its objects."""
    owner: Any = model._meta.auto_created
    relation = next(field for field in owner._meta.local_many_to_many if field.remote_field.through is model)
    source, target = (
        get_field(model, name).attname
        for name in (relation.m2m_field_name(), relation.m2m_reverse_field_name())
    )
    linked: defaultdict[Any, set[Any]] = defaultdict(set)
    for row in rows:
        linked[row[source]].add(row[target])
    for key, instance in rows_of(owner, using).in_bulk(list(linked)).items():
        arguments = {"model": relation.related_model, "pk_set": linked[key], "using": using}
        try:
            m2m_changed.send(model, instance=instance, action=action, reverse=False, **arguments)
        except ValidationError as error:
            # The site allows only so many, or not these.
            raise MergeRefused(error.messages) from error
