"""Build the index, resume it, compare it with the posts."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Iterator
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db import DEFAULT_DB_ALIAS, connections
from django.db.models import Sum
from django.urls import NoReverseMatch, reverse

from ...adapters import Adapter, registered
from ...models import Cluster, Document
from ...pipeline import drain, is_pending
from ...pipeline.gathering import NothingToGather, gather
from ...pipeline.ledger import waiting
from ...pipeline.readiness import asks_for_statistics, lacking, lost
from ...pipeline.reconcile import Differences, backfill, reconcile
from ...pipeline.schemes import begin_generation
from ..figures import counted, spaced, what_is_in
from ..progress import bar, bars, is_quiet


class Command(BaseCommand):
    help = (
        "Index every post of the registered models and group the near-duplicates. It may be stopped and started "
        "again: it goes on where it stopped, and posts saved meanwhile are seen to. With --reconcile only what "
        "differs from the index is marked: use it after bulk updates, and weekly. "
        "Exit status 1: work is left (another worker has it, or it failed and is put off)."
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
            "--no-progress", action="store_true", help="no progress bar (none is shown off a terminal)"
        )
        parser.add_argument(
            "--database", default=DEFAULT_DB_ALIAS, choices=sorted(connections), help="database alias"
        )

    def handle(self, *args: Any, **options: Any) -> None:
        using, adapters = options["database"], self._adapters(options["models"])
        self._quiet = is_quiet(options)
        if options["rebuild"] and options["models"]:
            raise CommandError("--rebuild takes no models: a scheme signs every model of its profile.")
        if not options["dry_run"]:
            if not options["rebuild"]:
                self._refuse_lost(adapters, using)
            self._gather_missing(adapters, using, options["rebuild"])
        if options["reconcile"]:
            self._reconcile(adapters, using, options["dry_run"])
        elif options["dry_run"]:
            self._say_what(adapters, using)
        else:
            if options["rebuild"]:
                self._begin_generations(adapters, using)
            for adapter in adapters:
                self._backfill(adapter, using, resume=not (options["restart"] or options["rebuild"]))
        if options["dry_run"] or options["no_drain"]:
            return
        self._drain(using)
        self._sum_up(using)
        if is_pending(using):
            raise CommandError(
                "Some posts wait still: another worker has them, or they failed and are put off.",
                returncode=1,
            )

    def _adapters(self, labels: list[str]) -> list[Adapter]:
        known = {model._meta.label_lower: adapter for model, adapter in registered().items()}
        if not known:
            raise CommandError(
                "No model is registered: write a module neardup.py in an app (see the tutorial)."
            )
        unknown = [label for label in labels if label.lower() not in known]
        if unknown:
            raise CommandError(
                f"Not registered: {', '.join(unknown)}. Registered: {', '.join(sorted(known))}."
            )
        return [known[label.lower()] for label in labels] or [known[label] for label in sorted(known)]

    def _refuse_lost(self, adapters: list[Adapter], using: str) -> None:
        """Nothing can be signed by a scheme whose statistics are gone, and new ones are not its own."""
        aliases = sorted({adapter.profile for adapter in adapters} & lost(using))
        if aliases:
            raise CommandError(
                f"Profile {', '.join(aliases)}: the statistics that the active scheme was made with are gone. "
                "python manage.py neardup_index --rebuild makes a new scheme, with statistics of its own."
            )

    def _gather_missing(self, adapters: list[Adapter], using: str, rebuild: bool) -> None:
        """Statistics for the profiles whose scheme, present or new, cannot sign without."""
        missing = lacking(using)
        for profile in {adapter.profile: adapter.settings for adapter in adapters}.values():
            if not (asks_for_statistics(profile, using) if rebuild else profile.alias in missing):
                continue
            title = f"Profile {profile.alias}: {profile.algorithm}"
            self.stdout.write(f"{title} needs statistics of the posts; they are gathered first.")
            try:
                snapshot, _ = gather(profile, using, progress=bars("counting words", self._quiet))
            except NothingToGather as error:
                self.stdout.write(f"{title} has nothing to count: {error}.")
            else:
                self.stdout.write(f"Statistics {snapshot.number}: {what_is_in(snapshot)}.")

    def _begin_generations(self, adapters: list[Adapter], using: str) -> None:
        for profile in {adapter.profile: adapter.settings for adapter in adapters}.values():
            scheme = begin_generation(profile, using)
            self.stdout.write(f"Profile {profile.alias}: generation {scheme.generation}, {scheme.algorithm}.")

    def _backfill(self, adapter: Adapter, using: str, resume: bool) -> None:
        total = adapter.model._base_manager.using(using).count()
        with self._bar(f"{adapter.model._meta.label}: reading", total) as bar:
            for size in backfill(adapter, using, resume=resume):
                bar.update(size)

    def _reconcile(self, adapters: list[Adapter], using: str, dry_run: bool) -> None:
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

    def _say_what(self, adapters: list[Adapter], using: str) -> None:
        for adapter in adapters:
            total = adapter.model._base_manager.using(using).count()
            self.stdout.write(
                f"{adapter.model._meta.label}: {spaced(total)} posts would be read and compared."
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
        return reverse("admin:neardup_cluster_changelist")
    except NoReverseMatch:
        return "the clusters in the admin"
