"""The registry of adapters by model."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from django.apps import apps
from django.db import models

from .exceptions import AlreadyRegistered, NotRegistered

if TYPE_CHECKING:
    from .adapters import Adapter

_registry: dict[type[models.Model], Adapter] = {}
AdapterType = TypeVar("AdapterType", bound="type[Adapter]")


def register(model: type[models.Model] | str) -> Callable[[AdapterType], AdapterType]:
    """Register the decorated adapter class for a model (a class, or "app.Model").

    Raise AlreadyRegistered if the model has an adapter.
    """

    def decorate(adapter: AdapterType) -> AdapterType:
        concrete = _concrete(apps.get_model(model) if isinstance(model, str) else model)
        if concrete in _registry:
            raise AlreadyRegistered(f"{concrete._meta.label} has an adapter already.")
        _registry[concrete] = adapter(concrete)
        return adapter

    return decorate


def unregister(model: type[models.Model]) -> None:
    """Remove the adapter of a model. Raise NotRegistered if it has none.

    Tests use it, and sites that replace the adapter of another app.
    """
    if _registry.pop(_concrete(model), None) is None:
        raise NotRegistered(f"{model._meta.label} has no adapter.")


def adapter_for(model: type[models.Model] | models.Model) -> Adapter:
    """Return the adapter of a model, or of its nearest registered parent.

    Raise NotRegistered if there is none.
    """
    for adapter in adapters_of(model):
        return adapter
    raise NotRegistered(
        f"{model._meta.label} has no adapter: register one in a module neardup.py of its app, "
        f"@neardup.register({model._meta.object_name})."
    )


def adapters_of(model: type[models.Model] | models.Model) -> list[Adapter]:
    """Return every adapter that a save of the model concerns: the model's own first, then its parents'."""
    model_class: type[models.Model] = model if isinstance(model, type) else type(model)
    # A child of several tables is also a row of each parent.
    bases = [
        base for base in model_class.__mro__ if issubclass(base, models.Model) and hasattr(base, "_meta")
    ]
    concrete_models = dict.fromkeys(_concrete(base) for base in bases)
    return [_registry[base] for base in concrete_models if base in _registry]


def _concrete(model: type[models.Model]) -> type[models.Model]:
    """Return the model that owns the table. An abstract model is returned unchanged."""
    return model._meta.concrete_model or model


def registered_adapters() -> dict[type[models.Model], Adapter]:
    """Return every adapter, by model."""
    return dict(_registry)
