"""The row of the first index beside marks that workers see to."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import ExitStack
from time import perf_counter
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import Site, neardup, on_postgresql, site, unpinned
from benchmarks.processes import environment, running


@row("first", "the first index, beside marks and workers")
def first_index(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The posts of the middle collection on PostgreSQL: `neardup_index` with two processes, and `mark_queryset` with
    two processes that drain.  One run of each."""
    made = site("postgresql", sizes.growth[1], sizes, bar)
    seconds, pairs = _marked_and_drained(made, bar)
    yield Figure("first.1", "marks and workers beside neardup_index", seconds / made.seconds, "x", None)
    yield Figure("first.2", "neardup_index", made.layout.size / made.seconds, "posts/s", None)
    yield Figure("first.3", "marks and workers", made.layout.size / seconds, "posts/s", None)
    yield Figure("first.4", "pairs of marks and workers beside those of neardup_index", pairs, "x", None)


def _marked_and_drained(made: Site, bar: Bar) -> tuple[float, float]:
    """Return the seconds, and how many pairs are found beside those of `neardup_index`.

    In full buckets, which posts are compared depends on their order. RuntimeError if a post is missing."""
    from benchmarks.board.models import Post
    from django_neardup.models import Fingerprint, Pair
    from django_neardup.pipeline import mark_queryset

    alias = on_postgresql(made.layout, "marked", bar)
    with bar("marks and workers", 1) as progress, unpinned("postgresql"), ExitStack() as stack:
        start = perf_counter()
        mark_queryset(Post._default_manager.using(alias))
        arguments = [sys.executable, "-m", "benchmarks.draining", "0"]
        workers: list[Any] = [
            stack.enter_context(running(arguments, environment(alias, neardup("neardup"))))
            for _ in range(made.workers)
        ]
        for worker in workers:
            worker.stdin.write("\n")
            worker.stdin.flush()
        for worker in workers:
            worker.wait()
        seconds = perf_counter() - start
        progress.update(1)
    fingerprints = Fingerprint._default_manager.using(alias).count()
    if fingerprints < made.layout.size:
        raise RuntimeError(f"{alias}: {fingerprints} of {made.layout.size} posts are in the index")
    pairs, others = (Pair._default_manager.using(name).count() for name in (alias, made.alias))
    return seconds, pairs / others
