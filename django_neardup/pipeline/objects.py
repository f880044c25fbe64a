"""From objects to documents and back."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import models, router

from ..adapters import adapter_for
from ..columns import as_key
from ..models import Document
from .sql import among


def canonical_id(key: Any) -> str:
    """The text of a primary key, one for one: a UUID hyphenated in small letters, all else as Python writes it."""
    return str(key) if not isinstance(key, uuid.UUID) else str(key).lower()


def content_type_of(model: type[models.Model], using: str) -> ContentType:
    """The content type of that (concrete) model in that database."""
    return ContentType.objects.db_manager(using).get_for_model(model)


def kinds_of(model: type[models.Model], using: str) -> list[int]:
    """The content types by which deeds name posts of that adapter's model: its own, and its children's."""
    children = (each for each in apps.get_models() if issubclass(each, model))
    return [content_type_of(each, using).pk for each in children if adapter_for(each).model is model]


def is_kept_in(model: type[models.Model], using: str) -> bool:
    """Whether that database holds the model's objects, as the router has it; of a table that no migration makes it
    tells nothing."""
    return not model._meta.managed or router.allow_migrate_model(using, model)


def model_of(document: Document) -> type[models.Model] | None:
    """The model of a document's object; None where the site has dropped it."""
    using = document._state.db or "default"
    kind = ContentType.objects.db_manager(using).get_for_id(document.content_type_id)
    return kind.model_class()


def documents_of(instances: Iterable[models.Model], using: str) -> dict[tuple[int, str], Document]:
    """The documents of those objects by content type id and canonical id; few queries a model."""
    wanted: defaultdict[int, set[str]] = defaultdict(set)
    for instance in instances:
        kind, key = identity_of(instance, using)
        wanted[kind].add(key)
    found = [
        document
        for kind, keys in wanted.items()
        for some in among(Document.objects.using(using).filter(content_type_id=kind), "object_id", keys)
        for document in some
    ]
    return {(document.content_type_id, document.object_id): document for document in found}


def identity_of(instance: models.Model, using: str) -> tuple[int, str]:
    """Content type id and canonical id by which the object's document is found."""
    model = adapter_for(instance).model
    return content_type_of(model, using).pk, canonical_id(key_of(instance, model))


def key_of(instance: models.Model, model: type[models.Model]) -> Any:
    """The primary key of that object as one of its model or of a parent of that, whose key may be another."""
    return getattr(instance, model._meta.pk.attname)


def object_of(document: Document) -> models.Model | None:
    """The document's object, or None where it is gone."""
    return objects_of([document], document._state.db or "default").get(document.pk)


def objects_of(documents: Iterable[Document], using: str) -> dict[int, models.Model]:
    """The objects that still exist, by document id; a query a model."""
    by_model: defaultdict[type[models.Model], dict[Any, int]] = defaultdict(dict)
    for document in documents:
        model = model_of(document)
        if model is not None and (key := as_key(model, document.object_id)) is not None:
            by_model[model][key] = document.pk
    return {
        keys[key]: instance
        for model, keys in by_model.items()
        for key, instance in model._base_manager.using(using).in_bulk(list(keys)).items()
        if key in keys  # MariaDB finds "abc" where "Abc" is asked for
    }
