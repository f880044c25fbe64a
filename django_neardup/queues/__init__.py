"""The doorbell tells a worker that documents wait. A ring may be lost: the database knows what is to be done.

``NEARDUP["default"]["BACKEND"]`` says who hears it: "rq" (django-rq over Redis), "tasks" (Django's own tasks,
from 6.0 on), "inline" (nobody: the work is done in the request) or None (nobody: ``neardup_worker`` looks by
itself).
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

from ..conf import BACKENDS, get_profile
from .base import Bell, Port, drain_everywhere

__all__ = ["drain", "problem", "ring"]

NEEDS = {
    "rq": 'BACKEND "rq" needs django-rq and redis: pip install "path/to/django-neardup[rq]".',
    "tasks": 'BACKEND "tasks" needs Django 6.0 or newer; with 5.2 use "rq", or None and neardup_worker.',
}

_bell = Bell()


def ring(using: str) -> None:
    """Tell the worker that documents of the database ``using`` wait; to be called after the commit.

    Never raises. It holds the caller for 0.4 seconds at the most, and not at all in the ten seconds after a queue
    was found unwell, which is logged once; what was not rung waits for ``neardup_worker --once``. Work that is
    done at once ("inline", ``ASYNC: False``, Django's immediate tasks) takes the time it takes, and tasks kept in
    the site's own database an insert.
    """
    try:
        profile = get_profile()
        if profile.backend is not None:
            _checked_port(profile.backend, profile.queue).ring(_bell, profile.queue, using)
    except Exception as error:
        _bell.hush(error)


def drain(*args: object, **kwargs: object) -> None:
    """The job that RQ runs, by its dotted name: drain every database, then ring again if work is left.

    The mark of a waiting job goes first, so that a post saved from now on rings for a job of its own.
    """
    if "rq" in sys.modules:
        from .rq import clear_mark

        clear_mark()
    drain_everywhere(partial(ring, DEFAULT_DB_ALIAS))


def problem(backend: str | None, queue: str) -> str | None:
    """Why the settings BACKEND and QUEUE cannot work, and what to do about it; None where they can."""
    try:
        if backend is not None:
            _checked_port(backend, queue)
    except ImproperlyConfigured as error:
        return str(error)
    return None


def _checked_port(backend: str, queue: str) -> Port:
    if backend not in BACKENDS:
        raise ImproperlyConfigured(f'BACKEND {backend!r} is unknown: use "rq", "tasks", "inline" or None.')
    try:
        port = cast(Port, import_module(f"{__name__}.{backend}"))
    except ImportError as error:
        raise ImproperlyConfigured(f"{NEEDS.get(backend, backend)} ({error})") from error
    port.check(queue)
    return port


def _forget(*, setting: str, **kwargs: Any) -> None:
    if setting in ("NEARDUP", "RQ_QUEUES", "RQ", "TASKS"):
        _bell.reset()


setting_changed.connect(_forget, dispatch_uid="neardup.queues")
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_bell.reset)
