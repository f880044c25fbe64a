"""What known packages keep beside the rows: search indexes, caches, files.

They are notified of rows that were changed without ``save()``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase
from typing import Any

from django.conf import settings
from django.core.cache import cache
from django.db import models
from django.db.models.signals import ModelSignal, post_delete, post_save
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from ..db.transactions import call_after_commit
from .journal.serialization import RowId, build_instance, deserialize_key, find_model
from .journal.side_effects import load_current_rows
from .relations import ModelType, rows_by_model, rows_in_portions

StoredRow = Mapping[str, Any]
OUTSIDE_MODULES = ("cacheops.*", "haystack.signals")
"""Modules with receivers that write outside the database, which no rollback reaches."""

DERIVING_MODULES = (
    *OUTSIDE_MODULES,
    "modelsearch.signal_handlers",
    "wagtail.search.signal_handlers",
    "wagtail.signal_handlers",
)
"""Modules whose receivers only derive data from a row, so that they may be called at any time."""


def refresh(
    keys_by_model: Mapping[ModelType, Iterable[Any]], using: str, modules: Sequence[str] = DERIVING_MODULES
) -> None:
    """Call the receivers of these modules with the rows that have these keys, so that they update their data."""
    for model, keys in keys_by_model.items():
        receivers = list(receivers_of(post_save, model, modules))
        if not receivers:
            continue
        values = {"created": False, "raw": False, "using": using, "update_fields": None}
        for portion in rows_in_portions(model, list(dict.fromkeys(keys)), using):
            for row in portion:
                for receiver in receivers:
                    receiver(signal=post_save, sender=model, instance=row, **values)


def keys_of_posts(posts: Iterable[models.Model], using: str) -> dict[ModelType, list[Any]]:
    """Return the keys of posts by the models whose receivers know most of them: those without a child model."""
    keys: dict[ModelType, list[Any]] = {}
    for post in posts:
        rows = rows_by_model(post, using)
        for model, row in rows.items():
            if not any(model in other._meta.get_parent_list() for other in rows):
                keys.setdefault(model, []).append(getattr(row, model._meta.pk.attname))
    return keys


def repeat_outside(rows: Mapping[RowId, StoredRow], using: str) -> None:
    """Let receivers that write outside the database hear again what has become of the rows."""
    # A proof brings rows back, which they hear, and its rollback takes the rows away, which they do not.
    for model, heard_rows in rows_heard(post_save, rows, OUTSIDE_MODULES).items():
        current = load_current_rows(heard_rows.values(), using)
        keys = [deserialize_key(model, row["pk"]) for row_id, row in heard_rows.items() if row_id in current]
        refresh({model: keys}, using, OUTSIDE_MODULES)
    for model, heard_rows in rows_heard(post_delete, rows, OUTSIDE_MODULES).items():
        current = load_current_rows(heard_rows.values(), using)
        for receiver in receivers_of(post_delete, model, OUTSIDE_MODULES):
            for row in (row for row_id, row in heard_rows.items() if row_id not in current):
                receiver(signal=post_delete, sender=model, instance=build_instance(row), using=using)


def rows_heard(
    signal: ModelSignal, rows: Mapping[RowId, StoredRow], modules: Sequence[str]
) -> dict[ModelType, dict[RowId, StoredRow]]:
    """Return by model the rows whose signal has receivers in one of the modules."""
    labels = dict.fromkeys(label for label, _key in rows)
    found = [model for model in map(find_model, labels) if model is not None]
    return {
        model: {row_id: row for row_id, row in rows.items() if row_id[0] == model._meta.label_lower}
        for model in found
        if any(receivers_of(signal, model, modules))
    }


def receivers_of(
    signal: ModelSignal, model: ModelType, modules: Sequence[str]
) -> Iterator[Callable[..., Any]]:
    receivers, *_asynchronous = signal._live_receivers(model)
    return (
        receiver
        for receiver in receivers
        if any(fnmatchcase(receiver.__module__, module) for module in modules)
    )


def drop_cached_texts(posts: Iterable[models.Model], using: str) -> None:
    """Drop the cached translations of posts of django-parler, after the commit.

    Not before: a proof has cached what its undo restored, and other processes still read the old rows.
    """
    for post in posts:
        if hasattr(post, "_parler_meta"):
            call_after_commit(using, _drop_cached_translations, post)


def _drop_cached_translations(post: Any) -> None:
    from parler.cache import get_translation_cache_key  # type: ignore[import-not-found]

    # The cache also holds which languages a post does not have.
    languages = {*dict(settings.LANGUAGES), *post.get_available_languages()}
    cache.delete_many(
        get_translation_cache_key(model, post.pk, language)
        for model in post._parler_meta.get_all_models()
        for language in languages
    )


DELETING_MODULES = (
    "django_cleanup.handlers",
    "wagtail.documents.signal_handlers",
    "wagtail.images.signal_handlers",
)
"""Modules whose receivers of ``post_delete`` delete the files of a row, most of them after the commit."""


def lost_files(rows: Mapping[RowId, StoredRow], using: str) -> Iterator[tuple[str, str]]:
    """Yield the files that are deleted with these rows: the label of the model, and the loss in words.

    Rows that still exist lose none.
    """
    message = _("%(model)s: the file %(name)s would be deleted with it and could not be restored.")
    for model, heard_rows in rows_heard(post_delete, rows, DELETING_MODULES).items():
        current = load_current_rows(heard_rows.values(), using)
        deleted_rows = [row for row_id, row in heard_rows.items() if row_id not in current]
        for name in {row["fields"].get(field.name) for row in deleted_rows for field in _file_fields(model)}:
            if name:
                values = {"model": capfirst(model._meta.verbose_name), "name": name}
                yield model._meta.label_lower, message % values


def _file_fields(model: ModelType) -> Iterator[models.FileField]:
    return (field for field in model._meta.local_concrete_fields if isinstance(field, models.FileField))
