"""A run of ``neardup_index`` through one model: alone or with other processes, with bars, and with an end by Ctrl-C."""

from __future__ import annotations

import time
from collections.abc import Callable

from django.core.management.base import CommandError
from django.db import DatabaseError, InterfaceError, connections

from ..adapters import Adapter
from ..db.interrupts import close_if_interrupted
from ..index import compact
from ..pipeline.backfill import (
    PostCounts,
    begin_pass,
    postpone_packing,
    posts_per_range,
    process_ranges,
    should_pack,
)
from .interrupts import interrupted_between_steps
from .number_format import format_number, format_rate
from .progress_bars import IndexBars
from .worker_processes import can_start_processes, index_processes

INTERRUPTED = 130
"""The exit status of a process that Ctrl-C has ended."""

PROGRESS_POLL_SECONDS = 0.5
"""Seconds between two updates of the processes' progress."""

MIN_POSTS_TO_PACK = 10_000
"""Number of posts in a first index from which packing the key table is worth it."""


class IndexRun:
    """One run through a model.

    ``posts``: the size of a range, or None for one that fits the number of posts. ``mark_only``: leave every post
    to the workers. ``print_line`` and ``print_error`` print a line.
    """

    def __init__(
        self,
        adapter: Adapter,
        using: str,
        *,
        restart: bool,
        workers: int,
        posts: int | None,
        mark_only: bool,
        is_quiet: bool,
        print_line: Callable[[str], object],
        print_error: Callable[[str], object],
    ) -> None:
        if workers > 1 and not can_start_processes():
            raise CommandError("--workers needs the environment variable DJANGO_SETTINGS_MODULE.")
        index_pass = begin_pass(adapter, using, restart=restart)
        assert index_pass is not None
        self._pass, self._label = index_pass, adapter.model._meta.label
        self._total = adapter.model._base_manager.using(using).count()
        self._posts = posts or posts_per_range(self._total)
        # A range is never shared: with fewer posts, all but one process would idle.
        self._workers = 1 if mark_only or self._total <= self._posts else workers
        self._mark_only, self._is_quiet = mark_only, is_quiet
        self._print_line, self._print_error = print_line, print_error

    def run(self) -> None:
        """Index the model. Raise CommandError with the exit status 130 after Ctrl-C."""
        before, started = self._pass.counts(only_finished=True), time.monotonic()
        with IndexBars(self._label, self._total, before.compared, self._is_quiet, self._workers > 1) as bars:
            try:
                self._index(bars)
            except KeyboardInterrupt as interruption:
                close_if_interrupted(interruption, self._pass.using)
                raise CommandError(self._stopped_message(), returncode=INTERRUPTED) from None
        if not self._mark_only and should_pack(self._pass, MIN_POSTS_TO_PACK):
            self._pack_key_table()
        rate = format_rate(bars.compared_now, time.monotonic() - started)
        self._print_line(f"{self._label}: {'marked ' if self._mark_only else ''}{rate}.")

    def _index(self, bars: IndexBars) -> None:
        with interrupted_between_steps() as check_interrupt:

            def report(phase: str, counts: PostCounts) -> None:
                bars.update(phase, counts)
                check_interrupt()

            if self._workers > 1:
                self._run_processes(report)
            else:
                process_ranges(self._pass, self._posts, report, mark_only=self._mark_only)

    def _stopped_message(self) -> str:
        done = format_number(min(self._pass.counts().compared, self._total))
        return f"{self._label}: stopped at {done} of {format_number(self._total)}. Run the same command to continue."

    def _run_processes(self, report: Callable[[str, PostCounts], None]) -> None:
        """Start processes and wait for them. Their progress is read from the database."""
        reported, work = self._pass.counts(), self._pass
        with index_processes(
            self._workers, work.model_label, work.using, work.number, self._posts
        ) as processes:
            while any(process.is_alive() for process in processes):
                alive = [process for process in processes if process.is_alive()]
                alive[0].join(PROGRESS_POLL_SECONDS) if alive else None
                counts = work.counts()
                report(
                    f"{len(alive)} processes",
                    PostCounts(counts.signed - reported.signed, counts.compared - reported.compared),
                )
                reported = counts
            failed = [process.exitcode for process in processes if process.exitcode]
        if failed:
            raise CommandError(
                f"{len(failed)} of {self._workers} processes failed. Run the same command to continue."
            )

    def _pack_key_table(self) -> None:
        try:
            compact(self._pass.using)
        except BaseException as error:
            # Also after Ctrl-C, which may leave the connection in the middle of the statement.
            connections[self._pass.using].close()
            postpone_packing(self._pass)
            if not isinstance(error, (DatabaseError, InterfaceError)):
                raise
            self._print_error(f"The key table could not be packed, and was left unchanged: {error}".rstrip())
