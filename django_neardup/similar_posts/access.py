"""Who asks, and for what: an object by its address, and the querysets of all that may stand beside it."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.exceptions import ValidationError
from django.db.models import Model, QuerySet
from django.http import HttpRequest

from ..adapters import Adapter, adapter_for, registered_adapters
from ..pipeline.content_objects import canonical_id
from ..querysets import filterable


def find_visible_object(request: HttpRequest, label: str, object_id: str) -> Model | None:
    """The object, if it is one of ours and this visitor may see it; else None, for whatever reason."""
    adapter = find_adapter(label)
    key = None if adapter is None else parse_primary_key(adapter.model, object_id)
    if adapter is None or key is None:
        return None
    found = find_by_key(adapter.visible(request), key)
    return found if found is not None and canonical_id(found.pk) == object_id else None


def find_adapter(label: str) -> Adapter | None:
    """The adapter of the registered model that an address calls "app.model"; None where there is none."""
    return {model._meta.label_lower: adapter for model, adapter in registered_adapters().items()}.get(label)


def visible_querysets(request: HttpRequest, model: type[Model]) -> list[QuerySet[Any]]:
    """What this visitor may see of all models that are compared with that one, itself among them."""
    return [adapter.visible(request) for adapter in adapter_for(model).partner_adapters]


def find_by_key(queryset: QuerySet[Any], key: Any) -> Model | None:
    """The object of that primary key, if the queryset holds it; a number beyond the column's is nobody's.

    The key of a child of another model is a relation: by its own field Django knows what the column can hold."""
    field = queryset.model._meta.pk
    names = [field.name]
    while field.is_relation:
        field = field.target_field
        names.append(field.name)
    found: Model | None = filterable(queryset).filter(**{"__".join(names): key}).first()
    return found


def anonymous_request() -> HttpRequest:
    """A request of nobody, for ``Adapter.visible``."""
    request: Any = HttpRequest()
    request.method, request.path, request.path_info, request.session = "GET", "/", "/", {}
    if apps.is_installed("django.contrib.auth"):
        from django.contrib.auth.models import AnonymousUser

        request.user = AnonymousUser()
    found: HttpRequest = request
    return found


def parse_primary_key(model: type[Model], object_id: str) -> Any:
    """The object id as that model's key; None for what no key can be."""
    try:
        return None if "\0" in object_id else model._meta.pk.to_python(object_id)
    except (ValidationError, ValueError, TypeError):
        return None
