"""What a visitor may see: every list of ours is cut to the querysets given here, and counted afterwards."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Sequence
from copy import copy
from typing import Any, TypeAlias, TypeVar

from django.db import connections, router
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
from .exceptions import NeardupError
from .narrowing import narrowable
from .pipeline.objects import canonical_id
from .portions import portions
from .storage.postgresql import array

Key: TypeAlias = tuple[type[Model], str]
"""An object: the model of its adapter (its own, where it has none) and its canonical id."""

Querysets: TypeAlias = QuerySet[Any] | Iterable[QuerySet[Any]]
Item = TypeVar("Item")

CHUNK = 10_000
"""Values in one statement: SQLite takes 32 766."""

BIGINT = 2**63
"""One more than PostgreSQL's largest number of that type."""

INTEGERS = {AutoField, BigAutoField, IntegerField, BigIntegerField}
"""Fields that give the database their values as they are; those derived from them may give others."""


class GroupingError(NeardupError, TypeError):
    """What was given to be grouped, or as what may be seen, cannot serve; the message says what can."""


def key_of(instance: Model) -> Key:
    """By what an object is known here; ``GroupingError`` for what is no model instance."""
    if not isinstance(instance, Model):
        raise GroupingError(
            f"The objects must be model instances, not {type(instance).__name__}: pass a queryset, a page or "
            "a list of them, without values() or values_list(); of a search engine's results their objects."
        )
    root = root_of(type(instance))
    return root, _id_of(instance, root)


def keys_of(instances: Iterable[Model]) -> list[Key]:
    """``key_of`` each of them; the adapter of a model is looked up once."""
    roots: dict[type[Model], type[Model]] = {}
    found = []
    for instance in instances:
        root = roots.get(type(instance))
        if root is None:
            root = roots[type(instance)] = key_of(instance)[0]
        found.append((root, _id_of(instance, root)))
    return found


def home_of(instance: Model, alias: str | None = None) -> str:
    """Where ``save()`` would write the object, or one like it that was read by that alias: of a replica its primary.

    Objects of one key and one home are one object."""
    if alias is not None:
        instance = copy(instance)
        instance._state.db = alias
    home: str = router.db_for_write(type(instance), instance=instance)
    return home


def root_of(model: type[Model]) -> type[Model]:
    """The model whose adapter speaks for that one; without an adapter its concrete model."""
    found = adapters_of(model)
    return found[0].model if found else model._meta.concrete_model or model


def in_chunks(values: Sequence[Item]) -> Iterator[Sequence[Item]]:
    """The values in portions that every database takes in one statement."""
    return portions(values, CHUNK)


class Visible:
    """One queryset a model; ``GroupingError`` where one cannot be narrowed down."""

    def __init__(self, visible: Querysets) -> None:
        self._querysets: dict[type[Model], QuerySet[Any]] = {}
        for queryset in [visible] if isinstance(visible, QuerySet) else _listed(visible):
            _check(queryset)
            root = root_of(queryset.model)
            if root in self._querysets:
                raise GroupingError(
                    f"There are two querysets of {queryset.model._meta.label}: give one, joined with |."
                )
            self._querysets[root] = narrowable(queryset)

    def __getstate__(self) -> dict[str, Any]:
        """A pickle holds what may be seen as it was said: none of it is read."""
        return {"said": {root: _unread(each) for root, each in self._querysets.items()}}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self._querysets = {root: each.all() for root, each in state["said"].items()}

    @property
    def registered(self) -> list[type[Model]]:
        """The models with an adapter."""
        return [model for model in self._querysets if adapters_of(model)]

    def of(self, model: type[Model]) -> QuerySet[Any] | None:
        """The queryset of that model's objects, which an adapter speaks for or none; None where there is none."""
        return self._querysets.get(model)

    def covers(self, key: Key) -> bool:
        """Whether there is a queryset for objects of that kind."""
        return key[0] in self._querysets

    def held(self, keys: Iterable[Key], using: str) -> dict[Key, None]:
        """Those objects that may be seen, in the queryset's order or, without one, as they were given."""
        wanted = dict.fromkeys(keys)
        found: dict[Key, None] = {}
        for model, queryset in self._querysets.items():
            own = [key for key in wanted if key[0] is model]
            present = {
                (model, canonical_id(pk)): None
                for part in _narrowed(model, queryset, own, using)
                for pk in part.values_list(model._meta.pk.name, flat=True)
            }
            found |= _both(present, wanted) if queryset.ordered else _both(own, present)
        return found

    def fetch(self, keys: Iterable[Key], using: str) -> dict[Key, Model]:
        """Those of the objects that may be seen, as the querysets give them."""
        wanted = list(keys)
        return {
            (model, _id_of(instance, model)): instance
            for model, queryset in self._querysets.items()
            for part in _narrowed(model, queryset, [key for key in wanted if key[0] is model], using)
            for instance in part
        }


def _unread(queryset: Any) -> QuerySet[Any]:
    """The same for a pickle, which reads a queryset that holds no rows yet."""
    found = queryset.all()
    found._result_cache, found._prefetch_done = [], True
    unread: QuerySet[Any] = found
    return unread


def _both(keys: Iterable[Key], others: Container[Key]) -> dict[Key, None]:
    """Those of the keys that are among the others too, in their order."""
    return {key: None for key in keys if key in others}


def _id_of(instance: Model, root: type[Model]) -> str:
    """A child of a registered parent goes by its parent's key."""
    return canonical_id(getattr(instance, root._meta.pk.attname))


class _Among(Lookup):
    """``IN`` as PostgreSQL takes it soonest: the values are one parameter, an array, and numbers in it a text."""

    prepare_rhs = False

    def as_sql(self, compiler: SQLCompiler, connection: Any) -> tuple[str, tuple[Any, ...]]:
        column, values = self.process_lhs(compiler, connection)
        field = self.lhs.output_field
        if type(field) in INTEGERS and max(map(abs, self.rhs)) < BIGINT:
            return f"{column} = ANY(%s::bigint[])", (*values, array(self.rhs))
        listed = [field.get_db_prep_value(value, connection) for value in self.rhs]
        return f"{column} = ANY(%s)", (*values, listed)


def _narrowed(
    root: type[Model], queryset: QuerySet[Any], keys: Sequence[Key], using: str
) -> Iterator[QuerySet[Any]]:
    key, arrays = root._meta.pk, connections[using].vendor == "postgresql"
    for chunk in in_chunks(keys):
        wanted = [key.to_python(object_id) for _, object_id in chunk]
        found = queryset.using(using)
        if not arrays:
            yield found.filter(**{f"{key.name}__in": wanted})
        elif _is_plain(found, root):
            found.query.where.add(_Among(key.get_col(found.query.get_initial_alias()), wanted), AND)
            yield found
        else:
            yield found.filter(_Among(F(key.name), wanted))


def _is_plain(queryset: QuerySet[Any], root: type[Model]) -> bool:
    """Whether the key is the table's own and ``filter()``, which takes its time, would just add to WHERE."""
    return (
        type(queryset) is QuerySet
        and type(queryset.query) is Query
        and queryset.model._meta.concrete_model is root
    )


def _listed(visible: Any) -> list[Any]:
    if isinstance(visible, list | tuple):
        return list(visible)
    raise GroupingError(
        f"The second argument must be the queryset of all that this visitor may see, not {_name(visible)}: "
        "for example Ad.objects.filter(published=True)."
    )


def _check(queryset: Any) -> None:
    if not isinstance(queryset, QuerySet):
        raise GroupingError(f"A list of what may be seen must hold querysets, not {_name(queryset)}.")
    label = queryset.model._meta.label
    if queryset.query.is_sliced:
        raise GroupingError(
            f"The queryset of {label} is sliced: give it whole, it says what may be seen, not how many."
        )
    if queryset.query.combinator:
        raise GroupingError(
            f"The queryset of {label} comes of union() or the like, which cannot be filtered: use | or Q."
        )
    if getattr(queryset, "_fields", None) is not None:
        raise GroupingError(
            f"The queryset of {label} comes of values() or values_list(): give one of model instances."
        )


def _name(value: Any) -> str:
    return "nothing (is the variable's name right?)" if value in (None, "") else type(value).__name__
