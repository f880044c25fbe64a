"""What the mark adds to a request that saves a post."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, nullcontext
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.site import database, unheard
from benchmarks.timing import measuring

BLOCK = 10
"""Saves in a run with the receiver, then as many without it: a drift of the machine meets both alike."""
WORDS = "Продаю угловой диван в хорошем состоянии, обивка без пятен, механизм работает исправно. Самовывоз."
WARM_UP = 20
TITLES = {"new": "new post", "edit": "edited post"}
WAYS = [(kind, in_transaction) for kind in TITLES for in_transaction in (True, False)]

STATEMENTS = [
    ("new post, in a transaction", "new", True, "<= 3"),
    ("new post, autocommit", "new", False, "<= 1"),
    ("edited post, in a transaction", "edit", True, "<= 3"),
    ("edited post, autocommit", "edit", False, "<= 2"),
    ("view counter, update_fields", "counter", True, "<= 0"),
]
BOUNDS: dict[str, tuple[str, ...]] = {
    "sqlite": ("<= 1.0", "<= 0.5"),
    "unsafe": ("<= 1.0", "<= 0.6"),
    "postgresql": (),
}
NAMES = {"unsafe": "PostgreSQL without fsync", "postgresql": "PostgreSQL", "sqlite": "SQLite"}

Save = Callable[[], None]


@row("save", "what the mark adds to a save")
def save(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Milliseconds and statements that the receiver adds to a request that saves a post.

    On a PostgreSQL that flushes commits, the mark in autocommit is a separate commit."""
    numbers = count(1)
    alias = database("sqlite")
    for title, kind, in_transaction, most in STATEMENTS:
        value = _statements(alias, kind, in_transaction)
        yield Figure(f"save.{next(numbers)}", title, value, "statements", most)
    for engine in ("sqlite", "unsafe", "postgresql"):
        for way in WAYS:
            yield _added(f"save.{next(numbers)}", engine, way, sizes, bar)


def _added(number: str, engine: str, way: tuple[str, bool], sizes: Sizes, bar: Bar) -> Figure:
    kind, in_transaction = way
    title = f"{NAMES[engine]}: {TITLES[kind]}, {'in a transaction' if in_transaction else 'autocommit'}"
    one = saver(kind, database(engine), in_transaction)
    with bar(title, sizes.rounds) as progress, measuring():
        rounds = [_round(one, sizes.saves, progress) for _ in range(sizes.rounds)]
    return Figure(number, title, median(rounds), "ms", *BOUNDS[engine])


def _round(one: Save, saves: int, progress: Any) -> float:
    """Median with the receiver less median without it, in milliseconds, of that many saves each."""
    times: dict[bool, list[float]] = {True: [], False: []}
    while len(times[False]) < saves:
        for connected in (True, False):
            with receiver(connected):
                one()
                times[connected] += [_timed(one) for _ in range(min(BLOCK, saves))]
    progress.update(1)
    return (median(times[True]) - median(times[False])) * 1000


def _timed(one: Save) -> float:
    start = perf_counter()
    one()
    return perf_counter() - start


def saver(kind: str, alias: str, in_transaction: bool) -> Save:
    """A function that saves a post: a new one, an edited one, or only its counter. It has run a few times."""
    from django.db import transaction

    from tests.testapp.models import Ad

    numbers = count()
    kept = Ad.objects.using(alias).create(title="kept", text=WORDS)

    def wrapped() -> AbstractContextManager[Any]:
        return transaction.atomic(using=alias) if in_transaction else nullcontext()

    def one() -> None:
        number = next(numbers)
        with wrapped():
            if kind == "new":
                Ad(title="new", text=f"{WORDS} {number}").save(using=alias)
            elif kind == "edit":
                kept.text = f"{WORDS} {number}"
                kept.save(using=alias)
            else:
                kept.hits = number
                kept.save(using=alias, update_fields=["hits"])

    for _ in range(WARM_UP):
        one()
    gc.collect()
    return one


def receiver(connected: bool) -> AbstractContextManager[None]:
    """The receiver of saved posts, connected or not while the context lasts; afterwards it is connected."""
    return nullcontext() if connected else unheard("testapp.Ad")


def _statements(alias: str, kind: str, in_transaction: bool) -> int:
    """Statements of one save with the receiver, less those without it."""
    from django.db import connections
    from django.test.utils import CaptureQueriesContext

    one = saver(kind, alias, in_transaction)
    found = []
    for connected in (True, False):
        with receiver(connected), CaptureQueriesContext(connections[alias]) as queries:
            one()
        found.append(len(queries))
    return found[0] - found[1]
