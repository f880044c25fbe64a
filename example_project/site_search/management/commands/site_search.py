"""Keeps the search index up to date."""

from __future__ import annotations

import signal
import threading
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from opensearchpy import OpenSearchException

from site_search.connection import alias
from site_search.indexing import UnsentBatch, present_aliases, rebuild, repair, send_all

POLL_SECONDS = 1.0


class Command(BaseCommand):
    help = "Send changed adverts to the search index. If there is no index, build it first."

    def add_arguments(self, parser: Any) -> None:
        choice = parser.add_mutually_exclusive_group()
        choice.add_argument("--follow", action="store_true", help="Go on, until the process is stopped.")
        choice.add_argument("--rebuild", action="store_true", help="Build a new index, and switch to it.")
        choice.add_argument("--repair", action="store_true", help="Send again what differs in the index.")

    def handle(self, **options: Any) -> None:
        if options["follow"]:
            return self._follow()
        try:
            if options["rebuild"]:
                self.stdout.write(f"{rebuild()} adverts are in the new index, which is in use.")
            elif options["repair"]:
                self.stdout.write(f"{repair()} adverts differed, and were sent again.")
            else:
                self.stdout.write(f"{self._send()} changed adverts were sent.")
        except (OpenSearchException, UnsentBatch) as error:
            raise CommandError(error) from None

    def _send(self) -> int:
        if alias() not in present_aliases():
            self.stdout.write(f"{rebuild()} adverts are in the new index.")
        return send_all()

    def _follow(self) -> None:
        stopped = threading.Event()
        for number in (signal.SIGINT, signal.SIGTERM):
            signal.signal(number, lambda *args: stopped.set())
        was_away = False
        while not stopped.wait(POLL_SECONDS):
            try:
                self._send()
                was_away = False
            except (OpenSearchException, UnsentBatch) as error:
                # Changes wait in their table.
                if not was_away:
                    self.stderr.write(f"site_search waits for the index: {error}")
                was_away = True
