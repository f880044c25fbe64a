"""Checks of what an adapter says of a merge: rules of relations, sums, fixed fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from django.core.checks import CheckMessage
from django.db import models

from ..adapters import Adapter, registered_adapters
from ..moderation.relation_rules import RULES, unknown_names
from .messages import check_message

LABEL_HINT = 'Write a model, "app.model", a field, "app.model.field", or a pattern, "app.*".'
NUMBER_FIELDS = (models.IntegerField, models.FloatField, models.DecimalField, models.DurationField)


def check_relations(**kwargs: Any) -> list[CheckMessage]:
    return [
        check_message("E022", f"{type(adapter).__name__}.{attribute}: {why}.", hint, model)
        for model, adapter in registered_adapters().items()
        for attribute, why, hint in _problems(model, adapter)
    ]


def _problems(model: type[models.Model], adapter: Adapter) -> Iterator[tuple[str, str, str]]:
    relations: object = adapter.relations
    if not isinstance(relations, Mapping):
        yield "relations", "it is not a dictionary", 'Write {"app.model": "stay"}.'
    else:
        for name in unknown_names(relations):
            yield "relations", f"the site has no {name!r}", LABEL_HINT
        for name, rule in relations.items():
            if rule not in RULES:
                yield "relations", f"{rule!r} of {name!r} is not a rule", f"Write one of {', '.join(RULES)}."
    for name in unknown_names(adapter.accepts_loss):
        yield "accepts_loss", f"the site has no {name!r}", LABEL_HINT
    fields = {field.name: field for field in model._meta.concrete_fields}
    for name in adapter.fixed_fields:
        if name not in fields:
            yield "fixed_fields", f"{name!r} is not a field", f"Name columns of {model._meta.label}."
    for name in adapter.sum_fields:
        if not isinstance(fields.get(name), NUMBER_FIELDS):
            yield "sum_fields", f"{name!r} is not a numeric field", f"Name columns of {model._meta.label}."
