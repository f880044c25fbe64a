"""What is said around an index: why it cannot be made, what would be done for it, and what waits after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from django.core.management.base import CommandError
from django.db.models import Sum

from ..adapters import Adapter
from ..conf import Profile
from ..models import IndexRange
from ..pipeline.progress import progress_of
from ..pipeline.readiness import asks_for_statistics, lacking, lost, unready_kinds
from ..pipeline.schemes import present_scheme
from ..pipeline.work import pending
from .figures import spaced


def profiles_of(adapters: Iterable[Adapter]) -> list[Profile]:
    """The profiles of those adapters, each once."""
    return list({adapter.profile: adapter.settings for adapter in adapters}.values())


def refuse_lost(adapters: Iterable[Adapter], using: str) -> None:
    """``CommandError`` where statistics are gone: nothing can be signed by their scheme, new ones are not its own."""
    aliases = sorted({adapter.profile for adapter in adapters} & lost(using))
    if aliases:
        raise CommandError(
            f"Profile {', '.join(aliases)}: the statistics that the active scheme was made with are gone. "
            "python manage.py neardup_index --rebuild makes a new scheme, with statistics of its own."
        )


def to_gather(adapters: Iterable[Adapter], using: str, rebuild: bool) -> list[Profile]:
    """The profiles whose scheme, present or new, cannot sign before statistics are gathered."""
    missing = lacking(using)
    return [
        profile
        for profile in profiles_of(adapters)
        if (asks_for_statistics(profile, using) if rebuild else profile.alias in missing)
    ]


def preparations(adapters: list[Adapter], using: str, rebuild: bool) -> Iterator[str]:
    """What would be done before any post is signed, a line each."""
    for profile in to_gather(adapters, using, rebuild):
        yield (
            f"Profile {profile.alias}: {profile.algorithm} needs statistics of the posts; they would be gathered first."
        )
    for profile in profiles_of(adapters) if rebuild else ():
        number = present_scheme(profile, using).generation + 1
        yield f"Profile {profile.alias}: generation {number}, {profile.algorithm}, would be begun."


def readings(adapters: list[Adapter], using: str, anew: bool) -> Iterator[str]:
    """How many posts would be read, a line a model; ``anew``: whatever was broken off before."""
    for adapter in adapters:
        total = adapter.model._base_manager.using(using).count()
        through = 0 if anew else _through(adapter, using)
        some = f"{spaced(max(total - through, 0))} of " if through else ""
        yield f"{adapter.model._meta.label}: {some}{spaced(total)} posts would be read and compared."


def what_is_left(using: str) -> str:
    """Why posts wait when all is worked off that can be."""
    whole, ready = (
        sum(rows.count() for rows in pending(using, without)) for without in ((), unready_kinds(using))
    )
    others = "another worker has them, or they failed and are put off."
    if whole == ready:
        return f"Some posts wait still: {others}"
    return (
        f"Some posts wait still: those of the profile {', '.join(sorted(lacking(using)))}, which lacks statistics. "
        "Run neardup_index without models, or with --rebuild where they are lost."
        + (f" The others: {others}" if ready else "")
    )


def _through(adapter: Adapter, using: str) -> int:
    """Posts that a pass which was broken off would not read again."""
    scheme, label = present_scheme(adapter.settings, using), adapter.model._meta.label_lower
    if progress_of(scheme, label).get("finished"):
        return 0
    ranges = IndexRange.objects.using(using).filter(scheme=scheme.pk, label=label, finished=True)
    return ranges.exclude(last="").aggregate(posts=Sum("posts"))["posts"] or 0
