"""The row of the template tag."""

from __future__ import annotations

from collections.abc import Iterator

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import largest
from benchmarks.tag import tag


@row("23", "a list without repetitions: the tag neardup_group")
def grouped(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """A page of 50 posts of a large site on PostgreSQL, half of them with copies elsewhere, with the tag and its links
    and without it; medians of both in turn."""
    found = tag(largest("postgresql", sizes, bar), max(2, sizes.lookups // 20))
    yield Figure("23.1", "queries", found.queries, "queries", "<= 2")
    yield Figure("23.2", "over the page without it", found.seconds * 1000, "ms", "<= 3")
    yield Figure("23.3", "entries with others behind them", found.grouped, "entries")
