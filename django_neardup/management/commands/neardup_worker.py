"""The command ``neardup_worker``: a worker that polls the work queue and needs no other queue."""

from __future__ import annotations

import logging
import signal
import threading
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError, close_old_connections, connections

from ...conf import DISABLED, SETTINGS, get_site_settings, is_enabled
from ...exceptions import IndexUnavailable, error_name
from ...index import ship_all
from ...pipeline import drain, has_tables, log_failed_drain, routed_databases
from ...pipeline.availability import has_current_tables
from ...pipeline.periodic_searches import run_due_searches
from ..arguments import add_databases_option
from ..number_format import format_count

logger = logging.getLogger(__name__)

WARN_SECONDS = 600.0
"""Seconds between two lines of the log about one database that is absent or read-only."""

LOOK_SECONDS = 60.0
"""Seconds until tables that were not there are looked for again."""

SLICE_SECONDS = 5.0
"""Maximum seconds of work in one database. Then other databases are served, and a stop signal is obeyed."""

DATABASE_ERRORS = (DatabaseError, InterfaceError)


class _WorkerDatabase:
    """A database that the worker serves. After an error it is paused while the others are served."""

    def __init__(self, using: str) -> None:
        self.using = using
        self._paused_until, self._next_warning = 0.0, 0.0
        self._has_tables, self._next_look = False, 0.0

    def has_tables(self) -> bool:
        """Return whether the database has the tables. Look again after a while if it has not: before ``migrate``."""
        if not self._has_tables and time.monotonic() >= self._next_look:
            self._has_tables = has_tables(self.using)
            self._next_look = time.monotonic() + LOOK_SECONDS
        return self._has_tables

    def may_have_tables(self) -> bool:
        """Return False only if the database answers that it has no tables."""
        try:
            return self.has_tables()
        except DATABASE_ERRORS as error:
            self._pause(error, 0.0)
            return True

    def process_slice(self, poll_seconds: float) -> int:
        """Work for one slice of time.

        Return the number of documents and clusters processed, and of rows that searches found.
        """
        if time.monotonic() < self._paused_until:
            return 0
        try:
            if not self.has_tables():
                return 0
            return drain(self.using, seconds=SLICE_SECONDS).processed + run_due_searches(self.using)
        except DATABASE_ERRORS as error:
            self._pause(error, poll_seconds)
            return 0

    def _pause(self, error: Exception, seconds: float) -> None:
        now = time.monotonic()
        # If a table or column is missing, this logs it, and what to run.
        if self._has_tables and not has_current_tables(self.using):
            self._next_warning = now + WARN_SECONDS
        # A line each poll would fill the disk while a database is away for a night.
        if now >= self._next_warning:
            self._next_warning = now + WARN_SECONDS
            logger.warning(
                "neardup: %s The worker tries again at each poll. This line appears at most every %d minutes.",
                _absence(self.using, error), WARN_SECONDS / 60,
            )  # fmt: skip
        connections[self.using].close()
        self._paused_until = now + seconds


def _absence(using: str, error: Exception) -> str:
    """Return a sentence that says what does not answer."""
    if isinstance(error, IndexUnavailable):
        return f"the key index of the database {using!r} is not available. {error}"
    return f"the database {using!r} is down or read-only ({error_name(error)})."


def parse_poll_seconds(text: str) -> float:
    """Parse a pause in seconds. Raise ArgumentTypeError outside the range of POLL_SECONDS."""
    number, valid_values = float(text), SETTINGS["POLL_SECONDS"].value_type
    if not valid_values.accepts(number):
        raise ArgumentTypeError(f"{text} is out of range. Write {valid_values.description}.")
    return number


class Command(BaseCommand):
    help = (
        "Process the work queue: saved, edited and deleted posts, and groups to repair. The command runs until you "
        "stop it. With --once it ends when the queue is empty: for cron, every minute. Run that also if a queue "
        "starts the worker."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="process the work queue, then exit")
        parser.add_argument(
            "--poll",
            type=parse_poll_seconds,
            metavar="SECONDS",
            help="pause between polls (default: POLL_SECONDS)",
        )
        add_databases_option(parser)

    def handle(
        self, *args: Any, once: bool, poll: float | None, databases: list[str] | None, **options: Any
    ) -> None:
        if not is_enabled():
            if options["verbosity"]:
                self.stdout.write(f"{DISABLED}. {'Nothing was done.' if once else 'Waiting until Ctrl-C.'}")
            if not once:
                # The log of a service would show the line at its end only.
                self.stdout.flush()
                # A supervisor would start a worker that ends again and again.
                _stop_event().wait()
            return
        served = [_WorkerDatabase(using) for using in databases or routed_databases()]
        present = [database for database in served if database.may_have_tables()]
        if not present:
            raise CommandError("No database has the tables of neardup. Run migrate first.")
        if once:
            processed, errors = _drain_all(present)
            if options["verbosity"]:
                self.stdout.write(f"{format_count(processed, 'post')} processed.")
            if errors:
                raise CommandError("Some posts are still pending: " + "; ".join(errors))
            return
        stop = _stop_event()
        if options["verbosity"]:
            names = ", ".join(database.using for database in present)
            self.stdout.write(f"Worker started, databases: {names}. Press Ctrl-C to stop it.")
            # Without a router every database may get the tables, and most never do. So this is no warning.
            if absent := ", ".join(database.using for database in served if database not in present):
                self.stdout.write(f"Databases without the tables of neardup, checked every minute: {absent}.")
        _run_until_stopped(served, poll or get_site_settings().poll_seconds, stop)


def _stop_event() -> threading.Event:
    """Return an event that Ctrl-C and SIGTERM set from now on."""
    stop = threading.Event()
    for signal_number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(signal_number, lambda *_: stop.set())
    return stop


def _drain_all(databases: Sequence[_WorkerDatabase]) -> tuple[int, list[str]]:
    """Process all pending work of each database.

    Return the number of rows processed, and the databases with an error.
    """
    processed, errors = 0, list[str]()
    for database in databases:
        try:
            processed += drain(database.using).processed
            while run_due_searches(database.using):
                processed += drain(database.using).processed
            ship_all(database.using)
        except Exception as error:
            # An error in one database must not keep the others waiting.
            errors.append(log_failed_drain(database.using, error))
    return processed, errors


def _run_until_stopped(
    databases: Sequence[_WorkerDatabase], poll_seconds: float, stop: threading.Event
) -> None:
    while not stop.is_set():
        # Django closes stale connections after a request, and a worker has none.
        close_old_connections()
        if not sum(database.process_slice(poll_seconds) for database in databases if not stop.is_set()):
            stop.wait(poll_seconds)
