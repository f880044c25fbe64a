"""Processes that share the work of building an index."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import TYPE_CHECKING, Any

from .interrupts import interrupted_between_steps

if TYPE_CHECKING:
    from ..pipeline.backfill import PostCounts

SETTINGS_VARIABLE = "DJANGO_SETTINGS_MODULE"


def can_start_processes() -> bool:
    """Return whether a new process would find the settings."""
    return SETTINGS_VARIABLE in os.environ


@contextmanager
def index_processes(
    process_count: int, label: str, using: str, number: int, posts: int
) -> Iterator[list[Any]]:
    """Start processes that work on one pass through a model. They end with the context.

    ``number`` is the number of the pass, ``posts`` the size of a range.
    """
    # A forked process would inherit open connections of this one.
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(
            target=_run_index_process, args=(label, using, number, posts), name=f"neardup_index {label}"
        )
        for _ in range(process_count)
    ]
    try:
        with _ignored_interrupts():
            for process in processes:
                process.start()
        yield processes
    finally:
        started = [process for process in processes if process.pid is not None]
        for process in started:
            process.terminate()
        for process in started:
            process.join()


@contextmanager
def _ignored_interrupts() -> Iterator[None]:
    """Ignore Ctrl-C. Processes that are started meanwhile ignore it from their first line on.

    Ctrl-C reaches all processes of a terminal, and the command ends its own.
    """
    # Only this thread may set a handler.
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    handler = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, handler)


def _run_index_process(label: str, using: str, number: int, posts: int) -> None:
    """Work in a new process. Django is imported here."""
    # ``terminate()`` of the parent ends the process between two batches.
    with interrupted_between_steps(signal.SIGTERM, partial(SystemExit, 1)) as check_terminated:
        _process_ranges(label, using, number, posts, check_terminated)


def _process_ranges(
    label: str, using: str, number: int, posts: int, check_terminated: Callable[[], None]
) -> None:
    import django

    django.setup()
    from django.apps import apps

    from ..adapters import adapter_for
    from ..pipeline.backfill import begin_pass, process_ranges

    work = begin_pass(adapter_for(apps.get_model(label)), using, join=True)
    # Another command may have begun a new pass since.
    if work is None or work.number != number:
        return

    def report(phase: str, counts: PostCounts) -> None:
        check_terminated()
        _exit_if_orphaned()

    process_ranges(work, posts, report)


def _exit_if_orphaned() -> None:
    # A killed command cannot end its processes.
    parent = multiprocessing.parent_process()
    if parent is not None and not parent.is_alive():
        sys.exit(1)
