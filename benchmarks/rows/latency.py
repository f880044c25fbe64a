"""Rows of the time from a save to the verdict that a moderator can read."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import largest
from benchmarks.timing import percentile
from benchmarks.verdicts import polling_worker, rung_worker, saves, turn_seconds

POLL_SECONDS = 1.0


@row("17", "from a save to its verdict, with Redis")
def rung(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Edited copies of posts of a large site on PostgreSQL, saved one at a time while the stock `rqworker` is idle:
    from the call of `save()`, with the app's receiver, until another connection reads the pair or the membership."""
    made, wanted = largest("postgresql", sizes, bar), max(2, sizes.lookups * 6 // 100)
    with rung_worker(made) as idle, bar("saves with Redis", wanted) as progress:
        taken = saves(made, wanted, idle, progress)
    yield Figure("17.1", "save to verdict, p50", percentile(taken, 0.5), "s", "<= 0.5")
    yield Figure("17.2", "save to verdict, p95", percentile(taken, 0.95), "s", "<= 2")


@row("18", "from a save to its verdict, without Redis")
def polled(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same with `neardup_worker` alone, which looks every second: the 95th percentile is to keep within that pause.
    Beside it what a turn of such a post takes."""
    made, wanted = largest("postgresql", sizes, bar), max(2, sizes.lookups * 3 // 100)
    turn = turn_seconds(made, wanted)
    with polling_worker(made, POLL_SECONDS) as idle, bar("saves without Redis", wanted) as progress:
        taken = saves(made, wanted, idle, progress)
    yield Figure("18.1", "save to verdict, p50", percentile(taken, 0.5), "s")
    yield Figure("18.2", "save to verdict, p95", percentile(taken, 0.95), "s", f"<= {POLL_SECONDS:g}")
    yield Figure("18.3", "the turn in it, p95", turn, "s")
