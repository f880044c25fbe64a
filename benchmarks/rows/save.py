"""What the mark adds to a request that saves a post."""

from __future__ import annotations

import gc
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from itertools import count
from statistics import median
from time import perf_counter
from typing import Any

from ..figures import Bar, Figure, Sizes, row
from ..site import database

BLOCK = 10
"""Saves in a run with the receiver, then as many without it: a drift of the machine meets both alike."""
WORDS = "Продаю угловой диван в хорошем состоянии, обивка без пятен, механизм работает исправно. Самовывоз."
WARM_UP = 20
TITLES = {"new": "new post", "edit": "edited post"}
WAYS = [(kind, in_transaction) for kind in TITLES for in_transaction in (True, False)]

Save = Callable[[], None]


@row
def save(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Milliseconds that the mark adds to a save, on a private PostgreSQL without fsync."""
    for way in WAYS:
        yield _added("postgresql", way, sizes, bar, must="<= 1.0", stretch="<= 0.6")


@row
def save_durable(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same on a PostgreSQL with fsync: in autocommit the mark is a commit of its own."""
    for way in WAYS:
        yield _added("durable", way, sizes, bar)


@row
def save_sqlite(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same on SQLite in a file, with the write-ahead log."""
    for way in WAYS:
        yield _added("sqlite", way, sizes, bar, must="<= 1.0", stretch="<= 0.5")


@row
def statements(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Statements that the mark adds: to a save, and to a counter that nobody watches."""
    alias = database("sqlite")
    yield Figure("new post, in a transaction", _statements(alias, "new", True), "statements", "<= 3")
    yield Figure("new post, autocommit", _statements(alias, "new", False), "statements", "<= 1")
    yield Figure("view counter, update_fields", _statements(alias, "counter", True), "statements", "<= 0")


def _added(name: str, way: tuple[str, bool], sizes: Sizes, bar: Bar, **bounds: str) -> Figure:
    kind, in_transaction = way
    title = f"{TITLES[kind]}, {'in a transaction' if in_transaction else 'autocommit'}"
    one = saver(kind, database(name), in_transaction)
    with bar(f"{name}: {title}", sizes.rounds) as progress:
        rounds = [_round(one, sizes.saves, progress) for _ in range(sizes.rounds)]
    return Figure(title, round(median(rounds), 3), "ms", **bounds)


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


@contextmanager
def receiver(connected: bool) -> Iterator[None]:
    """The receiver of saved posts, connected or not while the context lasts; afterwards it is connected."""
    from django.db.models.signals import post_save

    from django_neardup.receivers import listen
    from tests.testapp.models import Ad

    if not connected and not post_save.disconnect(sender=Ad, dispatch_uid=f"neardup.{Ad._meta.label}"):
        raise RuntimeError("the receiver was not connected: its dispatch_uid is another one")
    try:
        yield
    finally:
        listen(Ad)


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
