"""The command ``neardup_index``: build the index, resume it, or compare it with the posts."""

from __future__ import annotations

import time
from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DatabaseError, InterfaceError, connections
from django.db.models import Sum
from django.urls import NoReverseMatch, reverse

from ...adapters import Adapter
from ...index import compact
from ...models import Cluster, Document
from ...pipeline import drain, has_pending
from ...pipeline.backfill import (
    POSTS_PER_RANGE,
    IndexPass,
    begin_pass,
    postpone_packing,
    process_ranges,
    should_pack,
)
from ...pipeline.leases import available_rows
from ...pipeline.reconcile import ReconcileResult, reconcile
from ...pipeline.schemes import begin_generation
from ...pipeline.statistics_builder import NoPostsToGather, gather_statistics
from ..arguments import add_database_option, add_progress_option, parse_positive, select_adapters
from ..index_messages import (
    pending_reason,
    preparation_lines,
    profiles_to_gather,
    reading_lines,
    refuse_lost_statistics,
    unique_profiles,
)
from ..number_format import describe_statistics, format_count, format_rate
from ..progress_bars import PhaseProgress, is_quiet, progress_bar, progress_wrapper
from ..rejudgement_run import RejudgementRun, ignore_line, refuse_other_modes
from ..worker_processes import can_start_processes, index_processes

PROGRESS_POLL_SECONDS = 0.5
"""Seconds between two updates of the processes' progress."""

MIN_POSTS_TO_PACK = 10_000
"""Number of posts in a first index from which packing the key table is worth it."""


class Command(BaseCommand):
    help = (
        "Index every post of the registered models and group the near-duplicates. It may be stopped and started "
        "again: it goes on where it stopped, and posts saved meanwhile are seen to. With --reconcile only what "
        "differs from the index is marked: use it after bulk updates, and weekly. With --rejudge stored pairs that "
        "another version of the judge has judged are judged again, and nothing is signed. "
        "Exit status 1: work is left (another worker has it, it failed and is put off, or it waits for statistics). "
        "Exit status 130: --rejudge was interrupted."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("models", nargs="*", metavar="app.Model", help="registered models (default: all)")
        parser.add_argument(
            "--reconcile", action="store_true", help="compare posts and index; mark what differs"
        )
        parser.add_argument(
            "--rejudge",
            action="store_true",
            help="judge stored pairs of another version of the judge again; sign nothing, look for no new pairs",
        )
        parser.add_argument("--dry-run", action="store_true", help="only say what would be done")
        parser.add_argument(
            "--rebuild",
            action="store_true",
            help="sign every post anew by the present settings; groups form anew as it goes, decisions stay",
        )
        parser.add_argument(
            "--restart", action="store_true", help="begin from the first post, not where it stopped"
        )
        parser.add_argument("--no-drain", action="store_true", help="only mark; a worker does the rest")
        parser.add_argument(
            "--workers",
            type=parse_positive,
            default=1,
            metavar="N",
            help="processes that share the work (default: 1)",
        )
        parser.add_argument(
            "--run",
            type=parse_positive,
            default=POSTS_PER_RANGE,
            metavar="POSTS",
            help=f"posts whose keys are written in one go (default: {POSTS_PER_RANGE})",
        )
        add_progress_option(parser)
        add_database_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        using = options["database"]
        adapters = select_adapters(using, options["models"])
        self._is_quiet = is_quiet(options)
        if options["rebuild"] and options["models"]:
            raise CommandError("--rebuild takes no models: a scheme signs every model of its profile.")
        if options["reconcile"] and (options["rebuild"] or options["restart"]):
            raise CommandError(
                "--reconcile only marks what differs: leave --rebuild and --restart to a run of their own."
            )
        if options["rejudge"]:
            self._rejudge(adapters, using, options)
            return
        if not options["rebuild"]:
            refuse_lost_statistics(adapters, using)
        if options["dry_run"]:
            self._print_dry_run(adapters, using, options)
            return
        self._gather_missing(adapters, using, options["rebuild"])
        if options["reconcile"]:
            self._reconcile(adapters, using)
        else:
            self._index_all(adapters, using, options)
        if options["no_drain"]:
            return
        self._drain(using)
        self._print_summary(using)
        if has_pending(using):
            raise CommandError(pending_reason(using), returncode=1)

    def _rejudge(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        refuse_other_modes(options)
        refuse_lost_statistics(adapters, using)
        print_line = self.stdout.write if options["verbosity"] else ignore_line
        # Without models all pairs are taken, and posts need not be looked up.
        run = RejudgementRun(using, adapters if options["models"] else None, self._is_quiet, print_line)
        run.print_stale_count() if options["dry_run"] else run.run()

    def _print_dry_run(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        for line in preparation_lines(adapters, using, options["rebuild"]):
            self.stdout.write(line)
        if options["reconcile"]:
            self._reconcile(adapters, using, dry_run=True)
            return
        for line in reading_lines(adapters, using, options["restart"] or options["rebuild"]):
            self.stdout.write(line)

    def _gather_missing(self, adapters: list[Adapter], using: str, rebuild: bool) -> None:
        for profile in profiles_to_gather(adapters, using, rebuild):
            title = f"Profile {profile.alias}: {profile.algorithm}"
            self.stdout.write(f"{title} needs statistics of the posts; they are gathered first.")
            try:
                snapshot, _ = gather_statistics(
                    profile, using, progress=progress_wrapper("counting words", self._is_quiet)
                )
            except NoPostsToGather as error:
                self.stdout.write(f"{title} has nothing to count: {error}.")
            else:
                self.stdout.write(f"Statistics {snapshot.number}: {describe_statistics(snapshot)}.")

    def _index_all(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        for profile in unique_profiles(adapters) if options["rebuild"] else ():
            scheme = begin_generation(profile, using)
            self.stdout.write(f"Profile {profile.alias}: generation {scheme.generation}, {scheme.algorithm}.")
        for adapter in adapters:
            self._index(adapter, using, options["restart"] or options["rebuild"], options)

    def _index(self, adapter: Adapter, using: str, restart: bool, options: dict[str, Any]) -> None:
        """Index a model, together with other processes that may work on it.

        The bar shows what the processes of this command have done.
        """
        workers, posts, mark_only = options["workers"], options["run"], options["no_drain"]
        if workers > 1 and not can_start_processes():
            raise CommandError("--workers needs DJANGO_SETTINGS_MODULE in the environment.")
        index_pass = begin_pass(adapter, using, restart=restart)
        assert index_pass is not None
        label, processed_before, start = (
            adapter.model._meta.label,
            index_pass.processed_count(),
            time.monotonic(),
        )
        total = adapter.model._base_manager.using(using).count()
        with progress_bar(f"{label}: indexing", total, self._is_quiet, initial=processed_before) as bar:
            progress = PhaseProgress(bar)
            # A range is never shared: with fewer posts, all but one process would idle.
            if workers > 1 and not mark_only and total > posts:
                self._index_in_processes(index_pass, workers, posts, progress)
            else:
                process_ranges(index_pass, posts, progress, mark_only=mark_only)
        if not mark_only and should_pack(index_pass, MIN_POSTS_TO_PACK):
            self._pack_key_table(index_pass)
        self.stdout.write(
            f"{label}: {'marked ' if mark_only else ''}{format_rate(progress.done_count, time.monotonic() - start)}."
        )

    def _pack_key_table(self, work: IndexPass) -> None:
        try:
            compact(work.using)
        except BaseException as error:
            # Also after Ctrl-C, which may leave the connection in the middle of the statement.
            connections[work.using].close()
            postpone_packing(work)
            if not isinstance(error, (DatabaseError, InterfaceError)):
                raise
            self.stderr.write(f"The key table stays as it is, it could not be packed: {error}".rstrip())

    def _index_in_processes(self, work: IndexPass, workers: int, posts: int, progress: PhaseProgress) -> None:
        """Start the processes and wait for them. Their progress is read from the database."""
        reported = work.processed_count()
        with index_processes(workers, work.model_label, work.using, work.number, posts) as processes:
            while any(process.is_alive() for process in processes):
                processes[0].join(PROGRESS_POLL_SECONDS) if processes[0].is_alive() else time.sleep(
                    PROGRESS_POLL_SECONDS
                )
                processed = work.processed_count()
                progress(
                    f"{sum(process.is_alive() for process in processes)} processes", processed - reported
                )
                reported = processed
            failed = [process.exitcode for process in processes if process.exitcode]
        if failed:
            raise CommandError(
                f"Processes that broke off: {len(failed)} of {workers}. The same command goes on where they stopped."
            )

    def _reconcile(self, adapters: list[Adapter], using: str, dry_run: bool = False) -> None:
        for adapter in adapters:
            result = ReconcileResult()
            with self._progress_bar(
                f"{adapter.model._meta.label}: comparing", adapter.model._base_manager.using(using).count()
            ) as bar:
                for count, partial_result in reconcile(adapter, using, dry_run=dry_run):
                    bar.update(count)
                    result = partial_result
            self.stdout.write(
                f"{adapter.model._meta.label}: {result.missing} not in the index, {result.stale} changed, "
                f"{result.orphaned} gone{' (nothing was marked)' if dry_run else ''}."
            )

    def _drain(self, using: str) -> None:
        total = Document.objects.using(using).filter(pending_since__isnull=False).count()
        with self._progress_bar("indexing", total) as bar:
            for processed in _drain_in_steps(using):
                bar.update(processed)

    def _print_summary(self, using: str) -> None:
        posts = Document.objects.using(using).filter(state=Document.State.INDEXED).count()
        clusters = Cluster.objects.using(using)
        groups, members = clusters.count(), clusters.aggregate(members=Sum("size"))["members"] or 0
        quarantined = Document.objects.using(using).filter(state=Document.State.QUARANTINED).count()
        self.stdout.write(
            f"{format_count(posts, 'post')}, {format_count(groups, 'group')}, "
            f"{format_count(members - groups, 'clone')}; "
            f"open {_review_queue_url()}"
        )
        if quarantined:
            self.stdout.write(
                f"{format_count(quarantined, 'post')} cannot be read: see their reasons under documents in the admin."
            )

    def _progress_bar(self, title: str, total: int) -> Any:
        return progress_bar(title, total, self._is_quiet)


def _drain_in_steps(using: str) -> Iterator[int]:
    while available_rows(Document, using, 1):
        processed = drain(using, limit=200).processed
        if not processed:
            return
        yield processed
    yield drain(using).processed


def _review_queue_url() -> str:
    try:
        return reverse("admin:neardup_queue_changelist")
    except NoReverseMatch:
        return "the queue in the admin"
