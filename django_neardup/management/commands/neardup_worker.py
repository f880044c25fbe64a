"""The worker that needs no queue: it polls the ledger."""

from __future__ import annotations

import logging
import signal
import threading
import time
from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError, close_old_connections, connections

from ...checks.profiles import in_words, is_number
from ...conf import get_profile
from ...pipeline import drain, holds_tables, own_databases
from ...pipeline.memory import purge
from ...pipeline.reconcile import find_missing
from ..arguments import add_databases
from ..figures import counted

logger = logging.getLogger(__name__)

IDLE_PASS = 30.0
"""Seconds between two looks for objects without a document."""

PURGE_PASS = 600.0
"""Seconds between two looks for deleted posts that are to be forgotten, while none is found."""

SLICE = 5.0
"""Seconds of work in one database at most, before others have their turn and a signal to stop is obeyed."""

UNWELL = (DatabaseError, InterfaceError)


class _Home:
    """A database as the worker sees to it. While it is unwell the others have their turns."""

    def __init__(self, using: str) -> None:
        self.using = using
        self._cursors: dict[str, Any] = {}
        self._looked, self._purged = time.monotonic(), -PURGE_PASS
        self._rests_until = 0.0

    @cached_property
    def holds_tables(self) -> bool:
        return holds_tables(self.using)

    def may_hold_tables(self) -> bool:
        """False only where the database says so."""
        try:
            return self.holds_tables
        except UNWELL as error:
            self._rest(error, 0.0)
            return True

    def work(self, poll: float) -> int:
        """Work for a slice of time; how much was done."""
        if time.monotonic() < self._rests_until:
            return 0
        try:
            return self._turns() + self._forgotten() if self.holds_tables else 0
        except UNWELL as error:
            self._rest(error, poll)
            return 0

    def _turns(self) -> int:
        turns = drain(self.using, seconds=SLICE).turns
        if not turns and time.monotonic() - self._looked > IDLE_PASS:
            self._looked = time.monotonic()
            turns = find_missing(self.using, cursors=self._cursors)
        return turns

    def _forgotten(self) -> int:
        if time.monotonic() - self._purged <= PURGE_PASS:
            return 0
        forgotten = purge(self.using)
        self._purged = self._purged if forgotten else time.monotonic()
        return forgotten

    def _rest(self, error: Exception, seconds: float) -> None:
        logger.warning("neardup: the database %r is unwell, trying again: %s", self.using, error)
        connections[self.using].close()
        self._rests_until = time.monotonic() + seconds


def seconds(text: str) -> float:
    """A pause that POLL_SECONDS may be, too, as an option of the command."""
    number = float(text)
    if not is_number("POLL_SECONDS", number):
        raise ArgumentTypeError(f"{text} is out of its range. {in_words('POLL_SECONDS')}")
    return number


class Command(BaseCommand):
    help = (
        "Work off what waits: posts that were saved, edited or deleted, and clusters to repair. Runs until it is "
        "stopped; with --once until nothing waits, for cron (every minute, where a queue rings the worker too)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="work off what waits, then end")
        parser.add_argument(
            "--poll", type=seconds, metavar="SECONDS", help="pause between two looks (default: POLL_SECONDS)"
        )
        add_databases(parser)

    def handle(
        self, *args: Any, once: bool, poll: float | None, databases: list[str] | None, **options: Any
    ) -> None:
        homes = [_Home(using) for using in databases or own_databases()]
        homes = [home for home in homes if home.may_hold_tables()]
        if not homes:
            raise CommandError("No database holds the tables of neardup: run migrate first.")
        if once:
            turns, faults = _drain_each(homes)
            if options["verbosity"]:
                self.stdout.write(f"{counted(turns, 'turn')} taken.")
            if faults:
                raise faults[0]
            return
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        if options["verbosity"]:
            names = ", ".join(home.using for home in homes)
            self.stdout.write(f"neardup worker on {names}; Ctrl-C stops it.")
        _work(homes, poll or get_profile().poll_seconds, stop)


def _drain_each(homes: Sequence[_Home]) -> tuple[int, list[Exception]]:
    """Work off what waits in each; the turns taken, and the faults, none of which keeps the others waiting."""
    turns, faults = 0, list[Exception]()
    for home in homes:
        try:
            turns += drain(home.using).turns
        except Exception as error:
            logger.error("neardup: the database %r was not drained: %s", home.using, error)
            faults.append(error)
    return turns, faults


def _work(homes: Sequence[_Home], poll: float, stop: threading.Event) -> None:
    while not stop.is_set():
        close_old_connections()
        if not sum(home.work(poll) for home in homes if not stop.is_set()):
            stop.wait(poll)
