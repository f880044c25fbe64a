"""Processes that share an index run: started anew, so that none inherits a connection of another."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

SETTINGS = "DJANGO_SETTINGS_MODULE"


def can_start() -> bool:
    """Whether a new process would find the settings."""
    return SETTINGS in os.environ


@contextmanager
def sharing(processes: int, label: str, using: str, number: int, posts: int) -> Iterator[list[Any]]:
    """So many processes that work off the pass of that number through that model; they end with the context."""
    context = multiprocessing.get_context("spawn")
    started = [
        context.Process(target=_share, args=(label, using, number, posts), name=f"neardup_index {label}")
        for _ in range(processes)
    ]
    try:
        for process in started:
            process.start()
        yield started
    finally:
        for process in started:
            if process.pid is not None:
                process.terminate()
                process.join()


def _share(label: str, using: str, number: int, posts: int) -> None:
    """One of the processes: everything of Django is imported here."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    import django

    django.setup()
    from django.apps import apps

    from ..adapters import adapter_for
    from ..pipeline.runs import begin, index

    work = begin(adapter_for(apps.get_model(label)), using, join=True)
    if work is not None and work.number == number:
        index(work, posts, lambda phase, through: _end_with_parent())


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        sys.exit(1)
