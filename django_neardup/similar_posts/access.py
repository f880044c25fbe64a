"""Access to an object by its address, and the querysets of the posts that may appear with it."""

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
    """Return the object if its model is registered and the visitor may see it. Otherwise return None."""
    adapter = find_adapter(label)
    key = None if adapter is None else parse_primary_key(adapter.model, object_id)
    if adapter is None or key is None:
        return None
    post = find_by_key(adapter.visible(request), key)
    # Each object has one address: "01" does not lead to the object 1.
    return post if post is not None and canonical_id(post.pk) == object_id else None


def find_adapter(label: str) -> Adapter | None:
    """Return the adapter of the registered model with the label "app.model". Return None if there is none."""
    return {model._meta.label_lower: adapter for model, adapter in registered_adapters().items()}.get(label)


def visible_querysets(request: HttpRequest, model: type[Model]) -> list[QuerySet[Any]]:
    """Return the posts that the visitor may see, for the model and each model that is compared with it."""
    return [adapter.visible(request) for adapter in adapter_for(model).partner_adapters]


def find_by_key(queryset: QuerySet[Any], key: Any) -> Model | None:
    """Return the object with that primary key if the queryset contains it.

    Return None otherwise, also for a number that exceeds the range of the column.
    """
    field = queryset.model._meta.pk
    names = [field.name]
    # The key of a child model is a relation. Django knows the range of the column only from the field
    # behind it.
    while field.is_relation:
        field = field.target_field
        names.append(field.name)
    post: Model | None = filterable(queryset).filter(**{"__".join(names): key}).first()
    return post


def anonymous_request() -> HttpRequest:
    """Return a request by an anonymous visitor, for ``Adapter.visible``."""
    request: Any = HttpRequest()
    request.method, request.path, request.path_info, request.session = "GET", "/", "/", {}
    if apps.is_installed("django.contrib.auth"):
        from django.contrib.auth.models import AnonymousUser

        request.user = AnonymousUser()
    result: HttpRequest = request
    return result


def parse_primary_key(model: type[Model], object_id: str) -> Any:
    """Return the object id as a key of the model. Return None if it cannot be a key."""
    try:
        return None if "\0" in object_id else model._meta.pk.to_python(object_id)
    except (ValidationError, ValueError, TypeError):
        return None
