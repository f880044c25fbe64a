"""Notification of a worker that documents are pending.

A notification may be lost, because all pending work is in the database. ``NEARDUP["default"]["BACKEND"]``
names the receiver:

- "rq": a job of django-rq over Redis.
- "tasks": Django's own tasks, from Django 6.0 on.
- "inline": none. The work is done in the request.
- None: none. ``neardup_worker`` polls the database.
"""

from __future__ import annotations

import os
import sys
from functools import partial
from importlib import import_module
from typing import Any, cast

from django.core.exceptions import ImproperlyConfigured
from django.core.signals import setting_changed
from django.db import DEFAULT_DB_ALIAS

from ..conf import BACKENDS, get_site_settings, is_enabled
from .base import NotificationBackend, Notifier, drain_all_databases

__all__ = ["configuration_problem", "drain", "notify_worker"]

REQUIREMENTS = {
    "rq": 'BACKEND "rq" needs django-rq and redis: pip install "path/to/django-neardup[rq]".',
    "tasks": 'BACKEND "tasks" needs Django 6.0 or newer; with 5.2 use "rq", or None and neardup_worker.',
}

_notifier = Notifier()


def notify_worker(using: str) -> None:
    """Notify a worker that documents in the database ``using`` are pending.

    Call it after the commit.

    Never raise. Block the caller for at most 0.4 seconds. In the ten seconds after a queue failed, do not
    block at all; the failure is logged once. If a notification is not sent, ``neardup_worker --once`` finds
    the work. Send none while ``NEARDUP_ENABLED`` is False: no worker would do the work.

    Two cases take longer. Work in the same process ("inline", ``ASYNC: False``, Django's immediate tasks)
    blocks until it is done. Tasks in the site's own database take one insert.
    """
    if not is_enabled():
        return
    try:
        site = get_site_settings()
        if site.backend is not None:
            _load_backend(site.backend, site.queue).notify(_notifier, site.queue, using)
    except Exception as error:
        # A failed notification must not fail the save: the documents are marked in the database.
        _notifier.suspend(error)


def drain(*args: object, **kwargs: object) -> None:
    """Drain every database, then notify again if work is left.

    RQ runs this function by its dotted name.
    """
    # The marker goes before the database is read, so that a post saved from now on enqueues its own job.
    if "rq" in sys.modules:
        from .rq import delete_marker

        delete_marker()
    drain_all_databases(partial(notify_worker, DEFAULT_DB_ALIAS))


def configuration_problem(backend: str | None, queue: str) -> str | None:
    """Return why BACKEND and QUEUE cannot work and how to fix that. Return None if they can."""
    try:
        if backend is not None:
            _load_backend(backend, queue)
    except ImproperlyConfigured as error:
        return str(error)
    return None


def _load_backend(backend: str, queue: str) -> NotificationBackend:
    if backend not in BACKENDS:
        raise ImproperlyConfigured(f'BACKEND {backend!r} is unknown: use "rq", "tasks", "inline" or None.')
    try:
        backend_module = cast(NotificationBackend, import_module(f"{__name__}.{backend}"))
    except ImportError as error:
        raise ImproperlyConfigured(f"{REQUIREMENTS.get(backend, backend)} ({error})") from error
    backend_module.check(queue)
    return backend_module


def _on_setting_changed(*, setting: str, **kwargs: Any) -> None:
    if setting in ("NEARDUP", "RQ_QUEUES", "RQ", "TASKS"):
        _notifier.reset()


setting_changed.connect(_on_setting_changed, dispatch_uid="neardup.queues")
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_notifier.reset)
