"""Statistics gathered over the site's own posts, as the settings would have them signed."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import models

from ..adapters import Adapter, Source, language_of, registered
from ..conf import Profile
from ..models import TermStatistics as Snapshot
from ..narrowing import narrowable
from ..signatures.statistics import TermStatistics
from ..text.document import Document as Text
from ..text.synonyms import Synonyms
from .objects import is_kept_in
from .sign import why_skipped
from .snapshots import keep
from .synonyms import read_classes

logger = logging.getLogger(__name__)

BATCH = 200
Progress = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Wraps objects of a known number and a title, to show how far it is."""


class NothingToGather(ValueError):
    """There is no post whose words could be counted."""


def silent(objects: Iterable[Any], total: int, title: str) -> Iterable[Any]:
    """Show nothing."""
    return objects


def gather(
    profile: Profile, using: str, sample: int = 0, progress: Progress = silent
) -> tuple[Snapshot, bool]:
    """Gather and store the statistics of the profile's posts, and whether they are others than the newest were.

    ``sample``: read at most so many posts of each model, evenly spread in primary key order; 0 reads all.
    ``NothingToGather`` where no post can be compared."""
    statistics = TermStatistics.gather(texts_of(profile, using, sample, progress))
    if not statistics.documents:
        raise NothingToGather(f"profile {profile.alias!r} has no post that can be compared")
    return keep(profile.alias, statistics, using)


def texts_of(profile: Profile, using: str, sample: int = 0, progress: Progress = silent) -> Iterator[Text]:
    """The texts of the profile's posts in that database that are compared, streamed; one that cannot be read is logged
    and left out."""
    classes = read_classes(profile)
    for adapter in sorted(registered().values(), key=lambda adapter: adapter.model._meta.label_lower):
        if adapter.profile == profile.alias and is_kept_in(adapter.model, using):
            language = language_of(adapter, profile)
            synonyms = Synonyms.of(classes, language) if classes else None
            for _, source in sources_of(adapter, using, sample, progress):
                text = Text(source.text, language=language, quotes=adapter.quotes, synonyms=synonyms)
                if not why_skipped(adapter, source, text):
                    yield text


def sources_of(
    adapter: Adapter, using: str, sample: int = 0, progress: Progress = silent
) -> Iterator[tuple[Any, Source]]:
    """Primary keys and sources of a model's posts that are compared, streamed, in primary key order."""
    posts = narrowable(adapter.compared()).using(using).order_by("pk")
    label = adapter.model._meta.label
    total = posts.count()
    chosen = _all(posts) if not sample or sample >= total else _sample(posts, total, sample)
    for post in progress(chosen, min(total, sample or total), label):
        try:
            yield post.pk, adapter.source(post, compared=True, live=True)
        except Exception as error:
            logger.warning("%s %s cannot be read: %s", label, post.pk, type(error).__name__)


def _all(posts: models.QuerySet[Any]) -> Iterator[Any]:
    """The posts in primary key order, few at a time."""
    after = None
    while rows := list((posts if after is None else posts.filter(pk__gt=after))[:BATCH]):
        yield from rows
        after = rows[-1].pk


def _sample(posts: models.QuerySet[Any], total: int, size: int) -> Iterator[Any]:
    """So many of the posts, evenly spread in primary key order; ``size`` is less than ``total``."""
    keys = [
        key
        for place, key in enumerate(posts.values_list("pk", flat=True).iterator())
        if place * size // total != (place - 1) * size // total
    ]
    for start in range(0, len(keys), BATCH):
        yield from posts.filter(pk__in=keys[start : start + BATCH])
