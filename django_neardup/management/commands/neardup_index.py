"""Build the index, resume it, compare it with the posts."""

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
from ...models import Cluster, Document
from ...pipeline import drain, is_pending
from ...pipeline.gathering import NothingToGather, gather
from ...pipeline.leases import waiting
from ...pipeline.reconcile import Differences, reconcile
from ...pipeline.runs import POSTS, Pass, begin, index, is_to_pack, pack_later
from ...pipeline.schemes import begin_generation
from ...storage import compact
from ..arguments import add_database, add_no_progress, positive
from ..choosing import adapters_in
from ..figures import at_rate, counted, what_is_in
from ..indexing import preparations, profiles_of, readings, refuse_lost, to_gather, what_is_left
from ..processes import can_start, sharing
from ..progress import Phased, bar, bars, is_quiet

LOOK_SECONDS = 0.5
"""Between two looks at how far the processes are."""

PACKED_FROM = 10_000
"""Posts of a first index after which the key table is worth packing."""


class Command(BaseCommand):
    help = (
        "Index every post of the registered models and group the near-duplicates. It may be stopped and started "
        "again: it goes on where it stopped, and posts saved meanwhile are seen to. With --reconcile only what "
        "differs from the index is marked: use it after bulk updates, and weekly. "
        "Exit status 1: work is left (another worker has it, it failed and is put off, or it waits for statistics)."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("models", nargs="*", metavar="app.Model", help="registered models (default: all)")
        parser.add_argument(
            "--reconcile", action="store_true", help="compare posts and index; mark what differs"
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
            type=positive,
            default=1,
            metavar="N",
            help="processes that share the work (default: 1)",
        )
        parser.add_argument(
            "--run",
            type=positive,
            default=POSTS,
            metavar="POSTS",
            help=f"posts whose keys are written in one go (default: {POSTS})",
        )
        add_no_progress(parser)
        add_database(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        using = options["database"]
        adapters = adapters_in(using, options["models"])
        self._quiet = is_quiet(options)
        if options["rebuild"] and options["models"]:
            raise CommandError("--rebuild takes no models: a scheme signs every model of its profile.")
        if options["reconcile"] and (options["rebuild"] or options["restart"]):
            raise CommandError(
                "--reconcile only marks what differs: leave --rebuild and --restart to a run of their own."
            )
        if not options["rebuild"]:
            refuse_lost(adapters, using)
        if options["dry_run"]:
            self._foretell(adapters, using, options)
            return
        self._gather_missing(adapters, using, options["rebuild"])
        if options["reconcile"]:
            self._reconcile(adapters, using)
        else:
            self._index_all(adapters, using, options)
        if options["no_drain"]:
            return
        self._drain(using)
        self._sum_up(using)
        if is_pending(using):
            raise CommandError(what_is_left(using), returncode=1)

    def _foretell(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        for line in preparations(adapters, using, options["rebuild"]):
            self.stdout.write(line)
        if options["reconcile"]:
            self._reconcile(adapters, using, dry_run=True)
            return
        for line in readings(adapters, using, options["restart"] or options["rebuild"]):
            self.stdout.write(line)

    def _gather_missing(self, adapters: list[Adapter], using: str, rebuild: bool) -> None:
        for profile in to_gather(adapters, using, rebuild):
            title = f"Profile {profile.alias}: {profile.algorithm}"
            self.stdout.write(f"{title} needs statistics of the posts; they are gathered first.")
            try:
                snapshot, _ = gather(profile, using, progress=bars("counting words", self._quiet))
            except NothingToGather as error:
                self.stdout.write(f"{title} has nothing to count: {error}.")
            else:
                self.stdout.write(f"Statistics {snapshot.number}: {what_is_in(snapshot)}.")

    def _index_all(self, adapters: list[Adapter], using: str, options: dict[str, Any]) -> None:
        for profile in profiles_of(adapters) if options["rebuild"] else ():
            scheme = begin_generation(profile, using)
            self.stdout.write(f"Profile {profile.alias}: generation {scheme.generation}, {scheme.algorithm}.")
        for adapter in adapters:
            self._index(adapter, using, options["restart"] or options["rebuild"], options)

    def _index(self, adapter: Adapter, using: str, restart: bool, options: dict[str, Any]) -> None:
        """The backfill, with whoever else is at it. The bar shows what this command's processes have done."""
        workers, posts, mark_only = options["workers"], options["run"], options["no_drain"]
        if workers > 1 and not can_start():
            raise CommandError("--workers needs DJANGO_SETTINGS_MODULE in the environment.")
        work = begin(adapter, using, restart=restart)
        assert work is not None
        label, before, begun = adapter.model._meta.label, work.through(), time.monotonic()
        total = adapter.model._base_manager.using(using).count()
        with bar(f"{label}: indexing", total, self._quiet, initial=before) as counting:
            tell = Phased(counting)
            if workers > 1 and not mark_only and total > posts:  # one process alone can have one range
                self._share(work, workers, posts, tell)
            else:
                index(work, posts, tell, mark_only=mark_only)
        if not mark_only and is_to_pack(work, PACKED_FROM):
            self._pack(work)
        self.stdout.write(
            f"{label}: {'marked ' if mark_only else ''}{at_rate(tell.through, time.monotonic() - begun)}."
        )

    def _pack(self, work: Pass) -> None:
        try:
            compact(work.using)
        except BaseException as error:
            connections[work.using].close()
            pack_later(work)
            if not isinstance(error, (DatabaseError, InterfaceError)):
                raise
            self.stderr.write(f"The key table stays as it is, it could not be packed: {error}".rstrip())

    def _share(self, work: Pass, workers: int, posts: int, tell: Phased) -> None:
        """Start processes and wait; their progress is what all have noted in the database."""
        known = work.through()
        with sharing(workers, work.label, work.using, work.number, posts) as processes:
            while any(process.is_alive() for process in processes):
                processes[0].join(LOOK_SECONDS) if processes[0].is_alive() else time.sleep(LOOK_SECONDS)
                now = work.through()
                tell(f"{sum(process.is_alive() for process in processes)} processes", now - known)
                known = now
            failed = [process.exitcode for process in processes if process.exitcode]
        if failed:
            raise CommandError(
                f"Processes that broke off: {len(failed)} of {workers}. The same command goes on where they stopped."
            )

    def _reconcile(self, adapters: list[Adapter], using: str, dry_run: bool = False) -> None:
        for adapter in adapters:
            found = Differences()
            with self._bar(
                f"{adapter.model._meta.label}: comparing", adapter.model._base_manager.using(using).count()
            ) as bar:
                for size, so_far in reconcile(adapter, using, dry_run=dry_run):
                    bar.update(size)
                    found = so_far
            self.stdout.write(
                f"{adapter.model._meta.label}: {found.missing} not in the index, {found.stale} changed, "
                f"{found.orphaned} gone{' (nothing was marked)' if dry_run else ''}."
            )

    def _drain(self, using: str) -> None:
        total = Document.objects.using(using).filter(pending_since__isnull=False).count()
        with self._bar("indexing", total) as bar:
            for turns in _turns(using):
                bar.update(turns)

    def _sum_up(self, using: str) -> None:
        posts = Document.objects.using(using).filter(state=Document.State.INDEXED).count()
        clusters = Cluster.objects.using(using)
        groups, members = clusters.count(), clusters.aggregate(members=Sum("size"))["members"] or 0
        quarantined = Document.objects.using(using).filter(state=Document.State.QUARANTINED).count()
        self.stdout.write(
            f"{counted(posts, 'post')}, {counted(groups, 'group')}, {counted(members - groups, 'clone')}; "
            f"open {_address()}"
        )
        if quarantined:
            self.stdout.write(
                f"{counted(quarantined, 'post')} cannot be read: see their reasons under documents in the admin."
            )

    def _bar(self, title: str, total: int) -> Any:
        return bar(title, total, self._quiet)


def _turns(using: str) -> Iterator[int]:
    while waiting(Document, using, 1):
        turns = drain(using, limit=200).turns
        if not turns:
            return
        yield turns
    yield drain(using).turns


def _address() -> str:
    try:
        return reverse("admin:neardup_queue_changelist")
    except NoReverseMatch:
        return "the queue in the admin"
