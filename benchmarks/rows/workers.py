"""The row of two workers that share a backlog."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from contextlib import ExitStack
from statistics import median
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import Site, largest, server_seconds, unpinned
from benchmarks.onsave import ORDINARY, post_of, texts
from benchmarks.processes import environment, running
from benchmarks.site import unheard

ROUNDS = 5
WARM_UP = 50
ROWS = 500


class Drained(NamedTuple):
    """A backlog worked off: turns a second, and the processor seconds of workers and server a thousand turns."""

    rate: float
    workers: float
    server: float


@row("22", "two workers against one")
def workers(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Backlogs of equal size of new posts (a fifth edited copies) on a large site, drained by one process and by two,
    in turn, with PostgreSQL free to use the same cores. The processes are warm and begin together."""
    made, backlog = largest("postgresql", sizes, bar), sizes.lookups * 2
    rounds = min(ROUNDS, sizes.rounds)
    with bar("one worker, two workers", rounds) as progress, unheard("board.Post"), unpinned("postgresql"):
        found = []
        for _ in range(rounds):
            found.append([drained(made, number, backlog) for number in (1, 2)])
            progress.update(1)
    ratio = median(two.rate / one.rate for one, two in found)
    yield Figure("22.1", "two workers to one, turns a second", ratio, "x", ">= 1.5")
    for number, title in enumerate(("one worker", "two workers")):
        every = [each[number] for each in found]
        yield Figure(f"22.{number * 3 + 2}", title, median(each.rate for each in every), "turns/s")
        for place, name in enumerate(("workers", "server"), 3):
            value = median(getattr(each, name) for each in every)
            title_of = f"{title}: processor time of the {name}"
            yield Figure(f"22.{number * 3 + place}", title_of, value, "s a thousand turns")


def drained(made: Site, number: int, backlog: int) -> Drained:
    """Drain a backlog of so many new posts by so many warm processes. RuntimeError if a post is left."""
    with ExitStack() as stack:
        processes = [_warm(made, stack) for _ in range(number)]
        enqueue(made, backlog)
        server = server_seconds(made.engine)
        start = perf_counter()
        for process in processes:
            process.stdin.write("\n")
            process.stdin.flush()
        told = [json.loads(_said(process)) for process in processes]
        seconds = perf_counter() - start
        server = server_seconds(made.engine) - server
    turns = sum(each["turns"] for each in told)
    if turns < backlog:
        raise RuntimeError(f"{turns} turns of {backlog}")
    shares = (1000 * each / turns for each in (sum(one["processor"] for one in told), server))
    return Drained(turns / seconds, *shares)


def _warm(made: Site, stack: ExitStack) -> Any:
    """A process that has drained a few posts and waits to be told to begin."""
    enqueue(made, WARM_UP)
    arguments = [sys.executable, "-m", "benchmarks.draining", str(WARM_UP)]
    process = stack.enter_context(running(arguments, environment(made.alias, made.settings)))
    _said(process)
    return process


def enqueue(made: Site, number: int) -> None:
    """So many new posts, saved in bulk and marked."""
    from benchmarks.board.models import Post
    from django_neardup.pipeline import mark_queryset

    saved = Post._default_manager.using(made.alias).bulk_create(
        [post_of(text) for text in texts(ORDINARY, number)], batch_size=ROWS
    )
    first = min(post.pk for post in saved)
    mark_queryset(Post._default_manager.using(made.alias).filter(pk__gte=first))


def _said(process: Any) -> str:
    line: str = process.stdout.readline()
    if not line:
        raise RuntimeError(f"a worker has ended with status {process.wait()}")
    return line
