"""Messages of ``neardup_index``: why an index cannot be built, the steps of a dry run, why posts still wait."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.core.management.base import CommandError
from django.db import connections
from django.db.models import Sum

from ..adapters import Adapter
from ..conf import Profile
from ..models import Document, IndexRange
from ..pipeline.index_progress import progress_of
from ..pipeline.missing_statistics import (
    profiles_lacking_statistics,
    profiles_with_lost_statistics,
    unready_content_types,
    would_lack_statistics,
)
from ..pipeline.schemes import active_or_unsaved_scheme
from ..pipeline.worker import pending_rows
from .number_format import format_number


def unique_profiles(adapters: Iterable[Adapter]) -> list[Profile]:
    """Return the profiles of the adapters, without repetitions."""
    return list({adapter.profile: adapter.settings for adapter in adapters}.values())


def refuse_lost_statistics(adapters: Iterable[Adapter], using: str) -> None:
    """Raise CommandError if the statistics of an active scheme are lost."""
    # Nothing can be signed without them. New statistics do not fit an old scheme.
    aliases = sorted({adapter.profile for adapter in adapters} & profiles_with_lost_statistics(using))
    if aliases:
        raise CommandError(
            f"Profile {', '.join(aliases)}: the statistics of the active scheme are lost. "
            "Run python manage.py neardup_index --rebuild: it collects new ones for a new scheme."
        )


def refuse_missing_tables(adapters: Iterable[Adapter], using: str) -> None:
    """Raise CommandError if the database lacks tables of the app or of the models."""
    existing = set(connections[using].introspection.table_names())
    needed = [Document._meta.db_table, *(adapter.model._meta.db_table for adapter in adapters)]
    if missing := [table for table in needed if table not in existing]:
        raise CommandError(
            f"The database {using!r} has no table {missing[0]}. Run python manage.py migrate --database {using} first."
        )


def stopped_message(using: str) -> str:
    """Return the progress of the index, after Ctrl-C."""
    documents = Document.objects.using(using)
    pending, total = documents.filter(pending_since__isnull=False).count(), documents.count()
    return f"Stopped at {format_number(total - pending)} of {format_number(total)}. Run the same command to continue."


def profiles_to_gather(adapters: Iterable[Adapter], using: str, rebuild: bool) -> list[Profile]:
    """Return the profiles with a current or new scheme that needs statistics before it can sign."""
    missing = profiles_lacking_statistics(using)
    return [
        profile
        for profile in unique_profiles(adapters)
        if (would_lack_statistics(profile, using) if rebuild else profile.alias in missing)
    ]


def preparation_lines(adapters: list[Adapter], using: str, rebuild: bool) -> Iterator[str]:
    """Yield one line for each step before the first post is signed."""
    for profile in profiles_to_gather(adapters, using, rebuild):
        yield (
            f"Profile {profile.alias}: {profile.algorithm} needs statistics of the posts. "
            "They would be collected first."
        )
    for profile in unique_profiles(adapters) if rebuild else ():
        number = active_or_unsaved_scheme(profile, using).generation + 1
        yield f"Profile {profile.alias}: generation {number}, {profile.algorithm}, would be started."


def reading_lines(adapters: list[Adapter], using: str, restart: bool) -> Iterator[str]:
    """Yield one line for each model: the number of posts to read.

    ``restart`` ignores what an interrupted pass has done.
    """
    for adapter in adapters:
        total = adapter.model._base_manager.using(using).count()
        finished = 0 if restart else _count_finished_posts(adapter, using)
        remaining = f"{format_number(max(total - finished, 0))} of " if finished else ""
        yield f"{adapter.model._meta.label}: {remaining}{format_number(total)} posts would be read and compared."


def pending_reason(using: str) -> str:
    """Explain why posts still wait although everything that can be processed is done."""
    pending, ready = (
        sum(rows.count() for rows in pending_rows(using, excluded))
        for excluded in ((), unready_content_types(using))
    )
    reason = "another worker has them, or they failed and will be retried."
    if pending == ready:
        return f"Some posts are still pending: {reason}"
    return (
        "Some posts are still pending: there are no statistics for the profile "
        f"{', '.join(sorted(profiles_lacking_statistics(using)))}. "
        "Run neardup_index without models, or with --rebuild if the statistics were lost."
        + (f" Other posts: {reason}" if ready else "")
    )


def _count_finished_posts(adapter: Adapter, using: str) -> int:
    """Count the posts that a resumed pass does not read again."""
    scheme, label = active_or_unsaved_scheme(adapter.settings, using), adapter.model._meta.label_lower
    if progress_of(scheme, label).get("finished"):
        return 0
    ranges = IndexRange.objects.using(using).filter(scheme=scheme.pk, label=label, finished=True)
    return ranges.exclude(last="").aggregate(posts=Sum("posts"))["posts"] or 0
