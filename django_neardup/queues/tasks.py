"""The doorbell over Django's own tasks (Django 6.0 and newer), with whichever backend the site has chosen.

Rings are not coalesced: no backend can say whether a task that has not begun yet is waiting. A task that
finds nothing to do costs a few queries.
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

from .base import Bell, drain_everywhere
from .inline import drain_now


@task(queue_name=min(default_task_backend.queues, default=DEFAULT_TASK_QUEUE_NAME))
def drain() -> None:
    """Drain every database, then ring again if work is left."""
    from . import ring as ring_again

    drain_everywhere(partial(ring_again, DEFAULT_DB_ALIAS))


def check(queue: str) -> None:
    """The queue must be one of those that the site's task backend serves."""
    try:
        drain.using(queue_name=queue)
    except InvalidTask as error:
        raise ImproperlyConfigured(f"TASKS does not serve the queue {queue!r} of NEARDUP: {error}") from error


def ring(bell: Bell, queue: str, using: str) -> None:
    """Enqueue the task: here where that is quick by nature, else with a bound in time. Where it would run at once, in
    a request whose connections the task must not touch, the work is done as by "inline"."""
    wanted = drain.using(queue_name=queue)
    backend = wanted.get_backend()
    if isinstance(backend, ImmediateBackend):
        drain_now(using)
    elif _needs_no_network(backend):
        bell.press(wanted.enqueue, bounded=False)
    else:
        bell.press(partial(_enqueue_elsewhere, wanted))


def _needs_no_network(backend: Any) -> bool:
    """Whether the backend drops tasks, or keeps them in a model (as quick as the save)."""
    if isinstance(backend, DummyBackend):
        return True
    homes = (apps.get_containing_app_config(ancestor.__module__) for ancestor in type(backend).__mro__)
    return any(home is not None and any(home.get_models()) for home in homes)


def _enqueue_elsewhere(wanted: Any) -> None:
    """Enqueue in a thread of its own, and leave no database connection behind with it."""
    try:
        wanted.enqueue()
    finally:
        connections.close_all()
