"""Mark a post's document when the post is saved or deleted.

This takes one small statement, in autocommit two, and one notification after the commit. They never make the
request fail.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import cache, wraps
from typing import Any

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, models, transaction
from django.db.models.signals import post_delete, post_save, pre_save

from ..adapters import Adapter, adapters_of
from ..conf import marks_saved_posts
from ..db.transactions import call_after_commit
from ..exceptions import error_name
from ..queues import notify_worker
from . import boilerplate_store
from .availability import has_current_tables
from .content_objects import pk_of
from .failed_marks import Mark, failed_marks
from .open_saves import note_save, take_note
from .work_queue import mark_key

logger = logging.getLogger(__name__)


def connect() -> None:
    """Connect the handlers to every registered model, its proxies and its children."""
    # Never connect to all senders: with a listener for ``post_delete``, Django no longer deletes a model's
    # rows in one statement.
    for model in apps.get_models(include_auto_created=True):
        if adapters_of(model):
            connect_model(model)
    boilerplate_store.connect()


def connect_model(model: type[models.Model]) -> None:
    """Connect the handlers to this model."""
    uid = f"neardup.{model._meta.label}"
    pre_save.connect(on_pre_save, sender=model, dispatch_uid=uid)
    post_save.connect(on_post_save, sender=model, dispatch_uid=uid)
    post_delete.connect(on_post_delete, sender=model, dispatch_uid=uid)
    for translation_model in _translation_models(model):
        uid = f"neardup.{translation_model._meta.label}"
        pre_save.connect(before_translation_change, sender=translation_model, dispatch_uid=uid)
        post_save.connect(on_translation_change, sender=translation_model, dispatch_uid=uid)
        post_delete.connect(on_translation_change, sender=translation_model, dispatch_uid=uid)


def _translation_models(model: type[models.Model]) -> list[Any]:
    """Return the models of django-parler whose rows hold the texts of a model, one for each language."""
    options: Any = getattr(model, "_parler_meta", None)
    return list(options.get_all_models()) if options else []


def on_pre_save(
    sender: type[models.Model],
    instance: models.Model,
    using: str,
    update_fields: Collection[str] | None = None,
    **kwargs: Any,
) -> None:
    """Note that a save begins, if no transaction ties its mark to it.

    Do nothing if ``update_fields`` names only fields that the adapter does not watch.
    """
    for adapter in _watching_adapters(sender, update_fields):
        note_save(adapter, instance, pk_of(instance, adapter.model), using)


def on_post_save(
    sender: type[models.Model],
    instance: models.Model,
    using: str,
    update_fields: Collection[str] | None = None,
    **kwargs: Any,
) -> None:
    """Mark the documents of a saved object.

    Do nothing if ``update_fields`` names only fields that the adapter does not watch.
    """
    for adapter in _watching_adapters(sender, update_fields):
        key = pk_of(instance, adapter.model)
        _mark_and_notify(adapter, key, using, ends_save=take_note(adapter, instance, key, using))


def _watching_adapters(sender: type[models.Model], update_fields: Collection[str] | None) -> list[Adapter]:
    """Return the adapters that watch one of the saved fields. ``update_fields``: None if all are saved."""
    return [
        adapter
        for adapter in adapters_of(sender)
        if update_fields is None or adapter.watched & set(update_fields)
    ]


def on_post_delete(sender: type[models.Model], instance: models.Model, using: str, **kwargs: Any) -> None:
    """Mark the documents of a deleted object. The worker then finds that the object is gone."""
    for adapter in adapters_of(sender):
        _mark_and_notify(adapter, pk_of(instance, adapter.model), using)


def before_translation_change(sender: Any, instance: Any, using: str, **kwargs: Any) -> None:
    """Note that a save of a translation begins."""
    for adapter in adapters_of(sender._meta.get_field("master").related_model):
        note_save(adapter, instance, instance.master_id, using)


def on_translation_change(sender: Any, instance: Any, using: str, **kwargs: Any) -> None:
    """Mark the documents of an object when one of its translations was saved or deleted."""
    # The package saves translations after the object: a worker may have read the old ones already.
    for adapter in adapters_of(sender._meta.get_field("master").related_model):
        key = instance.master_id
        _mark_and_notify(adapter, key, using, ends_save=take_note(adapter, instance, key, using))


def _mark_and_notify(adapter: Adapter, key: Any, using: str, *, ends_save: bool = False) -> None:
    connection = transaction.get_connection(using)
    try:
        if not marks_saved_posts():
            return
        if connection.get_autocommit():
            mark_key(adapter, key, using, ends_save=ends_save)
        else:
            # A savepoint: PostgreSQL refuses every further statement of a transaction in which one failed.
            with transaction.atomic(using=using):
                mark_key(adapter, key, using)
    except ImproperlyConfigured as error:
        logger.error(
            "neardup: %s %s was saved, but not marked as pending: %s", adapter.model._meta.label, key, error
        )
        return
    except Error as error:
        if connection.in_atomic_block and connection.needs_rollback:
            # A deadlock on MariaDB undoes the whole transaction, the save included. Without the error the
            # site would believe that the post is saved.
            raise
        is_reported = _reports_commit(using)
        schema = getattr(connection, "schema_name", None)
        mark = Mark(adapter, key, using, is_committed=is_reported, schema=schema)
        if is_reported:
            # Before the commit a worker would read the former text.
            call_after_commit(using, _mark_again, mark, error_name(error))
        else:
            _mark_again(mark, error_name(error))
        return
    _notify_after_commit(using)


def _reports_commit(using: str) -> bool:
    """Return whether Django calls back after the commit: never in a transaction that the caller manages by hand."""
    connection = transaction.get_connection(using)
    return bool(connection.get_autocommit() or (connection.in_atomic_block and connection.commit_on_exit))


def _mark_again(mark: Mark, reason: str) -> None:
    if not has_current_tables(mark.using):
        # A line has said so for all posts. Until the tables are there no save waits.
        failed_marks(mark.using).add(mark, wait_seconds=0.0)
    elif failed_marks(mark.using).add(mark):
        logger.warning("neardup: %s was marked as pending at the second attempt (%s)", mark, reason)
    else:
        logger.error(
            "neardup: %s was saved, but not marked as pending (%s). This process will try again.",
            mark,
            reason,
        )


def _notify_after_commit(using: str) -> None:
    """Register at most one notification for the current transaction.

    Do nothing in a transaction that the caller manages by hand: Django never reports its commit. Its
    documents wait for the next notification.
    """
    notify, callbacks = _notification_callback(using), transaction.get_connection(using).run_on_commit
    if not _reports_commit(using):
        return
    # One notification per transaction is enough. Looking at the last callback is cheap, even if thousands of
    # posts are saved.
    if not callbacks or callbacks[-1][1] is not notify:
        transaction.on_commit(notify, using=using, robust=True)


@cache
def _notification_callback(using: str) -> Callable[[], None]:
    # Django logs the ``__qualname__`` of a failed callback. ``functools.partial`` has none.
    @wraps(notify_worker)
    def notify() -> None:
        notify_worker(using)

    return notify
