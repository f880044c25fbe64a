"""The command ``neardup_index``: build the index, resume it, or compare it with the posts."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Sum
from django.urls import NoReverseMatch, reverse

from ...adapters import Adapter
from ...conf import DISABLED, is_enabled
from ...db.interrupts import close_if_interrupted
from ...exceptions import IndexUnavailable
from ...models import ChangedDocument, Cluster, Document, OpenItem
from ...pipeline import drain, has_pending
from ...pipeline.backfill.ranges import MAX_POSTS_PER_RANGE, MIN_POSTS_PER_RANGE, RANGES
from ...pipeline.leases import available_rows
from ...pipeline.open_items import BACKLOG_ENTRIES, log_all_documents, refresh_open_items
from ...pipeline.quarantine import quarantined
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
    refuse_missing_tables,
    stopped_message,
    unique_profiles,
)
from ..index_run import INTERRUPTED, IndexRun
from ..interrupts import interrupted_between_steps
from ..key_index_run import run_on_key_index
from ..number_format import describe_statistics, format_count
from ..progress_bars import is_quiet, progress_bar, progress_wrapper
from ..rejudgement_run import RejudgementRun, ignore_line, refuse_other_modes


class Command(BaseCommand):
    help = (
        "Index all posts of the registered models and group the near-duplicates. You can stop it at any time: the "
        "next run continues from there. It also processes posts that are saved meanwhile. With --reconcile it "
        "processes only the posts that differ from the index: use it weekly, and after bulk updates. With --rejudge "
        "it judges only the stored pairs that an older version of the judge has judged. "
        "Exit status 1: some posts are still pending (another worker has them, they failed and will be retried, or "
        "they wait for statistics). Exit status 130: interrupted by Ctrl-C."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("models", nargs="*", metavar="app.Model", help="registered models (default: all)")
        parser.add_argument(
            "--reconcile", action="store_true", help="process only the posts that differ from the index"
        )
        parser.add_argument(
            "--rejudge",
            action="store_true",
            help="judge again the stored pairs of another version of the judge; index no posts, search no new pairs",
        )
        parser.add_argument("--dry-run", action="store_true", help="only report what would be done")
        parser.add_argument(
            "--rebuild",
            action="store_true",
            help="index all posts again with the current settings; groups are rebuilt, decisions are kept",
        )
        parser.add_argument(
            "--rebuild-index",
            action="store_true",
            help="build the key index from the stored fingerprints and switch to it",
        )
        parser.add_argument(
            "--repair-index",
            action="store_true",
            help="compare the key index with the stored fingerprints and repair the differences",
        )
        parser.add_argument(
            "--restart",
            action="store_true",
            help="start with the first post, even if an earlier run was stopped",
        )
        parser.add_argument(
            "--no-drain", action="store_true", help="only mark the posts; a worker processes them"
        )
        parser.add_argument(
            "--workers",
            type=parse_positive,
            default=1,
            metavar="N",
            help="number of processes (default: 1)",
        )
        parser.add_argument(
            "--run",
            type=parse_positive,
            metavar="POSTS",
            help=(
                "number of posts that a process claims at once. After an interruption they are read again "
                f"(default: a {RANGES}th of all posts, {MIN_POSTS_PER_RANGE} to {MAX_POSTS_PER_RANGE})"
            ),
        )
        add_progress_option(parser)
        add_database_option(parser)

    def execute(self, *args: Any, **options: Any) -> str | None:
        try:
            return super().execute(*args, **options)
        except IndexUnavailable as error:
            raise CommandError(str(error)) from error

    def handle(self, *args: Any, **options: Any) -> None:
        if not is_enabled():
            raise CommandError(f"{DISABLED}. Set it to True for this command.")
        using = options["database"]
        self._print_line = self.stdout.write if options["verbosity"] else ignore_line
        if options["rebuild_index"] or options["repair_index"]:
            run_on_key_index(using, options, is_quiet(options), self._print_line)
            return
        adapters = select_adapters(using, options["models"])
        refuse_missing_tables(adapters, using)
        self._is_quiet = is_quiet(options)
        if options["rebuild"] and options["models"]:
            raise CommandError("Do not name models with --rebuild: it indexes all models of a profile.")
        if options["reconcile"] and (options["rebuild"] or options["restart"]):
            raise CommandError("Do not combine --reconcile with --rebuild or --restart.")
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
        try:
            self._drain(using)
            self._form_queue(using)
        except KeyboardInterrupt as interruption:
            close_if_interrupted(interruption, using)
            raise CommandError(stopped_message(using), returncode=INTERRUPTED) from None
        self._print_summary(using)
        if has_pending(using):
            raise CommandError(pending_reason(using), returncode=1)

    def _rejudge(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        refuse_other_modes(options)
        refuse_lost_statistics(adapters, using)
        # Without models all pairs are taken, and posts need not be looked up.
        run = RejudgementRun(using, adapters if options["models"] else None, self._is_quiet, self._print_line)
        run.print_stale_count() if options["dry_run"] else run.run()

    def _print_dry_run(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        for line in preparation_lines(adapters, using, options["rebuild"]):
            self._print_line(line)
        if options["reconcile"]:
            self._reconcile(adapters, using, dry_run=True)
            return
        for line in reading_lines(adapters, using, options["restart"] or options["rebuild"]):
            self._print_line(line)

    def _gather_missing(self, adapters: list[Adapter], using: str, rebuild: bool) -> None:
        for profile in profiles_to_gather(adapters, using, rebuild):
            title = f"Profile {profile.alias}: {profile.algorithm}"
            self._print_line(f"{title} needs statistics of the posts. They are collected first.")
            try:
                snapshot, _ = gather_statistics(
                    profile, using, progress=progress_wrapper("counting words", self._is_quiet)
                )
            except NoPostsToGather as error:
                self._print_line(f"{title}: no statistics, since {error}.")
            else:
                self._print_line(f"Statistics {snapshot.number}: {describe_statistics(snapshot)}.")

    def _index_all(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        for profile in unique_profiles(adapters) if options["rebuild"] else ():
            scheme = begin_generation(profile, using)
            self._print_line(f"Profile {profile.alias}: generation {scheme.generation}, {scheme.algorithm}.")
        restart = options["restart"] or options["rebuild"]
        # Every pass is begun before the first post is read: if the command ends early, a check names all of them.
        for run in [self._begin_run(adapter, using, restart, options) for adapter in adapters]:
            run.run()

    def _begin_run(self, adapter: Adapter, using: str, restart: bool, options: dict[str, Any]) -> IndexRun:
        return IndexRun(
            adapter,
            using,
            restart=restart,
            workers=options["workers"],
            posts=options["run"],
            mark_only=options["no_drain"],
            is_quiet=self._is_quiet,
            print_line=self._print_line,
            print_error=self.stderr.write,
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
            self._print_line(
                f"{adapter.model._meta.label}: {result.missing} missing in the index, {result.stale} changed, "
                f"{result.orphaned} deleted{' (dry run)' if dry_run else ''}."
            )

    def _drain(self, using: str) -> None:
        total = Document.objects.using(using).filter(pending_since__isnull=False).count()
        with self._progress_bar("indexing", total) as bar, interrupted_between_steps() as check_interrupt:
            for processed in _drain_in_steps(using):
                bar.update(processed)
                check_interrupt()

    def _form_queue(self, using: str) -> None:
        """Form the rows of the review queue around everything that the run has changed."""
        if not OpenItem.objects.using(using).exists():
            # The rows were lost, or pairs were stored before rows were.
            log_all_documents(using)
        total = ChangedDocument.objects.using(using).count()
        with (
            progress_bar("queue", total, self._is_quiet, unit="changes") as bar,
            interrupted_between_steps() as check_interrupt,
        ):

            def report(count: int) -> None:
                bar.update(count)
                check_interrupt()

            while refresh_open_items(using, BACKLOG_ENTRIES, on_handled=report):
                pass

    def _print_summary(self, using: str) -> None:
        posts = Document.objects.using(using).filter(state=Document.State.INDEXED).count()
        clusters = Cluster.objects.using(using)
        groups, members = clusters.count(), clusters.aggregate(members=Sum("size"))["members"] or 0
        quarantined_count = quarantined(using).count()
        self._print_line(
            f"{format_count(posts, 'post')}, {format_count(groups, 'group')}, "
            f"{format_count(members - groups, 'duplicate')}. {_review_queue_line()}"
        )
        if quarantined_count:
            self._print_line(
                f"{format_count(quarantined_count, 'post')} in quarantine. The list of documents in the admin shows "
                "the reasons."
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


def _review_queue_line() -> str:
    try:
        return f"Review them at {reverse('admin:neardup_queue_changelist')}"
    except NoReverseMatch:
        return "No admin site has the review queue (see django_neardup.admin.register_pages)."
