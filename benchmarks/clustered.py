"""A table of posts of which many stand in clusters, on PostgreSQL: made in one go, without the pipeline."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta, timezone
from functools import cache
from itertools import chain
from random import Random
from typing import Any, NamedTuple

from benchmarks import site as sites
from benchmarks.figures import Bar
from benchmarks.texts import edited, pool, post

WORDS = 200
SHARE = 0.3
"""Of the posts, those in clusters of two to five."""

SEED = 5
FIRST = datetime(2026, 1, 1, tzinfo=timezone.utc)
EDITED = 0.05
COMMON = 0.05
"""Share of the posts that hold the word which is searched for."""


@cache
def searched() -> Any:
    """The model: a post with a stored vector of its words, registered as a site registers it."""
    from django.contrib.postgres.indexes import GinIndex
    from django.contrib.postgres.search import SearchVector, SearchVectorField
    from django.db import models

    import django_neardup as neardup

    class Searched(models.Model):
        title = models.CharField(max_length=200)
        text = models.TextField()
        created = models.DateTimeField(db_index=True)
        vector = models.GeneratedField(
            expression=SearchVector("title", "text", config="russian"),
            output_field=SearchVectorField(),
            db_persist=True,
        )

        class Meta:
            app_label = "board"
            indexes = [GinIndex(fields=["vector"], name="board_searched_vector")]

    neardup.register(Searched)(type("SearchedNeardup", (neardup.Adapter,), {"fields": ("title", "text")}))
    return Searched


@cache
def word() -> str:
    """A word of the texts that about `COMMON` of the posts hold; no stop word, which a stored vector does not know."""
    from django_neardup.text.tokens.stopwords import STOP_WORDS

    words = (each.lower() for each in pool().words if each.isalpha() and len(each) > 4)
    known = Counter(each for each in words if each not in STOP_WORDS)
    share = (1 - (1 - COMMON) ** (1 / WORDS)) * len(pool().words)
    return min(known, key=lambda each: (abs(known[each] - share), each))


class Layout(NamedTuple):
    """Numbers of the posts, from 0, of each cluster; all other posts stand alone."""

    size: int
    clusters: list[list[int]]

    @property
    def clustered(self) -> int:
        return sum(map(len, self.clusters))


def layout(size: int, large: int) -> Layout:
    """One cluster of `large` posts, and small ones; members stand anywhere in the table."""
    chance = Random(SEED)
    numbers = list(range(size))
    chance.shuffle(numbers)
    clusters = [numbers[:large]]
    place, end = large, large + int(size * SHARE)
    while place < end:
        members = chance.randint(2, 5)
        clusters.append(numbers[place : place + members])
        place += members
    return Layout(size, [each for each in clusters if len(each) > 1])


def build(made: Layout, bar: Bar) -> str:
    """The alias of a PostgreSQL with the posts, their documents and clusters, and a stored vector of their words."""
    from django.db import connections

    model = searched()
    alias = sites.database("postgresql", f"clustered_{made.size}")
    with connections[alias].schema_editor() as editor:
        editor.create_model(model)
    _copy(alias, model._meta.db_table, ("id", "title", "text", "created"), _posts(made), made.size, bar)
    _documents(alias, made, bar)
    with connections[alias].cursor() as cursor:
        cursor.execute("VACUUM ANALYZE")
    return alias


def _documents(alias: str, made: Layout, bar: Bar) -> None:
    from django_neardup.models import Document, Scheme, Space
    from django_neardup.pipeline.content_objects import content_type_of

    kind = content_type_of(searched(), alias).pk
    space = Space.objects.using(alias).create(digest="0" * 32, profile="default").pk
    scheme = Scheme.objects.using(alias).create(
        profile="default",
        generation=1,
        algorithm="neardup",
        canonisation="1",
        language="ru",
        secret="00" * 16,
    )
    columns = ("id", "content_type_id", "object_id", "object_key", "space_id", "live", "state", "first_seen",
               "text_since", "wanted", "done", "attempts", "author", "reason", "recheck", "version",
               "created")  # fmt: skip
    fixed = (space, True, Document.State.INDEXED)
    counters = (0, 1, 1, 0, "", "", False, 1, FIRST)
    rows = ((key, kind, str(key), key, *fixed, key, *counters) for key in range(1, made.size + 1))
    _copy(alias, "neardup_document", columns, rows, made.size, bar)
    clusters = (
        (number, 0, 0, 0, space, scheme.pk, members[0] + 1, len(members), 0.9, 0.9, False, "open", FIRST)
        for number, members in enumerate(made.clusters, 1)
    )
    columns = ("id", "wanted", "done", "attempts", "space_id", "scheme_id", "leader_id", "size", "lowest", "weakest",
               "exact", "state", "created")  # fmt: skip
    _copy(alias, "neardup_cluster", columns, clusters, len(made.clusters), bar)
    members = (
        (place + 1, number, kind, str(place + 1), place + 1, 0.9, "duplicate", False, scheme.pk, "")
        for number, places in enumerate(made.clusters, 1)
        for place in places
    )
    columns = (
        "document_id",
        "cluster_id",
        "content_type_id",
        "object_id",
        "object_key",
        "score",
        "reason",
        "exact",
        "scheme_id",
        "digest",
    )
    _copy(alias, "neardup_membership", columns, members, made.clustered, bar)


def _posts(made: Layout) -> Iterator[tuple[Any, ...]]:
    """Members of a cluster are edited copies of the first of them."""
    source = dict(chain.from_iterable(zip(each, [each[0]] * len(each)) for each in made.clusters))
    for number in range(made.size):
        text = post(source.get(number, number), WORDS)
        if source.get(number, number) != number:
            text = edited(text, Random(number), EDITED)
        yield number + 1, text[:80], text, FIRST + timedelta(minutes=number)


def _copy(
    alias: str, table: str, columns: Sequence[str], rows: Iterator[tuple[Any, ...]], size: int, bar: Bar
) -> None:
    from django.db import connections

    statement = f"COPY {table} ({', '.join(columns)}) FROM STDIN"
    with (
        connections[alias].cursor() as cursor,
        bar(table, size) as progress,
        cursor.copy(statement) as copy,
    ):
        for row in rows:
            copy.write_row(row)
            progress.update(1)
