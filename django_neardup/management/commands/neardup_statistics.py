"""The command ``neardup_statistics``: gather the statistics that some algorithms need, or find boilerplate."""

from __future__ import annotations

from argparse import ArgumentParser
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import BaseCommand, CommandError

from ...adapters import registered_adapters
from ...algorithms.registry import algorithm_names, get_algorithm
from ...conf import Profile, get_profile
from ...db.timezones import to_local
from ...models import Scheme
from ...models import TermStatistics as Snapshot
from ...pipeline import has_pending
from ...pipeline.content_objects import is_stored_in
from ...pipeline.missing_statistics import uses_statistics
from ...pipeline.statistics_builder import NoPostsToGather, gather_statistics
from ...pipeline.statistics_store import delete_unused, newest_snapshot
from ...queues import notify_worker
from ..arguments import add_database_option, add_progress_option
from ..boilerplate_run import BoilerplateRun
from ..number_format import describe_statistics, format_count
from ..progress_bars import is_quiet, progress_wrapper
from ..rejudgement_run import ignore_line

REBUILD_COMMAND = "python manage.py neardup_index --rebuild"


class Command(BaseCommand):
    help = (
        "Count the posts that have each word, for algorithms that weigh words by their rarity. The counts are stored "
        "as a snapshot. An active scheme keeps its snapshot: to use the newest one, run neardup_index --rebuild. "
        "Snapshots that no scheme uses are removed, except the two newest. With --boilerplate the command finds "
        "passages that many authors, or many posts of one author, share. Such passages no longer make posts variants "
        "of each other. Run this weekly, and then neardup_index --rejudge."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--profile",
            metavar="ALIAS",
            help="use this profile (default: all profiles with an algorithm that needs statistics)",
        )
        parser.add_argument(
            "--sample", type=int, default=0, metavar="N",
            help="read at most N posts of each model, evenly spread (default: all)",
        )  # fmt: skip
        parser.add_argument("--list", action="store_true", help="list the stored snapshots and exit")
        parser.add_argument(
            "--boilerplate", action="store_true",
            help="find passages that many authors, or many posts of one author, share; they take effect immediately",
        )  # fmt: skip
        parser.add_argument("--dry-run", action="store_true", help="only list the boilerplate; store nothing")
        add_progress_option(parser)
        add_database_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        using = options["database"]
        if options["sample"] < 0:
            raise CommandError("--sample must be 1 or more.")
        if options["dry_run"] and not options["boilerplate"]:
            raise CommandError("--dry-run needs --boilerplate.")
        if options["boilerplate"]:
            self._find_boilerplate(using, options)
            return
        if options["list"]:
            self._print_snapshots(using, options["profile"])
            return
        profiles = self._select_profiles(options["profile"], using)
        if not profiles:
            names = [name for name in algorithm_names() if get_algorithm(name).uses_statistics]
            self.stdout.write(
                f"No profile has an algorithm that needs statistics. These algorithms do: {', '.join(names)}. "
                "To collect statistics anyway, name a profile with --profile."
            )
        problems = [
            problem for profile in profiles if (problem := self._gather_profile(profile, using, options))
        ]
        if profiles and has_pending(using):
            # Posts may have waited for these statistics.
            notify_worker(using)
        if problems:
            raise CommandError(" ".join(problems))

    def _find_boilerplate(self, using: str, options: dict[str, Any]) -> None:
        if options["list"] or options["sample"]:
            raise CommandError("Do not combine --boilerplate with --list or --sample.")
        print_line = self.stdout.write if options["verbosity"] else ignore_line
        for profile in self._used_profiles(options["profile"], using):
            BoilerplateRun(profile, using, is_quiet(options), print_line).run(dry_run=options["dry_run"])

    def _select_profiles(self, alias: str | None, using: str) -> list[Profile]:
        profiles = self._used_profiles(alias, using)
        return (
            profiles if alias is not None else [profile for profile in profiles if uses_statistics(profile)]
        )

    def _used_profiles(self, alias: str | None, using: str) -> list[Profile]:
        """Return the profiles of models of the database, or only the one that is named."""
        used = sorted(
            {
                adapter.profile
                for model, adapter in registered_adapters().items()
                if is_stored_in(model, using)
            }
        )
        if alias is None:
            return [_get_profile(used_alias) for used_alias in used]
        profile = _get_profile(alias)
        if alias not in used:
            raise CommandError(f"No registered model in this database has the profile {alias!r}.")
        return [profile]

    def _gather_profile(self, profile: Profile, using: str, options: dict[str, Any]) -> str:
        """Gather a profile's statistics. Return why that failed, or an empty string."""
        progress = progress_wrapper("counting words", is_quiet(options))
        try:
            snapshot, is_new = gather_statistics(profile, using, options["sample"], progress)
        except NoPostsToGather as error:
            return f"No statistics were collected: {error}."
        except ImproperlyConfigured as error:
            return str(error)
        self.stdout.write(
            f"Profile {profile.alias}, statistics {snapshot.number}{'' if is_new else ' (unchanged)'}: "
            f"{describe_statistics(snapshot)}; digest {snapshot.digest}."
        )
        self.stdout.write(self._next_step(profile, snapshot, using))
        removed = delete_unused(profile.alias, using)
        if removed:
            self.stdout.write(f"Removed {format_count(removed, 'older snapshot')} that no scheme uses.")
        return ""

    def _next_step(self, profile: Profile, snapshot: Snapshot, using: str) -> str:
        schemes = Scheme.objects.using(using).filter(profile=profile.alias, state=Scheme.State.ACTIVE)
        scheme = schemes.order_by("-generation").first()
        if scheme is None:
            return (
                "Next: python manage.py neardup_index. A worker processes the posts that are already pending."
            )
        digest = scheme.parameters.get("statistics")
        if digest == snapshot.digest:
            return "The active scheme uses them. A worker or neardup_index processes the pending posts."
        if digest is None:
            relation = "was built without statistics" if uses_statistics(profile) else "needs no statistics"
            return f"The active scheme, {scheme.algorithm}, {relation}. To use these, run {REBUILD_COMMAND}."
        number = Snapshot.objects.using(using).filter(digest=digest).values_list("number", flat=True).first()
        if number is None:
            return (
                "The statistics of the active scheme are lost, so its posts wait. "
                f"To use these, run {REBUILD_COMMAND}."
            )
        return f"The active scheme still uses statistics {number}. To use these, run {REBUILD_COMMAND}."

    def _print_snapshots(self, using: str, alias: str | None) -> None:
        queryset = Snapshot.objects.using(using).defer("packed").order_by("profile", "number")
        schemes = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE)
        used = {(scheme.profile, scheme.parameters.get("statistics")) for scheme in schemes}
        snapshots = [snapshot for snapshot in queryset if alias in (None, snapshot.profile)]
        for snapshot in snapshots:
            marks = [
                *(["in use"] if (snapshot.profile, snapshot.digest) in used else []),
                *(
                    ["newest"]
                    if snapshot.pk == getattr(newest_snapshot(snapshot.profile, using), "pk", None)
                    else []
                ),
            ]
            self.stdout.write(
                f"{snapshot.profile} {snapshot.number}: {to_local(snapshot.created):%Y-%m-%d %H:%M}, "
                f"{describe_statistics(snapshot)}"
                f"{'; ' if marks else ''}{', '.join(marks)}"
            )
        if not snapshots:
            if alias is not None:
                _get_profile(alias)
            self.stdout.write("There are no statistics.")


def _get_profile(alias: str) -> Profile:
    """Return the profile. Raise CommandError if the settings lack it."""
    try:
        return get_profile(alias)
    except ImproperlyConfigured as error:
        raise CommandError(str(error)) from error
