"""Statistics of the words in the site's posts, gathered in the form that the settings ask for."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from django.db import models

from ..adapters import Adapter, Source, language_of, registered_adapters
from ..algorithms.statistics import TermStatistics
from ..conf import Profile
from ..models import TermStatistics as Snapshot
from ..querysets import filterable
from ..text.canonical_text import CanonicalText as Text
from ..text.tokens.synonyms import Synonyms
from .content_objects import is_stored_in
from .source_properties import skip_reason
from .statistics_store import save_statistics
from .synonym_files import read_synonym_classes

logger = logging.getLogger(__name__)

BATCH = 200
ProgressCallback = Callable[[Iterable[Any], int, str], Iterable[Any]]
"""Wraps an iterable, its length and a title, to show the progress."""


class NoPostsToGather(ValueError):
    """There is no post whose words can be counted."""


def no_progress(objects: Iterable[Any], total: int, title: str) -> Iterable[Any]:
    """Return the objects unchanged, without showing any progress."""
    return objects


def gather_statistics(
    profile: Profile, using: str, sample_size: int = 0, progress: ProgressCallback = no_progress
) -> tuple[Snapshot, bool]:
    """Gather and save the statistics of a profile's posts.

    Return them, and whether they differ from the newest ones.

    ``sample_size``: read at most so many posts of each model, evenly spread in primary key order. 0 reads
    all. Raise NoPostsToGather if no post can be compared.
    """
    statistics = TermStatistics.gather(texts_of(profile, using, sample_size, progress))
    if not statistics.text_count:
        raise NoPostsToGather(f"profile {profile.alias!r} has no post that can be compared")
    return save_statistics(profile.alias, statistics, using)


def texts_of(
    profile: Profile, using: str, sample_size: int = 0, progress: ProgressCallback = no_progress
) -> Iterator[Text]:
    """Yield the texts of the profile's posts in a database, if they are compared.

    A post that cannot be read is logged and left out.
    """
    classes = read_synonym_classes(profile)
    for adapter in sorted(
        registered_adapters().values(), key=lambda adapter: adapter.model._meta.label_lower
    ):
        if adapter.profile == profile.alias and is_stored_in(adapter.model, using):
            language = language_of(adapter, profile)
            synonyms = Synonyms.from_classes(classes, language) if classes else None
            for _, source in sources_of(adapter, using, sample_size, progress):
                text = Text(
                    source.text,
                    language=language,
                    quotes=adapter.quotes,
                    synonyms=synonyms,
                    markup=adapter.markup,
                )
                if not skip_reason(adapter, source, text):
                    yield text


def sources_of(
    adapter: Adapter, using: str, sample_size: int = 0, progress: ProgressCallback = no_progress
) -> Iterator[tuple[Any, Source]]:
    """Yield primary keys and sources of a model's posts that are compared, in primary key order.

    A post that cannot be read is logged and left out.
    """
    posts = filterable(adapter.compared()).using(using).order_by("pk")
    label = adapter.model._meta.label
    total = posts.count()
    selected = (
        _iterate_all(posts)
        if not sample_size or sample_size >= total
        else _iterate_sample(posts, total, sample_size)
    )
    for post in progress(selected, min(total, sample_size or total), label):
        try:
            yield post.pk, adapter.source(post, compared=True, live=True)
        except Exception as error:
            logger.warning("neardup: %s %s cannot be read: %s", label, post.pk, type(error).__name__)


def _iterate_all(posts: models.QuerySet[Any]) -> Iterator[Any]:
    """Yield the posts in primary key order. Few are read at a time."""
    last_pk = None
    while rows := list((posts if last_pk is None else posts.filter(pk__gt=last_pk))[:BATCH]):
        yield from rows
        last_pk = rows[-1].pk


def _iterate_sample(posts: models.QuerySet[Any], total: int, size: int) -> Iterator[Any]:
    """Yield ``size`` of the posts, evenly spread in primary key order. ``size`` is less than ``total``."""
    keys = [
        key
        for position, key in enumerate(posts.values_list("pk", flat=True).iterator())
        if position * size // total != (position - 1) * size // total
    ]
    for start in range(0, len(keys), BATCH):
        yield from posts.filter(pk__in=keys[start : start + BATCH])
