"""The rows of `collapse()`."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import django_neardup as neardup
from benchmarks.clustered import build, layout, searched, word
from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.tag import URLS
from benchmarks.timing import Timed, interleaved

PAGE = 20
DEEP = 100
LARGE = 1000


@row("collapse", "a search without repetitions, counted and cut into pages by the database")
def collapsed(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """A PostgreSQL with 100,000 posts of some 200 words, 30 % of them in clusters of two to five and 1,000 in one. A
    search is its total and its first 20 posts, beside the same search without `collapse()`; the word stands in about
    5 % of the posts. `icontains` reads every post; a stored vector with a GIN index is ordered by rank and by date.
    Medians of both in turn."""
    alias = build(layout(sizes.collection, min(LARGE, sizes.collection // 10)), bar)
    lists = searches(alias)
    spent = _spent(lists, sizes, bar)
    bars = {"by rank": "<= 1.5", "icontains": "<= 1.5"}
    for place, name in enumerate(lists, 1):
        ratio = spent[f"{name}, collapsed"] / spent[name]
        yield Figure(f"collapse.{place}", f"search {name}, beside the plain one", ratio, "x", bars.get(name))
    figures = {
        "first page by an index": (spent["first page, collapsed"], "<= 20"),
        "first page by an index, with labels and links": (spent["labels, collapsed"], "<= 20"),
        "first page by an index, plain": (spent["first page"], None),
        f"page {DEEP} by an index": (spent["deep page, collapsed"], None),
        f"page {DEEP} by an index, plain": (spent["deep page"], None),
        "total of all posts": (spent["total, collapsed"], None),
        "total of all posts, plain": (spent["total"], None),
        **{f"search {name}, plain": (spent[name], None) for name in lists},
    }
    for place, (name, (seconds, must)) in enumerate(figures.items(), 4):
        yield Figure(f"collapse.{place}", name, seconds * 1e3, "ms", must)
    yield Figure("collapse.14", "posts that a search finds", lists["by rank"]().count(), "posts")
    yield Figure(
        "collapse.15", "entries that it shows", neardup.collapse(lists["by rank"]()).count(), "entries"
    )


def searches(alias: str) -> dict[str, Callable[[], Any]]:
    """What makes the plain queryset of each search."""
    from django.contrib.postgres.search import SearchQuery, SearchRank
    from django.db.models import F

    posts = searched()._default_manager.using(alias)
    asked = SearchQuery(word(), config="russian")
    found = posts.filter(vector=asked)
    return {
        "by rank": lambda: found.order_by(SearchRank(F("vector"), asked).desc(), "-created"),
        "icontains": lambda: posts.filter(text__icontains=word()).order_by("-created"),
        "by date": lambda: found.order_by("-created"),
    }


def _spent(lists: dict[str, Callable[[], Any]], sizes: Sizes, bar: Bar) -> dict[str, float]:
    """Median seconds of each, plain and collapsed."""
    from django.test.utils import override_settings

    newest = searched()._default_manager.using(lists["by date"]().db).order_by("-created")
    deep = slice((DEEP - 1) * PAGE, DEEP * PAGE)
    calls: dict[str, Callable[[Any], Any]] = {
        "first page": lambda rows: list(rows[:PAGE]),
        "labels": lambda rows: [(each.neardup.label, each.neardup.url) for each in rows[:PAGE]],
        "deep page": lambda rows: list(rows[deep]),
        "total": lambda rows: rows.count(),
    }
    timed: dict[str, Timed] = {}
    for name, made in lists.items():
        timed[name] = lambda made=made: _search(made())
        timed[f"{name}, collapsed"] = lambda made=made: _search(neardup.collapse(made()))
    for name, call in calls.items():
        timed[f"{name}, collapsed"] = lambda call=call: call(neardup.collapse(newest))
        if name != "labels":
            timed[name] = lambda call=call: call(newest.all())
    with override_settings(ROOT_URLCONF=URLS), bar("searches", sizes.rounds) as progress:
        return interleaved(timed, sizes.rounds, progress)


def _search(rows: Any) -> None:
    rows.count()
    list(rows[:PAGE])
