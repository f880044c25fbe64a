"""The row of the search for posts without a document."""

from __future__ import annotations

from collections.abc import Iterator
from statistics import median
from time import perf_counter

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import NAMES, largest
from benchmarks.timing import measuring


@row("missing", "the search for posts without a document, on a large site")
def missing(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """One query over all posts and documents of the full collection, of which none is missing: the median of several.
    Workers repeat it while nothing waits, and rest for twenty times as long as it took."""
    from benchmarks.board.models import Post
    from django_neardup.adapters import adapter_for
    from django_neardup.pipeline.reconcile import keys_without_document

    for place, (engine, name) in enumerate(NAMES.items(), 1):
        made, seconds = largest(engine, sizes, bar), list[float]()
        with bar(engine, sizes.rounds) as progress, measuring():
            for _ in range(sizes.rounds):
                start = perf_counter()
                assert not keys_without_document(adapter_for(Post), made.alias)
                seconds.append(perf_counter() - start)
                progress.update(1)
        yield Figure(f"missing.{place}", f"{name}, {made.layout.size:,} posts", median(seconds), "s", "<= 5")
