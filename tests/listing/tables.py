"""Random tables of posts in clusters, and what of them a list without repetitions must show, found in Python."""

from __future__ import annotations

import uuid
from collections import defaultdict
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from django.db.models import Model, Q, QuerySet, Value
from django.db.models.functions import Length, Lower
from hypothesis import strategies as some

from tests.grouped_lists import rows
from tests.testapp.models import Ad, Author, Comment, SlugPost, UuidPost

WORDS = ["", "a", "A", "b", "Б", "б", "ё", "сваи", "Сваи", "с ваи"]
SLUGS = ["a", "b", "ab", "a-b", "сваи", "два слова", "10", "9", "ё/ж", "100%"]
POSTS = 10


class Row(NamedTuple):
    """A post to be: the cluster it stands in, 0 for none, and what its columns hold."""

    cluster: int
    word: str
    hits: int
    published: bool
    author: int
    comments: int


ROWS = some.lists(
    some.builds(
        Row,
        some.integers(0, 3),
        some.sampled_from(WORDS),
        some.integers(0, 2),
        some.booleans(),
        some.integers(0, 2),
        some.integers(0, 2),
    ),
    max_size=POSTS,
)


class Kind(NamedTuple):
    """A model, and what a list of it may be filtered and ordered by."""

    model: type[Model]
    filters: list[Q]
    orders: list[Any]


TEXT = [Q(), Q(text__icontains="а"), Q(text__gte="b"), ~Q(text="a")]
BY_TEXT = [("text",), ("-text", "-pk"), (Lower("text").desc(), "pk"), (Length("text"),), ("?",), ()]
KINDS = [
    Kind(
        Ad,
        [*TEXT, Q(hits__gte=1), Q(author__name="Иван"), Q(comments__text="да"), Q(published=True)],
        [
            *BY_TEXT, ("-hits", "pk"), ("hits", "-text", "pk"), ("author__name", "pk"), ("-author__name",),
            ("author", "-pk"), (Lower("author__name").desc(nulls_last=True), "hits"),
            (Lower("author__name").asc(nulls_first=True), "pk"), ("length", "-pk"), ("-pk",),
        ],
    ),
    Kind(UuidPost, TEXT, BY_TEXT),
    Kind(SlugPost, TEXT, BY_TEXT),
]  # fmt: skip


def store(kind: Kind, table: Sequence[Row]) -> dict[Any, int]:
    """Makes posts and clusters; the cluster of each post by its key, where it has one."""
    posts = {Ad: _ads, UuidPost: _uuids, SlugPost: _slugs}[kind.model](table)
    members = defaultdict(list)
    for row, post in zip(table, posts):
        if row.cluster:
            members[row.cluster].append(post)
    for each in members.values():
        rows.cluster(*each)
    return {post.pk: row.cluster for row, post in zip(table, posts) if row.cluster}


def _ads(table: Sequence[Row]) -> list[Any]:
    authors = [None, *Author.objects.bulk_create(Author(name=name) for name in ("Иван", "анна"))]
    posts = Ad.objects.bulk_create(
        Ad(text=row.word, hits=row.hits, published=row.published, author=authors[row.author]) for row in table
    )
    Comment.objects.bulk_create(
        Comment(ad=post, text="да") for row, post in zip(table, posts) for _ in range(row.comments)
    )
    return posts


def _uuids(table: Sequence[Row]) -> list[Any]:
    names = (uuid.uuid5(uuid.NAMESPACE_URL, str(place)) for place in range(POSTS))
    return UuidPost.objects.bulk_create(UuidPost(id=name, text=row.word) for name, row in zip(names, table))


def _slugs(table: Sequence[Row]) -> list[Any]:
    return SlugPost.objects.bulk_create(SlugPost(slug=slug, text=row.word) for slug, row in zip(SLUGS, table))


def matching(kind: Kind, condition: Q, order: Sequence[Any]) -> QuerySet[Any]:
    """The list as a search would give it; each post once. Django selects what ``distinct()`` is ordered by, so that
    rows at random are never alike: such a list has no order here."""
    found = kind.model._default_manager.filter(condition).annotate(length=Length("text"), one=Value(1))
    if "comments__text" not in str(condition):
        return found.order_by(*order)
    return found.distinct().order_by(*(() if "?" in order else order))


def expected(posts: Iterable[Any], cluster_of: dict[Any, int]) -> list[Any]:
    """Keys of the first of each cluster, and of those that stand alone."""
    first: dict[Any, Any] = {}
    for post in posts:
        first.setdefault(cluster_of.get(post.pk) or ("alone", post.pk), post.pk)
    return list(first.values())
