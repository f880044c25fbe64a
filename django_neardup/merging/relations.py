"""What points at an object: every foreign key and generic reference of the project, found when asked."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.fields import GenericForeignKey
from django.contrib.contenttypes.models import ContentType
from django.core.exceptions import FieldDoesNotExist, ValidationError
from django.db import models, router
from django.db.models import Q, QuerySet
from django.utils.text import capfirst

from ..portions import portions

ModelType = type[models.Model]

PORTION = 300


@dataclass(frozen=True)
class Pointer:
    """Rows of ``model`` that point, by ``field``, at objects of the model ``at``.

    ``target`` is the attribute of the object whose value they hold. A generic reference counts for one
    content type: ``kind`` is the attribute and the value that tell it.
    """

    model: ModelType
    field: Any
    at: ModelType
    target: str
    kind: tuple[str, int] | None = None

    @property
    def column(self) -> str:
        """The attribute that holds the value."""
        return str(self.field.attname)

    def value(self, instance: models.Model) -> Any:
        """What a row holds that points at that object; None where none can."""
        value = getattr(instance, self.target)
        return value if self.kind is None else self.stored(value)

    def stored(self, value: Any) -> Any:
        """A primary key as the object id column of a generic reference holds it; None where it does not
        fit.
        """
        try:
            value = self.field.to_python(value)
            self.field.run_validators(value)
        except (TypeError, ValueError, ValidationError):
            return None
        return value

    def match(self, values: Collection[Any]) -> Q:
        """The rows that hold one of those values."""
        found = Q(**{f"{self.field.name}__in": list(values)})
        return found if self.kind is None else found & Q(**{self.kind[0]: self.kind[1]})

    def holds(self, row: Mapping[str, Any]) -> bool:
        """Whether that row, attributes by name, points at an object of this model at all."""
        return self.kind is None or row[self.kind[0]] == self.kind[1]

    @property
    def rekeys(self) -> bool:
        """Whether the column is the row's primary key, so that moving it gives the row another one."""
        return bool(self.field.primary_key)


def named(instance: models.Model) -> str:
    """An object in words: what it is, its name, its primary key."""
    return f"{capfirst(instance._meta.verbose_name)} “{str(instance)[:100]}” ({instance.pk})"


def rows_called(model: ModelType) -> str:
    """What the rows of that model are called: those of a many-to-many table by the name of the relation."""
    owner: Any = model._meta.auto_created
    for many in owner._meta.local_many_to_many if owner else ():
        if many.remote_field.through is model:
            return str(capfirst(many.verbose_name))
    return str(capfirst(model._meta.verbose_name_plural))


def rows_of(model: ModelType, using: str) -> QuerySet[Any]:
    """Every row, whatever the model's managers leave out."""
    return QuerySet(model=model, using=using)


def in_portions(model: ModelType, keys: Sequence[Any], using: str) -> Iterator[QuerySet[Any]]:
    """The rows with those primary keys, in portions that every database takes in one statement."""
    return (rows_of(model, using).filter(pk__in=some) for some in portions(keys, PORTION))


def concrete(model: Any) -> ModelType:
    """The model that has the table: a proxy's original."""
    found: ModelType = model._meta.concrete_model
    return found


def column(model: ModelType, name: str) -> Any:
    """The field of that name."""
    return model._meta.get_field(name)


def ancestors(model: ModelType) -> set[ModelType]:
    """The concrete model and its multi-table parents."""
    return {concrete(model), *map(concrete, concrete(model)._meta.get_parent_list())}


def faces(instance: models.Model, using: str) -> dict[ModelType, models.Model]:
    """The object under every concrete model that has a row of it: parents, its own, multi-table children."""
    found = dict.fromkeys(ancestors(type(instance)), instance)
    waiting = [(concrete(instance), instance)]
    while waiting:
        model, face = waiting.pop()
        for child, link in _children(model):
            value = getattr(face, link.target_field.attname)
            row = rows_of(child, using).filter(**{link.attname: value}).first()
            if row is not None:
                found[child] = row
                waiting.append((child, row))
    return found


def pointers_to(targets: Collection[ModelType], using: str) -> list[Pointer]:
    """All that points at objects of those models, but for the parent links among them."""
    kinds = _content_types(targets, using)
    found = []
    for model in apps.get_models(include_auto_created=True):
        if not model._meta.proxy and router.allow_migrate_model(using, model):
            found += [*_keys(model, targets), *_generic(model, kinds)]
    return found


def at_key(model: ModelType, using: str) -> list[Pointer]:
    """All that points at rows of a model by their primary key."""
    return [pointer for pointer in pointers_to({model}, using) if pointer.target == model._meta.pk.attname]


def link_models() -> set[ModelType]:
    """The tables of many-to-many relations, those with columns of their own among them."""
    fields = (field for model in apps.get_models() for field in model._meta.local_many_to_many)
    through = (getattr(field.remote_field, "through", None) for field in fields)
    return {model for model in through if isinstance(model, type)}


def _children(model: ModelType) -> Iterator[tuple[ModelType, Any]]:
    for child in apps.get_models():
        links: Iterable[Any] = child._meta.parents.values()
        for link in links:
            if link is not None and link.model is child and concrete(link.remote_field.model) is model:
                yield child, link


def _keys(model: ModelType, targets: Collection[ModelType]) -> Iterator[Pointer]:
    for field in model._meta.local_concrete_fields:
        if not isinstance(field, models.ForeignKey):
            continue
        at = concrete(field.remote_field.model)
        own_link = field.remote_field.parent_link and model in targets
        if at in targets and not own_link:
            yield Pointer(model, field, at, field.target_field.attname)


def _generic(model: ModelType, kinds: dict[int, ModelType]) -> Iterator[Pointer]:
    for generic in model._meta.private_fields:
        if not isinstance(generic, GenericForeignKey):
            continue
        try:
            kind, key = column(model, generic.ct_field), column(model, generic.fk_field)
        except FieldDoesNotExist:
            continue
        if key.model is model:
            for number, at in kinds.items():
                yield Pointer(model, key, at, at._meta.pk.attname, (kind.attname, number))


def _content_types(targets: Collection[ModelType], using: str) -> dict[int, ModelType]:
    """The models and their proxies by the ids of their content types, as far as these exist."""
    named = {
        (model._meta.app_label, model._meta.model_name): concrete(model)
        for model in apps.get_models()
        if concrete(model) in targets
    }
    labels, names = {label for label, _ in named}, {name for _, name in named}
    stored = ContentType.objects.using(using).filter(app_label__in=labels, model__in=names)
    return {kind.pk: named[kind.natural_key()] for kind in stored if kind.natural_key() in named}
