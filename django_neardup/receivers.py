"""What a save and a deletion do: one small upsert, one ring after the commit. Neither ever fails the request."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection
from functools import cache, wraps
from typing import Any

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import Error, models, transaction
from django.db.models.signals import post_delete, post_save

from .adapters import Adapter, adapters_of
from .pipeline.ledger import mark_key
from .pipeline.objects import key_of
from .queues import ring

logger = logging.getLogger(__name__)


def connect() -> None:
    """Listen to every registered model, its proxies and its children; to no other (fast deletions stay fast)."""
    for model in apps.get_models(include_auto_created=True):
        if adapters_of(model):
            listen(model)


def listen(model: type[models.Model]) -> None:
    """Listen to that model."""
    uid = f"neardup.{model._meta.label}"
    post_save.connect(saved, sender=model, dispatch_uid=uid)
    post_delete.connect(deleted, sender=model, dispatch_uid=uid)


def saved(
    sender: type[models.Model],
    instance: models.Model,
    using: str,
    update_fields: Collection[str] | None = None,
    **kwargs: Any,
) -> None:
    """``post_save``: marks the document, unless only fields were written that nobody watches."""
    for adapter in adapters_of(sender):
        if update_fields is None or adapter.watched & set(update_fields):
            _mark(adapter, key_of(instance, adapter.model), using)


def deleted(sender: type[models.Model], instance: models.Model, using: str, **kwargs: Any) -> None:
    """``post_delete``: marks the document; its turn finds the object gone."""
    for adapter in adapters_of(sender):
        _mark(adapter, key_of(instance, adapter.model), using)


def _mark(adapter: Adapter, key: Any, using: str) -> None:
    connection = transaction.get_connection(using)
    try:
        if connection.get_autocommit():
            mark_key(adapter, key, using)
        else:
            with transaction.atomic(using=using):
                mark_key(adapter, key, using)
    except (Error, ImproperlyConfigured) as error:
        if connection.in_atomic_block and connection.needs_rollback:
            raise  # no savepoint is left: the server has undone the save itself, and a silent one would be lost
        logger.error(
            "neardup: %s %s is saved but not marked (%s: %s); neardup_index --reconcile will find it",
            adapter.model._meta.label, key, type(error).__name__, error,
        )  # fmt: skip
        return
    _ring_after_commit(using)


def _ring_after_commit(using: str) -> None:
    """One ring a transaction is enough: the bell already hung last is not hung again.

    A transaction managed by hand tells nobody of its commit: what it marked waits for the next ring."""
    connection = transaction.get_connection(using)
    bell, waiting = _bell(using), connection.run_on_commit
    if not connection.in_atomic_block and not connection.get_autocommit():
        return
    if not waiting or waiting[-1][1] is not bell:
        transaction.on_commit(bell, using=using, robust=True)


@cache
def _bell(using: str) -> Callable[[], None]:
    @wraps(ring)  # Django logs the name of what has failed, which a partial has not
    def bell() -> None:
        ring(using)

    return bell
