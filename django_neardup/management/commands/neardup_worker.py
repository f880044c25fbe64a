"""The worker that needs no queue: it polls the ledger."""

from __future__ import annotations

import logging
import signal
import threading
import time
from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import InterfaceError, OperationalError, close_old_connections, connections

from ...conf import get_profile
from ...pipeline import document_databases, drain
from ...pipeline.memory import purge
from ...pipeline.reconcile import find_missing
from ..figures import counted

logger = logging.getLogger(__name__)

IDLE_PASS = 30.0
"""Seconds between two looks for objects without a document."""

PURGE_PASS = 600.0
"""Seconds between two looks for deleted posts that are to be forgotten, while none is found."""


class Command(BaseCommand):
    help = (
        "Work off what waits: posts that were saved, edited or deleted, and clusters to repair. Runs until it is "
        "stopped; with --once until nothing waits, for cron (every minute, where a queue rings the worker too)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--once", action="store_true", help="work off what waits, then end")
        parser.add_argument(
            "--poll", type=float, metavar="SECONDS", help="pause between two looks (default: POLL_SECONDS)"
        )
        parser.add_argument(
            "--database", action="append", dest="databases", choices=sorted(connections),
            help="database alias, may be given again (default: every one that holds the tables)",
        )  # fmt: skip

    def handle(
        self, *args: Any, once: bool, poll: float | None, databases: list[str] | None, **options: Any
    ) -> None:
        aliases = databases or document_databases()
        if not aliases:
            raise CommandError("No database holds the tables of neardup: run migrate first.")
        if once:
            turns = sum(drain(using).turns for using in aliases)
            if options["verbosity"]:
                self.stdout.write(f"{counted(turns, 'turn')} taken.")
            return
        stop = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *_: stop.set())
        if options["verbosity"]:
            self.stdout.write(f"neardup worker on {', '.join(aliases)}; Ctrl-C stops it.")
        self._loop(aliases, poll or get_profile().poll_seconds, stop)

    def _loop(self, aliases: list[str], poll: float, stop: threading.Event) -> None:
        cursors: dict[str, dict[str, Any]] = {using: {} for using in aliases}
        looked, purged = time.monotonic(), -PURGE_PASS
        while not stop.is_set():
            close_old_connections()
            try:
                turns = sum(drain(using, seconds=poll).turns for using in aliases)
                if not turns and time.monotonic() - looked > IDLE_PASS:
                    looked = time.monotonic()
                    turns = sum(find_missing(using, cursors=cursors[using]) for using in aliases)
                if time.monotonic() - purged > PURGE_PASS:
                    forgotten = sum(purge(using) for using in aliases)
                    purged = purged if forgotten else time.monotonic()
                    turns += forgotten
            except (OperationalError, InterfaceError) as error:
                logger.warning("neardup: the database is unwell, trying again: %s", error)
                connections.close_all()
                turns = 0
            if not turns:
                stop.wait(poll)
