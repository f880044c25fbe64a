"""The arguments of a search: a text or an object, the database, and the posts that the caller may see."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import router
from django.db.models import Model

from ..adapters import Adapter, Source, adapter_for
from ..comparison.work_limit import OWN_LETTER_UNITS
from ..visibility import (
    GroupingError,
    ObjectKey,
    Querysets,
    VisibilityFilter,
    object_key,
    write_database,
)

MAX_ALIGNED = 10
"""Maximum number of posts that one text is aligned with."""

SEARCH_UNITS = 900_000
"""Work of a look-up and of the check of a form (see ``comparison.work_limit``): less than a second."""


@dataclass(frozen=True)
class SearchQuery:
    """A text to look up.

    ``key``: the saved object that it belongs to. An object is never a match for its text.
    """

    adapter: Adapter
    source: Source
    key: ObjectKey | None = None


@dataclass(frozen=True)
class SearchContext:
    """What all texts of one call share.

    - ``is_unrestricted``: the caller has not passed ``visible``.
    - ``units``: the limit of the work for each text (see ``comparison.work_limit``).
    - ``is_for_request``: a visitor waits for the answer. Reading the text itself is part of the work. Exact copies
      take no places of other matches.
    """

    adapter: Adapter
    visibility: VisibilityFilter
    using: str
    author: str
    scope: tuple[str, ...]
    limit: int
    is_unrestricted: bool = False
    units: int = SEARCH_UNITS
    is_for_request: bool = False

    @property
    def match_limit(self) -> int:
        """Return the maximum number of matches."""
        return min(self.limit + MAX_ALIGNED, sys.maxsize) if self.is_for_request else self.limit

    def own_units(self, query: SearchQuery) -> int:
        """Return the counted work of reading the text itself."""
        return OWN_LETTER_UNITS * len(query.source.text) if self.is_for_request else 0

    def can_read(self, query: SearchQuery) -> bool:
        """Return whether the text itself can be read within the limit of work."""
        return self.own_units(query) <= self.units

    def build_query(self, item: Any) -> SearchQuery:
        """Return the query for a text or an object.

        Raise ``TypeError`` for any other type. Raise ``GroupingError`` if a text has no scope.
        """
        if isinstance(item, str):
            return SearchQuery(self.adapter, self._source_of_text(item))
        if not isinstance(item, Model):
            raise TypeError(f"Pass a text or an object of {self._model_label}, not {type(item).__name__}.")
        if adapter_for(item) is not self.adapter:
            raise TypeError(f"{item._meta.label} is not a {self._model_label}. Pass its own model.")
        source = self.adapter.source(item, compared=True, live=True)
        return SearchQuery(self.adapter, source, object_key(item) if self._is_in_database(item) else None)

    def _is_in_database(self, item: Model) -> bool:
        """Return whether the object is in the database that is searched."""
        if item._state.adding or item._state.db in (None, self.using):
            return not item._state.adding
        # The object may have been read through another alias of the same database.
        return write_database(item) == write_database(item, self.using)

    @property
    def _model_label(self) -> str:
        return self.adapter.model._meta.label

    def _source_of_text(self, text: str) -> Source:
        if len(self.scope) != len(self.adapter.scope):
            raise GroupingError(
                f"{self._model_label} is compared only within a scope. For a plain text pass scope= with "
                f"a value for each of {list(self.adapter.scope)}, not {list(self.scope)}."
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
    """Check the arguments of a call. If ``item`` is an object, it determines the model and the database."""
    adapter = adapter_for(_search_model(item, model))
    # A replica may lack the newest posts. It also has no key index outside the database.
    alias = using or (write_database(item) if isinstance(item, Model) else router.db_for_write(adapter.model))
    allowed = VisibilityFilter(
        [partner.live() for partner in adapter.partner_adapters] if visible is None else visible
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
    description = "no model" if model is None else repr(model)
    raise TypeError(f"Pass the class of the model to search in, not {description}.")


def _scope_values(scope: Iterable[Any]) -> tuple[str, ...]:
    values: Sequence[Any] = (scope,) if isinstance(scope, str) else tuple(scope)
    return tuple(map(_to_text, values))


def _to_text(value: Any) -> str:
    return "" if value is None else str(value)


def _check_limit(limit: int) -> int:
    if not isinstance(limit, int) or limit < 0:
        raise ValueError(f"limit is {limit!r}. Pass a whole number, 0 or more.")
    return min(limit, sys.maxsize)
