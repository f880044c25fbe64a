"""The registry of adapters by model."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, TypeVar

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import models

from .exceptions import AlreadyRegistered, NotRegistered

if TYPE_CHECKING:
    from .adapters import Adapter

_registry: dict[type[models.Model], Adapter] = {}
AdapterType = TypeVar("AdapterType", bound="type[Adapter]")


def register(model: type[models.Model] | str) -> Callable[[AdapterType], AdapterType]:
    """Register the decorated adapter class for a model (a class, or "app.Model").

    Raise ImproperlyConfigured if the model cannot have an adapter, or if the decorated class is no adapter.
    Raise AlreadyRegistered if the model has an adapter.
    """
    registered_model = _registrable_model(model)

    def decorate(adapter: AdapterType) -> AdapterType:
        if not _is_adapter_class(adapter):
            raise ImproperlyConfigured(
                f"{_describe(adapter)} is registered for {registered_model._meta.label}, but is not an adapter. "
                "Write a class that inherits from neardup.Adapter."
            )
        present = _registry.get(registered_model)
        if present is not None:
            raise AlreadyRegistered(
                f"{registered_model._meta.label} already has the adapter {_describe(type(present))}. "
                f"To register {_describe(adapter)} instead, remove the first one or call "
                f"neardup.unregister({registered_model._meta.object_name}) before."
            )
        _registry[registered_model] = adapter(registered_model)
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
        f"{model._meta.label} has no adapter. Register one in a module neardup.py of its app: "
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


def registered_adapters() -> dict[type[models.Model], Adapter]:
    """Return every adapter, by model."""
    return dict(_registry)


def adapter_of(content_type_id: int, using: str) -> Adapter | None:
    """Return the adapter of a content type's model.

    Return None if the site no longer has the model or the adapter.
    """
    # Sites register adapters before the models of this app are loaded.
    from django.contrib.contenttypes.models import ContentType

    model = ContentType.objects.db_manager(using).get_for_id(content_type_id).model_class()
    return _registry.get(model) if model is not None else None


def similar_labels(label: str) -> list[str]:
    """Return labels ("app.Model") of the models that a wrong label may mean.

    These are the models of that name in any app, otherwise the one with the most similar label.
    """
    all_models = apps.get_models()
    labels = {model._meta.label_lower: model._meta.label for model in all_models}
    # The app may be missing ("Ad") or be a Python path ("board.models.Ad").
    model_name = label.lower().rpartition(".")[2]
    same_name = [model._meta.label for model in all_models if model._meta.model_name == model_name]
    return same_name or [labels[name] for name in get_close_matches(label.lower(), labels, 1)]


def _concrete(model: type[models.Model]) -> type[models.Model]:
    """Return the model that owns the table. An abstract model is returned unchanged."""
    return model._meta.concrete_model or model


def _registrable_model(model: object) -> type[models.Model]:
    """Return the model that an argument of ``register`` names.

    Raise ImproperlyConfigured if it is no model, or a model without its own table.
    """
    model_class = _find_model(model) if isinstance(model, str) else model
    if _is_adapter_class(model_class):
        raise ImproperlyConfigured(
            f"@neardup.register on {_describe(model_class)} has no model. "
            "Write @neardup.register(Ad) with the model of your posts."
        )
    if not (isinstance(model_class, type) and issubclass(model_class, models.Model)) or not hasattr(
        model_class, "_meta"
    ):
        raise ImproperlyConfigured(
            f'neardup.register() takes a model class or "app.Model", not {model!r}. '
            "Write @neardup.register(Ad) with the model of your posts."
        )
    if problem := _table_problem(model_class):
        raise ImproperlyConfigured(f"{model_class._meta.label} cannot be registered: {problem}.")
    return model_class


def _table_problem(model: type[models.Model]) -> str:
    """Return why posts cannot be read from the model, and what to register. Return "" if they can."""
    meta = model._meta
    if meta.abstract:
        children = [
            child._meta.object_name
            for child in apps.get_models()
            if issubclass(child, model) and not child._meta.proxy
        ]
        decorators = (
            " ".join(f"@neardup.register({name})" for name in children[:3]) or "@neardup.register(Ad)"
        )
        return f"it is abstract and has no table. Register the models that inherit from it, {decorators}"
    if meta.proxy:
        return (
            f"it is a proxy of {_concrete(model)._meta.label}. Register that model, and choose "
            "rows in the adapter's methods live() and compared()"
        )
    if meta.swapped:
        return f"the setting {meta.swappable} replaces it by {meta.swapped}. Register that model"
    return ""


def _find_model(label: str) -> type[models.Model]:
    try:
        return apps.get_model(label)
    except (LookupError, ValueError) as error:
        near_labels = " or ".join(f'"{near_label}"' for near_label in similar_labels(label))
        suggestion = f" Did you mean {near_labels}?" if near_labels else ""
        raise ImproperlyConfigured(
            f'neardup.register("{label}"): there is no such model. Write "app.Model".{suggestion}'
        ) from error


def _is_adapter_class(value: object) -> bool:
    # The module of adapters imports this one.
    from .adapters import Adapter

    return isinstance(value, type) and issubclass(value, Adapter)


def _describe(value: object) -> str:
    """Return the qualified name of a class or function, with its file and line if they can be read."""
    if not hasattr(value, "__qualname__"):
        return f"{value!r}"
    name = f"{getattr(value, '__module__', '')}.{value.__qualname__}"
    try:
        lines_and_start = inspect.getsourcelines(value)  # type: ignore[arg-type]
        return f"{name} ({inspect.getsourcefile(value)}:{lines_and_start[1]})"  # type: ignore[arg-type]
    except (OSError, TypeError):
        # Classes that are made by a call have no source.
        return name
