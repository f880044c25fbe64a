"""The selection of posts: a model, and which of its posts."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from django.apps import apps
from django.core.exceptions import FieldError, ValidationError
from django.db import models

from ..adapters import Adapter, adapter_for
from ..checks.text_attributes import text_attribute_problem
from ..exceptions import NotRegistered
from ..querysets import filterable
from ..registry import similar_labels

FILTER_ERRORS = (FieldError, ValidationError, ValueError, TypeError, LookupError)
"""Exceptions of a filter with invalid names or values."""
DEFAULT_SAMPLE_SIZE = 5000
"""Posts that are read by default."""


class PreviewError(ValueError):
    """The preview cannot be built. The message says why."""


@dataclass(frozen=True)
class PostSelection:
    """The last ``sample_size`` posts of ``adapter`` by ``order`` (0: all of them).

    They are neighbours in time and not a random sample. Authors post an advert again soon. A random tenth of
    the posts holds both copies only once in a hundred times.
    """

    adapter: Adapter
    sample_size: int = DEFAULT_SAMPLE_SIZE
    order: str = "pk"
    conditions: tuple[tuple[str, str], ...] = ()
    using: str = "default"

    def queryset(self) -> models.QuerySet[Any]:
        """Return all posts that may be selected, without an order.

        Raise PreviewError for invalid conditions.
        """
        posts = filterable(self.adapter.compared()).using(self.using).order_by()
        if not self.conditions:
            return posts
        try:
            matching = posts.filter(**{name: _parse_value(text) for name, text in self.conditions})
            # A condition on a related table may find a post twice.
            selected = posts.filter(pk__in=matching.values("pk"))
            # Some lookups check their values only when the SQL is built.
            str(selected.query)
        except FILTER_ERRORS as error:
            raise PreviewError(f"--where cannot be used: {_error_text(error)}") from error
        return selected

    def select_keys(self) -> list[Any]:
        """Return the primary keys of the posts, the oldest first. Raise PreviewError for an invalid order."""
        descending = [_reverse_order(self.order), *([] if self.order.lstrip("-") == "pk" else ["-pk"])]
        try:
            rows = self.queryset().order_by(*descending).values_list("pk", flat=True)
            keys = list(dict.fromkeys(rows[: self.sample_size] if self.sample_size else rows))
        except FieldError as error:
            raise PreviewError(f"--order cannot be used: {_error_text(error)}") from error
        keys.reverse()
        return keys

    def load_posts(self, keys: Sequence[Any]) -> list[models.Model]:
        """Return the posts that still exist, in the order of the keys."""
        fields = {field.name: field for field in self.adapter.model._meta.concrete_fields}
        related = [name for name in self.adapter.fields if name in fields and fields[name].is_relation]
        rows = self.queryset().select_related(*related) if related else self.queryset()
        posts = {row.pk: row for row in rows.filter(pk__in=keys)}
        return [posts[key] for key in keys if key in posts]


def build_selection(
    label: str,
    fields: Sequence[str] = (),
    *,
    sample: int = DEFAULT_SAMPLE_SIZE,
    order: str | None = None,
    where: Sequence[str] = (),
    language: str | None = None,
    using: str = "default",
) -> PostSelection:
    """Build the selection from the options. Raise PreviewError for an unknown model or field.

    - ``fields``: the text, if there is no adapter or if another text is wanted.
    - ``where``: conditions "name=value", as for ``filter``.
    - ``order``: the field that gives the age of posts. The default is the adapter's ``order``, the model's
      ``get_latest_by``, or the primary key.
    - ``language``: the language of the texts.
    """
    adapter = _build_adapter(_get_model(label), [name for name in fields if name], language)
    conditions = tuple(_parse_condition(condition) for condition in where)
    return PostSelection(adapter, sample, order or _age_field(adapter), conditions, using)


def _get_model(label: str) -> type[models.Model]:
    try:
        model = apps.get_model(label)
    except (LookupError, ValueError):
        near_labels = similar_labels(label)
        suggestion = f" Is it {' or '.join(near_labels)}?" if near_labels else ""
        raise PreviewError(f"There is no model {label!r}. Write app.Model.{suggestion}") from None
    return model


def _build_adapter(model: type[models.Model], fields: Sequence[str], language: str | None) -> Adapter:
    """Return the registered adapter, or a new one.

    ``fields`` replace the text of a registered adapter, and are the text of a new one. Raise PreviewError if
    a field is not text, or if there is neither an adapter nor a field.
    """
    try:
        registered: Adapter | None = adapter_for(model)
    except NotRegistered:
        registered = None
    if registered is not None and fields and registered.model is not model._meta.concrete_model:
        # An adapter of a parent model does not know the fields of the child.
        registered = None
    for name in fields:
        if problem := text_attribute_problem(model, name):
            raise PreviewError(f"{problem[0]}. Its text fields: {', '.join(_text_fields(model)) or 'none'}.")
    if registered is None and not fields:
        suggestion = ",".join(_text_fields(model)) or "..."
        raise PreviewError(
            f"{model._meta.label} has no adapter. Name the text fields: --fields {suggestion}."
        )
    changes: dict[str, Any] = {}
    if fields:
        changes = {"fields": tuple(fields), "text": Adapter.text, "head": Adapter.head}
        if registered is not None and registered.heads:
            count = len(registered.heads)
            changes["heads"] = registered.heads if list(fields[:count]) == list(registered.heads) else ()
    if language:
        changes["language"] = language
    base_class = type(registered) if registered else Adapter
    adapter: Adapter = type(base_class.__name__, (base_class,), changes)(
        registered.model if registered else model
    )
    return adapter


def _text_fields(model: type[models.Model]) -> list[str]:
    """Return the names of fields with text that people wrote."""
    return [
        field.name
        for field in model._meta.concrete_fields
        if isinstance(field, models.CharField | models.TextField) and not field.choices
    ]


def _age_field(adapter: Adapter) -> str:
    """Return the field that gives the age of a post."""
    if adapter.order != "pk":
        return adapter.order
    latest = adapter.model._meta.get_latest_by
    return (latest if isinstance(latest, str) else latest[0]) if latest else "pk"


def _parse_condition(text: str) -> tuple[str, str]:
    name, equals, value = text.partition("=")
    # Lone surrogates, from undecodable arguments, cannot be sent to a database.
    if not equals or not name.strip() or any("\ud800" <= letter <= "\udfff" for letter in text):
        raise PreviewError(f"--where {text!r} is not valid. Write name=value.")
    return name.strip(), value.strip()


def _parse_value(text: str) -> Any:
    return {"true": True, "false": False, "none": None}.get(text.lower(), text)


def _reverse_order(order: str) -> str:
    return order[1:] if order.startswith("-") else f"-{order}"


def _error_text(error: Exception) -> str:
    return "; ".join(getattr(error, "messages", None) or [str(error)])
