"""The row of a merge: what the proof of its undo costs."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.site import database
from benchmarks.timing import measuring

POSTS, ROWS = 4, 200
MERGES = 5
"""Merges of each kind in a round."""

NAMES = {"sqlite": "SQLite", "postgresql": "PostgreSQL"}


@row("merge", "a merge of four posts, with and without its proof")
def merge_with_proof(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Three adverts with 200 comments, alike in number, are merged into a fourth, in turn with `PROVE_UNDO` and
    without.  A merge with proof is done, undone in a savepoint and compared."""
    place = 1
    for engine in NAMES:
        alias = database(engine, "merges")
        proved, unproved = _measure(alias, 1 if sizes.quick else sizes.rounds * MERGES, bar)
        for name, value, unit, must in (
            ("time beside one without proof", proved / unproved, "x", "<= 3"),
            ("with proof", proved * 1000, "ms", None),
            ("without", unproved * 1000, "ms", None),
        ):
            yield Figure(f"merge.{place}", f"{NAMES[engine]}: {name}", value, unit, must)
            place += 1


def _measure(alias: str, count: int, bar: Bar) -> tuple[float, float]:
    """Return the median seconds of merges with proof and without."""
    times: dict[bool, list[float]] = {True: [], False: []}
    with bar("merges", count) as progress, measuring():
        for number in range(count + 1):
            for is_proved in times:
                seconds = _merge(alias, is_proved)
                if number:  # the first warms up
                    times[is_proved].append(seconds)
            progress.update(1 if number else 0)
    return median(times[True]), median(times[False])


def _merge(alias: str, is_proved: bool) -> float:
    from django.test import override_settings

    from django_neardup.moderation import ActionContext, merge
    from tests.testapp.models import Ad, Comment

    ads: list[Any] = [Ad.objects.using(alias).create(text=f"advert {number}") for number in range(POSTS)]
    Comment.objects.using(alias).bulk_create(
        Comment(ad=ads[1 + number % (POSTS - 1)], text="a comment") for number in range(ROWS)
    )
    with override_settings(NEARDUP={"default": {"BACKEND": None, "PROVE_UNDO": is_proved}}):
        start = perf_counter()
        merge(ads[0], ads[1:], ActionContext(using=alias))
        return perf_counter() - start
