"""What is asked: a text or an object of a registered model, where it is looked for, and who may see what."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import router
from django.db.models import Model

from ..adapters import Adapter, Source, adapter_for
from ..visibility import (
    GroupingError,
    ObjectKey,
    Querysets,
    VisibilityFilter,
    object_key,
    write_database,
)


@dataclass(frozen=True)
class SearchQuery:
    """A text to look up. ``key``: the saved object that it is of, which never finds itself."""

    adapter: Adapter
    source: Source
    key: ObjectKey | None = None


@dataclass(frozen=True)
class SearchContext:
    """What holds for all texts of one call. ``open``: the caller has not said what may be seen."""

    adapter: Adapter
    visibility: VisibilityFilter
    using: str
    author: str
    scope: tuple[str, ...]
    limit: int
    is_unrestricted: bool = False

    def build_query(self, item: Any) -> SearchQuery:
        """One of the texts or objects; ``TypeError`` for anything else, ``GroupingError`` for a text without its
        scope."""
        if isinstance(item, str):
            return SearchQuery(self.adapter, self._source_of_text(item))
        if not isinstance(item, Model):
            raise TypeError(
                f"What is checked is a text or an object of {self._model_label}, not {type(item).__name__}."
            )
        if adapter_for(item) is not self.adapter:
            raise TypeError(f"{item._meta.label} is not compared as {self._model_label}: pass its own model.")
        source = self.adapter.source(item, compared=True, live=True)
        return SearchQuery(self.adapter, source, object_key(item) if self._is_in_database(item) else None)

    def _is_in_database(self, item: Model) -> bool:
        """Whether the object is among those that are looked through: it may have been read by another alias."""
        if item._state.adding or item._state.db in (None, self.using):
            return not item._state.adding
        return write_database(item) == write_database(item, self.using)

    @property
    def _model_label(self) -> str:
        return self.adapter.model._meta.label

    def _source_of_text(self, text: str) -> Source:
        if len(self.scope) != len(self.adapter.scope):
            raise GroupingError(
                f"{self._model_label} is compared inside one scope: a plain text needs scope=, a value for each of "
                f"{list(self.adapter.scope)}, not {list(self.scope)}; an object brings its own."
            )
        return Source(str(text), (), (), self.scope, self.author, True, True, ())


def build_search_context(
    item: Any,
    model: type[Model] | None,
    *,
    visible: Querysets | None,
    limit: int,
    author: Any,
    scope: Iterable[Any],
    using: str | None,
) -> SearchContext:
    """What is asked by those arguments; ``item`` tells the model and the database where it is an object."""
    adapter = adapter_for(_search_model(item, model))
    alias = (
        using or (item._state.db if isinstance(item, Model) else None) or router.db_for_read(adapter.model)
    )
    allowed = VisibilityFilter(
        [each.live() for each in adapter.partner_adapters] if visible is None else visible
    )
    if isinstance(author, Model):
        author = author.pk
    return SearchContext(
        adapter, allowed, alias, _to_text(author), _scope_values(scope), _check_limit(limit), visible is None
    )


def _search_model(item: Any, model: Any) -> type[Model]:
    if model is None and isinstance(item, Model):
        return type(item)
    if isinstance(model, type) and issubclass(model, Model):
        return model
    given = "no model" if model is None else repr(model)
    raise TypeError(
        f"A text is looked up among the objects of a model, and {given} was given: pass the class."
    )


def _scope_values(scope: Iterable[Any]) -> tuple[str, ...]:
    values: Sequence[Any] = (scope,) if isinstance(scope, str) else tuple(scope)
    return tuple(map(_to_text, values))


def _to_text(value: Any) -> str:
    return "" if value is None else str(value)


def _check_limit(limit: int) -> int:
    if not isinstance(limit, int) or limit < 0:
        raise ValueError(f"limit is {limit!r}: it is a number from 0 on")
    return min(limit, sys.maxsize)
