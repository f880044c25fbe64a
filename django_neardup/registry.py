"""Which adapter speaks for a model."""

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
    """Class decorator: the adapter describes that model (a class, or "app.Model")."""

    def decorate(adapter: AdapterType) -> AdapterType:
        concrete = _concrete(apps.get_model(model) if isinstance(model, str) else model)
        if concrete in _registry:
            raise AlreadyRegistered(f"{concrete._meta.label} has an adapter already.")
        _registry[concrete] = adapter(concrete)
        return adapter

    return decorate


def unregister(model: type[models.Model]) -> None:
    """Take that model's adapter away; for tests and for sites that replace another app's adapter."""
    if _registry.pop(_concrete(model), None) is None:
        raise NotRegistered(f"{model._meta.label} has no adapter.")


def adapter_for(model: type[models.Model] | models.Model) -> Adapter:
    """The adapter of that model, or of the nearest registered parent of it."""
    for adapter in adapters_of(model):
        return adapter
    raise NotRegistered(
        f"{model._meta.label} has no adapter: register one in a module neardup.py of its app, "
        f"@neardup.register({model._meta.object_name})."
    )


def adapters_of(model: type[models.Model] | models.Model) -> list[Adapter]:
    """Every adapter that a save of that model concerns: its own first, then its parents'."""
    kind: type[models.Model] = model if isinstance(model, type) else type(model)
    bases = [base for base in kind.__mro__ if issubclass(base, models.Model) and hasattr(base, "_meta")]
    concrete = dict.fromkeys(_concrete(base) for base in bases)
    return [_registry[base] for base in concrete if base in _registry]


def _concrete(model: type[models.Model]) -> type[models.Model]:
    """The model whose table holds the rows; an abstract one stands for itself."""
    return model._meta.concrete_model or model


def registered() -> dict[type[models.Model], Adapter]:
    """Every adapter by its model."""
    return dict(_registry)
