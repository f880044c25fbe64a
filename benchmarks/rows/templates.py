"""The row of posts of one template: what a save costs as their family grows, and what is stored of it."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import neardup
from benchmarks.planted import template
from benchmarks.site import database
from benchmarks.timing import measuring

POSTS = 300
LAST = 100
"""The posts of the figures: the first ones have a family that still grows."""

NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@row("templates", "posts of one template, saved one by one")
def templates(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """300 posts of one template, each saved and worked off before the next: the median of a whole turn of the last
    hundred, how many posts each is aligned with, and the pairs that are stored of all.  The site holds nothing else."""
    place = 1
    for engine, name in NAMES.items():
        seconds, aligned, pairs = _measure(engine, 20 if sizes.quick else POSTS, bar)
        for title, value, unit, must in (
            ("a whole turn", seconds * 1000, "ms", None),
            ("aligned with", aligned, "posts", None),
            ("pairs stored", pairs, "a post", None),
        ):
            yield Figure(f"templates.{place}", f"{name}: {title}", value, unit, must)
            place += 1


def _measure(engine: str, count: int, bar: Bar) -> tuple[float, float, float]:
    from django.db import connections
    from django.test import override_settings

    from benchmarks.board.models import Post
    from django_neardup.comparison import verify
    from django_neardup.models import Pair
    from django_neardup.pipeline import drain, mark

    alias, turns, aligned = database(engine, "templates"), list[float](), list[int]()
    with connections[alias].schema_editor() as editor:
        editor.create_model(Post)
    judge_pairs = verify.judge_pairs

    def counted(*arguments: object) -> object:
        judged = judge_pairs(*arguments)  # type: ignore[arg-type]
        aligned[-1] += len(judged)
        return judged

    verify.judge_pairs = counted  # type: ignore[assignment]
    try:
        with (
            override_settings(NEARDUP={"default": neardup("neardup")}),
            bar(engine, count) as progress,
            measuring(),
        ):
            for number in range(count):
                text = template(number)
                post = Post(title=text[:80], text=text, author=number % 50)
                post.save(using=alias)
                mark(post, alias)
                aligned.append(0)
                start = perf_counter()
                drain(alias)
                turns.append(perf_counter() - start)
                progress.update(1)
    finally:
        verify.judge_pairs = judge_pairs
    pairs = Pair.objects.using(alias).count()
    return median(turns[-LAST:]), sum(aligned[-LAST:]) / len(aligned[-LAST:]), pairs / count
