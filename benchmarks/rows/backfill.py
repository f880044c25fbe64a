"""Rows of the index that a site of a million posts gets: how much memory it takes, and what is found in it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.found_again import Found, found, offered_in_a_crowd
from benchmarks.million import NAMES, largest, site

MEGABYTE = 1 << 20
WAYS = ("offered to alignment", "paired")


@row("20", "indexing a large site")
def backfill(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """`neardup_index --workers 2` over posts of some 100 words, the default scheme.

    Memory is the most that one of its processes has held resident (VmHWM), pages of mapped files among it."""
    numbers = count(1)
    for engine, name in NAMES.items():
        made = largest(engine, sizes, bar)
        for title, value, unit, must in (
            ("most memory of a worker", made.peak / MEGABYTE, "MB", "<= 300"),
            (
                f"{made.layout.size:,} posts, {made.workers} workers",
                made.layout.size / made.seconds,
                "posts/s",
                None,
            ),
            (
                "processor time of the workers",
                1000 * made.processor / made.layout.size,
                "s a thousand posts",
                None,
            ),
            (
                "processor time of the server",
                1000 * made.server / made.layout.size,
                "s a thousand posts",
                None,
            ),
        ):
            yield Figure(f"20.{next(numbers)}", f"{name}: {title}", value, unit, must)


@row("25", "planted pairs are found as the collection grows")
def recall(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same planted pairs, posts and edited copies that the default scheme calls alike when it is asked of the two,
    in a small and in the full collection: how many of them a look-up of the copy offers to alignment, only by
    keys, capped buckets and screen, and how many are stored as pairs.  And copies of posts of a template that
    fills buckets,
    edited likewise: how many of them are offered the copied post or its representative."""
    numbers = count(1)
    for engine, name in NAMES.items():
        shares: list[Found] = []
        for size in (sizes.growth[0], sizes.growth[-1]):
            made = site(engine, size, sizes, bar)
            shares.append(found(made))
            for way, share in zip(WAYS, shares[-1]):
                yield Figure(f"25.{next(numbers)}", f"{name}: {way} at {size:,}", share * 100, "%")
        for way, small, large in zip(WAYS, *shares):
            yield Figure(
                f"25.{next(numbers)}", f"{name}: {way}, large against small", large / small, "x", ">= 0.99"
            )
    for engine, name in NAMES.items():
        for size in (sizes.growth[0], sizes.growth[-1]):
            share = offered_in_a_crowd(site(engine, size, sizes, bar))
            title = f"{name}: copies in a crowd, offered at {size:,}"
            yield Figure(f"25.{next(numbers)}", title, share * 100, "%")
