"""Gather the statistics that some algorithms need."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from ...adapters import registered
from ...conf import Profile, get_profile
from ...models import Scheme
from ...models import TermStatistics as Snapshot
from ...moments import by_clock
from ...pipeline import is_pending
from ...pipeline.gathering import NothingToGather, gather
from ...pipeline.objects import is_kept_in
from ...pipeline.readiness import uses_statistics
from ...pipeline.snapshots import forget_unused, newest
from ...queues import ring
from ...signatures.registry import algorithm_names, get_algorithm
from ..arguments import add_database, add_no_progress
from ..figures import counted, what_is_in
from ..progress import bars, is_quiet

REBUILD = "python manage.py neardup_index --rebuild"


class Command(BaseCommand):
    help = (
        "Count in how many posts each word stands, for the algorithms that weigh words by their rarity. The counts are "
        "kept as a frozen snapshot. A scheme goes on with the snapshot that it was made with: neardup_index --rebuild "
        "makes one with the newest. Snapshots that no scheme works with are removed, the two newest stay."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--profile",
            metavar="ALIAS",
            help="of this profile (default: all whose algorithm works with statistics)",
        )
        parser.add_argument(
            "--sample", type=int, default=0, metavar="N",
            help="read at most N posts of each model, evenly spread (default: all)",
        )  # fmt: skip
        parser.add_argument(
            "--list", action="store_true", help="list the snapshots that are kept; gather nothing"
        )
        add_no_progress(parser)
        add_database(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        using = options["database"]
        if options["sample"] < 0:
            raise CommandError("--sample is a number of posts, 1 or more.")
        if options["list"]:
            self._list(using, options["profile"])
            return
        profiles = self._profiles(options["profile"], using)
        if not profiles:
            using_them = [name for name in algorithm_names() if get_algorithm(name).uses_statistics]
            self.stdout.write(
                f"No profile's algorithm works with statistics; those that do: {', '.join(using_them)}. "
                "Name a profile with --profile to gather them all the same."
            )
        failed = [why for profile in profiles if (why := self._gather(profile, using, options))]
        if profiles and is_pending(using):
            ring(using)
        if failed:
            raise CommandError(" ".join(failed))

    def _profiles(self, alias: str | None, using: str) -> list[Profile]:
        used = sorted(
            {adapter.profile for model, adapter in registered().items() if is_kept_in(model, using)}
        )
        if alias is None:
            profiles = [_known(each) for each in used]
            return [each for each in profiles if uses_statistics(each)]
        profile = _known(alias)
        if alias not in used:
            raise CommandError(
                f"No registered model of the database has the profile {alias!r}: it has no posts."
            )
        return [profile]

    def _gather(self, profile: Profile, using: str, options: dict[str, Any]) -> str:
        """Gather a profile's statistics; why that failed, empty where it did not."""
        progress = bars("counting words", is_quiet(options))
        try:
            snapshot, new = gather(profile, using, options["sample"], progress)
        except NothingToGather as error:
            return f"Nothing was gathered: {error}."
        except ImproperlyConfigured as error:
            return str(error)
        self.stdout.write(
            f"Profile {profile.alias}, statistics {snapshot.number}{'' if new else ' (nothing has changed)'}: "
            f"{what_is_in(snapshot)}; digest {snapshot.digest}."
        )
        self.stdout.write(self._what_next(profile, snapshot, using))
        removed = forget_unused(profile.alias, using)
        if removed:
            self.stdout.write(f"{counted(removed, 'older snapshot')} that no scheme works with: removed.")
        return ""

    def _what_next(self, profile: Profile, snapshot: Snapshot, using: str) -> str:
        schemes = Scheme.objects.using(using).filter(profile=profile.alias, state=Scheme.State.ACTIVE)
        scheme = schemes.order_by("-generation").first()
        if scheme is None:
            return "Next: python manage.py neardup_index; posts that wait already are seen to by the worker."
        digest = scheme.parameters.get("statistics")
        if digest == snapshot.digest:
            return "The active scheme works with them; posts that wait are seen to by the worker, or by neardup_index."
        if digest is None:
            without = "was made without" if uses_statistics(profile) else "needs none"
            return f"The active scheme, {scheme.algorithm}, {without}. For a scheme with these: {REBUILD}."
        older = Snapshot.objects.using(using).filter(digest=digest).values_list("number", flat=True).first()
        if older is None:
            return f"The statistics of the active scheme are gone; its posts wait. For a scheme with these: {REBUILD}."
        return f"The active scheme goes on with statistics {older}. For a scheme with these: {REBUILD}."

    def _list(self, using: str, alias: str | None) -> None:
        rows = Snapshot.objects.using(using).defer("packed").order_by("profile", "number")
        schemes = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE)
        used = {(each.profile, each.parameters.get("statistics")) for each in schemes}
        found = [row for row in rows if alias in (None, row.profile)]
        for row in found:
            marks = [
                *(["in use"] if (row.profile, row.digest) in used else []),
                *(["newest"] if row.pk == getattr(newest(row.profile, using), "pk", None) else []),
            ]
            self.stdout.write(
                f"{row.profile} {row.number}: {by_clock(row.created):%Y-%m-%d %H:%M}, {what_is_in(row)}"
                f"{'; ' if marks else ''}{', '.join(marks)}"
            )
        if not found:
            if alias is not None:
                _known(alias)
            self.stdout.write("No statistics are kept.")


def _known(alias: str) -> Profile:
    """That profile.  CommandError where the settings have none of that name."""
    try:
        return get_profile(alias)
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from error
