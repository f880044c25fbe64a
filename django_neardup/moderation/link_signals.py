"""The signal ``m2m_changed`` for rows of the many-to-many tables that Django has made. They send no other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from django.core.exceptions import ValidationError
from django.db.models.signals import m2m_changed

from ..exceptions import MergeRefused
from .relations import ModelType, get_field, rows_of

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
        _send(model, f"{moment}_remove", removed, using)
        _send(model, f"{moment}_add", added, using)
        if moment == "pre":
            yield


def _send(model: ModelType, action: str, rows: Sequence[LinkRow], using: str) -> None:
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
