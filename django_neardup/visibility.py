"""The filter for visible posts. Every list of this app is cut to the given querysets and counted afterwards."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, TypeAlias, TypeVar

from django.db import router
from django.db.models import (
    AutoField,
    BigAutoField,
    BigIntegerField,
    F,
    IntegerField,
    Lookup,
    Model,
    QuerySet,
)
from django.db.models.sql import AND, Query
from django.db.models.sql.compiler import SQLCompiler

from .adapters import adapters_of
from .db.backends import get_backend
from .db.backends.postgresql import array_literal
from .db.chunks import chunked
from .exceptions import NeardupError
from .pipeline.content_objects import canonical_id, pk_of
from .querysets import filterable

ObjectKey: TypeAlias = tuple[type[Model], str]
"""The key of an object: the model of its adapter (without an adapter, its own model) and its canonical id."""

Querysets: TypeAlias = QuerySet[Any] | Iterable[QuerySet[Any]]
Item = TypeVar("Item")

CHUNK_SIZE = 10_000
"""Values in one statement. SQLite accepts 32 766."""

BIGINT_LIMIT = 2**63
"""PostgreSQL's largest ``bigint``, plus one."""

INTEGER_FIELDS = {AutoField, BigAutoField, IntegerField, BigIntegerField}
"""Fields that pass their values to the database unchanged. Fields derived from them may not."""


class GroupingError(NeardupError, TypeError):
    """The objects to group, or the querysets of visible posts, are of no use.

    The message names valid ones.
    """


def object_key(instance: Model) -> ObjectKey:
    """Return the key of an object. Raise GroupingError if it is not a model instance."""
    if not isinstance(instance, Model):
        raise GroupingError(
            f"The posts must be model instances, not {type(instance).__name__}. Pass a queryset, a page or "
            "a list of them, without values() or values_list(). For a search engine pass the objects of its results."
        )
    root = registered_model(type(instance))
    return root, _object_id(instance, root)


def object_keys(instances: Iterable[Model]) -> list[ObjectKey]:
    """Return ``object_key`` of each instance."""
    # The adapter of each model is looked up once.
    roots: dict[type[Model], type[Model]] = {}
    keys = []
    for instance in instances:
        root = roots.get(type(instance))
        if root is None:
            root = roots[type(instance)] = object_key(instance)[0]
        keys.append((root, _object_id(instance, root)))
    return keys


def write_database(instance: Model, alias: str | None = None) -> str:
    """Return the alias of the database to which ``save()`` would write the object.

    With ``alias``, return it for an object that was read from that database: for a replica, its primary.

    Objects with an equal key and an equal write database are the same object.
    """
    if alias is not None:
        instance = copy(instance)
        instance._state.db = alias
    database: str = router.db_for_write(type(instance), instance=instance)
    return database


def registered_model(model: type[Model]) -> type[Model]:
    """Return the model of the adapter of a model. Without an adapter, return the concrete model."""
    adapters = adapters_of(model)
    return adapters[0].model if adapters else model._meta.concrete_model or model


def chunk_values(values: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """Split the values into chunks that every database accepts in one statement."""
    return chunked(values, CHUNK_SIZE)


class VisibilityFilter:
    """The querysets of visible posts, one for each model. Raise GroupingError if one cannot be filtered."""

    def __init__(self, querysets: Querysets) -> None:
        self._querysets: dict[type[Model], QuerySet[Any]] = {}
        for queryset in [querysets] if isinstance(querysets, QuerySet) else _as_list(querysets):
            _check_queryset(queryset)
            root = registered_model(queryset.model)
            if root in self._querysets:
                raise GroupingError(
                    f"There are two querysets of {queryset.model._meta.label}. Join them with |."
                )
            self._querysets[root] = filterable(queryset)

    def __getstate__(self) -> dict[str, Any]:
        """Return the querysets without their rows: pickling must not run a query."""
        return {"said": {root: _without_rows(queryset) for root, queryset in self._querysets.items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._querysets = {root: queryset.all() for root, queryset in state["said"].items()}

    @property
    def registered_models(self) -> list[type[Model]]:
        """Return the models that have an adapter."""
        return [model for model in self._querysets if adapters_of(model)]

    def queryset_for(self, model: type[Model]) -> QuerySet[Any] | None:
        """Return the queryset for a model, with or without an adapter. Return None if there is none."""
        return self._querysets.get(model)

    def covers(self, key: ObjectKey) -> bool:
        """Return whether there is a queryset for the object's model."""
        return key[0] in self._querysets

    def visible_keys(self, keys: Iterable[ObjectKey], using: str) -> dict[ObjectKey, None]:
        """Return the keys of visible objects: in the queryset's order, or in the given order if it has none."""
        wanted = dict.fromkeys(keys)
        visible: dict[ObjectKey, None] = {}
        for model, queryset in self._querysets.items():
            model_keys = [key for key in wanted if key[0] is model]
            present = {
                (model, canonical_id(pk)): None
                for chunk in _narrow(model, queryset, model_keys, using)
                for pk in chunk.values_list(model._meta.pk.name, flat=True)
            }
            visible |= (
                _intersection(present, wanted) if queryset.ordered else _intersection(model_keys, present)
            )
        return visible

    def fetch_objects(self, keys: Iterable[ObjectKey], using: str) -> dict[ObjectKey, Model]:
        """Return the visible objects by key, as the querysets load them."""
        wanted = list(keys)
        return {
            (model, _object_id(instance, model)): instance
            for model, queryset in self._querysets.items()
            for chunk in _narrow(model, queryset, [key for key in wanted if key[0] is model], using)
            for instance in chunk
        }


def _without_rows(queryset: Any) -> QuerySet[Any]:
    """Return the queryset with an empty result cache."""
    copied = queryset.all()
    # Pickle evaluates a queryset that has no result cache.
    copied._result_cache, copied._prefetch_done = [], True
    empty: QuerySet[Any] = copied
    return empty


def _intersection(keys: Iterable[ObjectKey], others: Container[ObjectKey]) -> dict[ObjectKey, None]:
    """Return the keys that are in ``others`` too, in their order."""
    return {key: None for key in keys if key in others}


def _object_id(instance: Model, model: type[Model]) -> str:
    # A child of a registered parent has the parent's key.
    return canonical_id(pk_of(instance, model))


class _InArray(Lookup):
    """``IN`` with one parameter on PostgreSQL, which is the fastest form.

    The parameter is an array. For integers it is sent as text.
    """

    prepare_rhs = False

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, values = self.process_lhs(compiler, connection)
        field = self.lhs.output_field
        if type(field) in INTEGER_FIELDS and max(map(abs, self.rhs)) < BIGINT_LIMIT:
            return f"{column} = ANY(%s::bigint[])", (*values, array_literal(self.rhs))
        array = [field.get_db_prep_value(value, connection) for value in self.rhs]
        return f"{column} = ANY(%s)", (*values, array)


def _narrow(
    model: type[Model], queryset: QuerySet[Any], keys: Sequence[ObjectKey], using: str
) -> Iterator[QuerySet[Any]]:
    pk, uses_arrays = model._meta.pk, get_backend(using).has_arrays
    for chunk in chunk_values(keys):
        pks = [pk.to_python(object_id) for _, object_id in chunk]
        narrowed = queryset.using(using)
        if not uses_arrays:
            yield narrowed.filter(**{f"{pk.name}__in": pks})
        elif _is_plain(narrowed, model):
            # ``filter()`` would add the same condition, but takes longer.
            narrowed.query.where.add(_InArray(pk.get_col(narrowed.query.get_initial_alias()), pks), AND)
            yield narrowed
        else:
            yield narrowed.filter(_InArray(F(pk.name), pks))


def _is_plain(queryset: QuerySet[Any], model: type[Model]) -> bool:
    """Return whether the condition can be added to WHERE directly.

    It can, if the queryset has Django's plain class and the key is a column of its table.
    """
    return (
        type(queryset) is QuerySet
        and type(queryset.query) is Query
        and queryset.model._meta.concrete_model is model
    )


def _as_list(querysets: Any) -> list[Any]:
    if isinstance(querysets, list | tuple):
        return list(querysets)
    raise GroupingError(
        f"The second argument must be the queryset of all posts that this visitor may see, not "
        f"{_type_name(querysets)}. For example: Ad.objects.filter(published=True)."
    )


def _check_queryset(queryset: Any) -> None:
    if not isinstance(queryset, QuerySet):
        raise GroupingError(f"The list of visible posts must contain querysets, not {_type_name(queryset)}.")
    label = queryset.model._meta.label
    if queryset.query.is_sliced:
        raise GroupingError(
            f"The queryset of {label} is sliced. Pass the queryset of all posts that this visitor may see."
        )
    if queryset.query.combinator:
        raise GroupingError(
            f"The queryset of {label} is a union() or similar, which cannot be filtered. Use | or Q."
        )
    if getattr(queryset, "_fields", None) is not None:
        raise GroupingError(
            f"The queryset of {label} uses values() or values_list(). Pass a queryset of model instances."
        )


def _type_name(value: Any) -> str:
    return "nothing (is the variable's name right?)" if value in (None, "") else type(value).__name__
