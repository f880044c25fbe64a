"""Find the documents of objects, and the objects of documents."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import connections, models, router

from ..adapters import adapter_for
from ..db.sql import filter_in_chunks
from ..models import Document
from ..querysets import parse_pk, pk_field


def canonical_id(key: Any) -> str:
    """Return the text of a primary key. Different keys have different texts.

    A UUID is written in lower case with hyphens, any other key as ``str`` writes it.
    """
    return str(key) if not isinstance(key, uuid.UUID) else str(key).lower()


def document_key_of(key: Any, model: type[models.Model]) -> tuple[str, int | None]:
    """Return the object id and the integer key by which the document of a post with this primary key is found.

    Keys that are no integers of 64 bits have no integer key.
    """
    key, field = _parsed(key, model), pk_field(model)
    number = key
    if isinstance(field, models.IntegerField) and not isinstance(key, str):
        # A field of a site may show integers in another form, as hash ids do. A value that stays text is no
        # key.
        number = field.get_prep_value(key)
    return canonical_id(key), number if isinstance(number, int) and -(2**63) <= number < 2**63 else None


def _parsed(key: Any, model: type[models.Model]) -> Any:
    """Return a key as the database gives it: a site may save a post with the text of a UUID, or with 17.0."""
    if not isinstance(key, (str, float, bool)):
        return key
    try:
        parsed = parse_pk(model, key)
    except (TypeError, ValueError, OverflowError):
        # A field of a site. The save itself tells what is wrong.
        return key
    return key if parsed is None else parsed


def content_type_of(model: type[models.Model], using: str) -> ContentType:
    """Return the content type of a concrete model in a database."""
    return ContentType.objects.db_manager(using).get_for_model(model)


def content_type_ids_of(model: type[models.Model], using: str) -> list[int]:
    """Return the ids of content types by which merge records name posts of an adapter's model.

    These are the content types of the model and of its children.
    """
    children = (child for child in apps.get_models() if issubclass(child, model))
    return [content_type_of(child, using).pk for child in children if adapter_for(child).model is model]


def is_stored_in(model: type[models.Model], using: str) -> bool:
    """Return whether the database has the model's objects, by the router.

    Return True for an unmanaged model: routers say nothing about tables that no migration creates.
    """
    return not model._meta.managed or router.allow_migrate_model(using, model)


def has_table(model: type[models.Model], using: str) -> bool:
    """Return whether the database has the model's table."""
    return model._meta.db_table in connections[using].introspection.table_names()


def model_of(document: Document) -> type[models.Model] | None:
    """Return the model of a document's object, or None if the site no longer has that model."""
    using = document._state.db or "default"
    content_type = ContentType.objects.db_manager(using).get_for_id(document.content_type_id)
    return content_type.model_class()


def documents_of(instances: Iterable[models.Model], using: str) -> dict[tuple[int, str], Document]:
    """Return the documents of objects by content type id and canonical id, with few queries per model."""
    ids_by_content_type: defaultdict[int, set[str]] = defaultdict(set)
    for instance in instances:
        content_type_id, key = post_id_of(instance, using)
        ids_by_content_type[content_type_id].add(key)
    documents = [
        document
        for content_type_id, object_ids in ids_by_content_type.items()
        for rows in filter_in_chunks(
            Document.objects.using(using).filter(content_type_id=content_type_id), "object_id", object_ids
        )
        for document in rows
    ]
    return {(document.content_type_id, document.object_id): document for document in documents}


def post_id_of(instance: models.Model, using: str) -> tuple[int, str]:
    """Return the content type id and the canonical id by which the object's document is found."""
    model = adapter_for(instance).model
    return content_type_of(model, using).pk, canonical_id(pk_of(instance, model))


def pk_of(instance: models.Model, model: type[models.Model]) -> Any:
    """Return the primary key of an object as an instance of ``model``, its own model or a parent.

    A child may have another primary key than its parent.
    """
    return _parsed(getattr(instance, model._meta.pk.attname), model)


def object_of(document: Document) -> models.Model | None:
    """Return the document's object, or None if it is gone."""
    return objects_of([document], document._state.db or "default").get(document.pk)


def objects_of(documents: Iterable[Document], using: str) -> dict[int, models.Model]:
    """Return the objects that still exist by document id, with one query per model."""
    by_model: defaultdict[type[models.Model], dict[Any, int]] = defaultdict(dict)
    for document in documents:
        model = model_of(document)
        if model is not None and (key := parse_pk(model, document.object_id)) is not None:
            by_model[model][key] = document.pk
    return {
        keys[key]: instance
        for model, keys in by_model.items()
        for key, instance in model._base_manager.using(using).in_bulk(list(keys)).items()
        # MariaDB compares text keys without case: it returns "abc" for "Abc".
        if key in keys
    }
