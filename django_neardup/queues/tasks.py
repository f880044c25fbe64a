"""Notification over Django's own tasks (Django 6.0 and newer), with the task backend that the site chose.

Each notification enqueues a task, because no backend can report a waiting task. A task without work costs a
few queries.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, connections
from django.tasks import DEFAULT_TASK_QUEUE_NAME, default_task_backend, task
from django.tasks.backends.dummy import DummyBackend
from django.tasks.backends.immediate import ImmediateBackend
from django.tasks.exceptions import InvalidTask

from .base import Notifier, drain_all_databases
from .inline import drain_now


# Django rejects a task whose queue the backend does not serve, so name a queue that it serves.
@task(queue_name=min(default_task_backend.queues, default=DEFAULT_TASK_QUEUE_NAME))
def drain() -> None:
    """Drain every database, then notify again if work is left."""
    from . import notify_worker as ring_again

    drain_all_databases(partial(ring_again, DEFAULT_DB_ALIAS))


def check(queue: str) -> None:
    """Raise ``ImproperlyConfigured`` if the site's task backend does not serve the queue."""
    try:
        drain.using(queue_name=queue)
    except InvalidTask as error:
        raise ImproperlyConfigured(f"TASKS has no queue {queue!r} of NEARDUP: {error}") from error


def notify(notifier: Notifier, queue: str, using: str) -> None:
    """Enqueue the task. A backend that needs the network gets a timeout."""
    queued_task = drain.using(queue_name=queue)
    backend = queued_task.get_backend()
    if isinstance(backend, ImmediateBackend):
        # This backend would run the task within the request, and the task closes connections. So do the
        # work as "inline" does.
        drain_now(using)
    elif _needs_no_network(backend):
        notifier.send(queued_task.enqueue, has_timeout=False)
    else:
        notifier.send(partial(_enqueue_elsewhere, queued_task))


def _needs_no_network(backend: Any) -> bool:
    """Return whether the backend drops tasks or keeps them in a model, which is as fast as the save."""
    if isinstance(backend, DummyBackend):
        return True
    app_configs = (apps.get_containing_app_config(ancestor.__module__) for ancestor in type(backend).__mro__)
    return any(app_config is not None and any(app_config.get_models()) for app_config in app_configs)


def _enqueue_elsewhere(queued_task: Any) -> None:
    """Enqueue the task in another thread and close the database connections of that thread."""
    try:
        queued_task.enqueue()
    finally:
        connections.close_all()
