"""A worker of a test's host. It waits once at a stage of its work, until the test lets it go on.

``python -m tests.host_worker SETTINGS GATE COMMAND …`` runs a command of Django. SETTINGS are those of the profile
"default", as JSON. GATE is a folder: the file ``reached`` says that the worker is at its stage, ``open`` lets it go on.
NEARDUP_TEST_STAGE names the stage. With NEARDUP_TEST_OWN_CLOCK the worker judges leases by its own clock: a control.
"""

from __future__ import annotations

import json
import os
import select
import sys
import time
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import Any

import django
from django.conf import settings
from django.core.management import execute_from_command_line


def wait_at(gate: Path) -> None:
    try:
        if not (gate / "reached").exists():
            (gate / "reached").touch()
            while not (gate / "open").exists():
                time.sleep(0.02)
    except Exception as error:
        # A worker would take this for a fault of a post, and go on.
        print(f"the worker cannot wait: {error!r}", file=sys.stderr, flush=True)
        os._exit(1)


STAGES = {
    "leased": ("django_neardup.pipeline.worker", "process_documents"),
    "stored": ("django_neardup.pipeline.process_documents", "compare_documents"),
    "locked": ("django_neardup.db.queries.documents", "lock_space"),
    "concluded": ("django_neardup.pipeline.process_documents", "finish_many"),
    "sent": ("django_neardup.index.opensearch.shipping", "refresh"),
}
"""By stage: the function that a worker calls there, where it is looked up. "locked" is after the call, in a transaction
that holds a lock; the others are before it."""


def stop_at(stage: str, gate: Path) -> None:
    """Let the worker wait at a stage: before a function, or in the transaction that has just taken a lock."""
    path, name = STAGES[stage]
    module = import_module(path)
    function: Callable[..., Any] = getattr(module, name)

    def wait_and_call(*args: Any, **kwargs: Any) -> Any:
        if stage == "locked":
            function(*args, **kwargs)
            return wait_at(gate)
        wait_at(gate)
        return function(*args, **kwargs)

    setattr(module, name, wait_and_call)


def use_own_clock() -> None:
    """Judge leases by the clock of this process."""
    from django_neardup.db.backends import get_backend

    get_backend("default").__class__.clock = property(lambda self: str(int(time.time() * 1000)))  # type: ignore[assignment]


def pause(seconds: float) -> None:
    select.select([], [], [], seconds)


def main() -> None:
    if "FAKETIME" in os.environ:
        # libfaketime refuses the call by which Python sleeps until a moment of the monotonic clock.
        time.sleep = pause
    profile, gate, *command = sys.argv[1:]
    settings.NEARDUP["default"].update(json.loads(profile))
    django.setup()
    if stage := os.environ.get("NEARDUP_TEST_STAGE"):
        stop_at(stage, Path(gate))
    if os.environ.get("NEARDUP_TEST_OWN_CLOCK"):
        use_own_clock()
    execute_from_command_line(["manage.py", *command])


if __name__ == "__main__":
    main()
