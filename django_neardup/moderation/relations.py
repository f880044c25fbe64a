"""References to an object: every foreign key and generic reference of the project, looked up at run time."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import connections, models, router
from django.db.models import Q, QuerySet
from django.utils.text import capfirst

from ..db.chunks import chunked
from ..querysets import from_database
from ..reports.segments import replace_control_characters

ModelType = type[models.Model]

PORTION = 300
"""Rows in one statement: old releases of SQLite take 999 parameters."""


@dataclass(frozen=True)
class Reference:
    """Rows of ``model`` that reference objects of ``target_model`` by ``field``.

    ``target_attname`` is the attribute of the object with the value that the rows hold. A generic reference
    covers one content type: ``content_type_condition`` holds the attribute and the value of that type.
    """

    model: ModelType
    field: Any
    target_model: ModelType
    target_attname: str
    content_type_condition: tuple[str, int] | None = None

    @property
    def column(self) -> str:
        """Return the attribute that holds the value."""
        return str(self.field.attname)

    def value_for(self, instance: models.Model) -> Any:
        """Return the value of a row that references the object. Return None if no row can reference it."""
        value = getattr(instance, self.target_attname)
        return value if self.content_type_condition is None else self.stored_value(value)

    def stored_value(self, value: Any) -> Any:
        """Return a primary key as the object id column of a generic reference holds it.

        Return None if it does not fit.
        """
        try:
            value = self.field.to_python(value)
            self.field.run_validators(value)
        except (TypeError, ValueError, ValidationError):
            return None
        return value

    def matching_q(self, values: Collection[Any]) -> Q:
        """Return a condition for the rows that hold one of the values."""
        condition = Q(**{f"{self.field.name}__in": list(values)})
        return (
            condition
            if self.content_type_condition is None
            else condition & Q(**{self.content_type_condition[0]: self.content_type_condition[1]})
        )

    def applies_to(self, row: Mapping[str, Any]) -> bool:
        """Return whether the row (attributes by name) references an object of this model at all."""
        return (
            self.content_type_condition is None
            or row[self.content_type_condition[0]] == self.content_type_condition[1]
        )

    @property
    def is_primary_key(self) -> bool:
        """Return whether the column is the primary key of the row, so that a move changes the key."""
        return bool(self.field.primary_key)


def describe_object(instance: models.Model) -> str:
    """Return an object in words: its model, its name, its primary key."""
    return f"{capfirst(instance._meta.verbose_name)} “{short_name(instance)}” ({instance.pk})"


def short_name(instance: models.Model) -> str:
    """Return the beginning of the object's name, which cannot reverse the text after it."""
    return replace_control_characters(str(instance)[:100])


def models_of_table(model: ModelType) -> list[ModelType]:
    """Return a concrete model and its proxies."""
    return [each for each in apps.get_models() if each._meta.concrete_model is model]


def rows_label(model: ModelType) -> str:
    """Return the plural name of the rows. The rows of a many-to-many table have the name of the relation."""
    owner: Any = model._meta.auto_created
    for field in owner._meta.local_many_to_many if owner else ():
        if field.remote_field.through is model:
            return str(capfirst(field.verbose_name))
    return str(capfirst(model._meta.verbose_name_plural))


def rows_of(model: ModelType, using: str) -> QuerySet[Any]:
    """Return every row of the model, also rows that its managers leave out."""
    return from_database(QuerySet(model=model, using=using))


def rows_in_portions(model: ModelType, keys: Sequence[Any], using: str) -> Iterator[QuerySet[Any]]:
    """Return the rows with the primary keys, in portions that fit into one statement of any database."""
    return (rows_of(model, using).filter(pk__in=portion) for portion in chunked(keys, PORTION))


def concrete_model(model: Any) -> ModelType:
    """Return the model that has the table. For a proxy, this is the original model."""
    concrete: ModelType = model._meta.concrete_model
    return concrete


def get_field(model: ModelType, name: str) -> Any:
    """Return the field with the name."""
    return model._meta.get_field(name)


def model_and_parents(model: ModelType) -> set[ModelType]:
    """Return the concrete model and its multi-table parents."""
    return {concrete_model(model), *map(concrete_model, concrete_model(model)._meta.get_parent_list())}


def rows_by_model(instance: models.Model, using: str) -> dict[ModelType, models.Model]:
    """Return the object by every concrete model with a row of it: parents, its own, multi-table children."""
    rows = dict.fromkeys(model_and_parents(type(instance)), instance)
    pending = [(concrete_model(instance), instance)]
    while pending:
        model, current_row = pending.pop()
        for child, link in _child_models(model):
            value = getattr(current_row, link.target_field.attname)
            row = rows_of(child, using).filter(**{link.attname: value}).first()
            if row is not None:
                rows[child] = row
                pending.append((child, row))
    return rows


def references_to(target_models: Collection[ModelType], using: str) -> list[Reference]:
    """Return all references to objects of the models, except parent links between these models and views."""
    models_by_content_type = _models_by_content_type(target_models, using)
    references: list[Reference] = []
    for model in apps.get_models(include_auto_created=True):
        if not model._meta.proxy and router.allow_migrate_model(using, model):
            found = [
                *_foreign_key_references(model, target_models),
                *_generic_references(model, models_by_content_type),
            ]
            # The rows of a view follow those of its tables.
            if found and (model._meta.managed or not _is_view(model._meta.db_table, using)):
                references += found
    return references


def references_to_pk(model: ModelType, using: str) -> list[Reference]:
    """Return all references to rows of a model by their primary key."""
    return [
        reference
        for reference in references_to({model}, using)
        if reference.target_attname == model._meta.pk.attname
    ]


def through_models() -> set[ModelType]:
    """Return the tables of many-to-many relations, including explicit through models."""
    fields = (field for model in apps.get_models() for field in model._meta.local_many_to_many)
    through = (getattr(field.remote_field, "through", None) for field in fields)
    return {model for model in through if isinstance(model, type)}


def _child_models(model: ModelType) -> Iterator[tuple[ModelType, Any]]:
    for child in apps.get_models():
        links: Iterable[Any] = child._meta.parents.values()
        for link in links:
            if link is not None and link.model is child and concrete_model(link.remote_field.model) is model:
                yield child, link


def _is_view(table: str, using: str) -> bool:
    connection = connections[using]
    with connection.cursor() as cursor:
        tables = connection.introspection.get_table_list(cursor)
    return any(known.name == table and known.type == "v" for known in tables)


def _foreign_key_references(model: ModelType, target_models: Collection[ModelType]) -> Iterator[Reference]:
    for field in model._meta.local_concrete_fields:
        if not isinstance(field, models.ForeignKey):
            continue
        target_model = concrete_model(field.remote_field.model)
        is_own_link = field.remote_field.parent_link and model in target_models
        if target_model in target_models and not is_own_link:
            yield Reference(model, field, target_model, field.target_field.attname)


def _generic_references(
    model: ModelType, models_by_content_type: dict[int, ModelType]
) -> Iterator[Reference]:
    for generic in model._meta.private_fields:
        if not isinstance(generic, GenericForeignKey):
            continue
        try:
            content_type_field, key_field = (
                get_field(model, generic.ct_field),
                get_field(model, generic.fk_field),
            )
        except FieldDoesNotExist:
            continue
        if key_field.model is model:
            for content_type_id, target_model in models_by_content_type.items():
                yield Reference(
                    model,
                    key_field,
                    target_model,
                    target_model._meta.pk.attname,
                    (content_type_field.attname, content_type_id),
                )


def _models_by_content_type(target_models: Collection[ModelType], using: str) -> dict[int, ModelType]:
    """Return the models and their proxies by the ids of their content types.

    A content type that does not exist yet is left out.
    """
    models_by_name = {
        (model._meta.app_label, model._meta.model_name): concrete_model(model)
        for model in apps.get_models()
        if concrete_model(model) in target_models
    }
    labels, names = {label for label, _ in models_by_name}, {name for _, name in models_by_name}
    content_types = ContentType.objects.using(using).filter(app_label__in=labels, model__in=names)
    return {
        content_type.pk: models_by_name[content_type.natural_key()]
        for content_type in content_types
        if content_type.natural_key() in models_by_name
    }
