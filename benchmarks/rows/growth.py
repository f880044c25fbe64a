"""The row of what grows with a site, and what does not."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.million import NAMES, Site, site
from benchmarks.onsave import ORDINARY, keys_of, milliseconds, on_save, texts
from benchmarks.table_sizes import bytes_of
from benchmarks.tag import tag
from benchmarks.timing import samples

CAP = 64


@row("growth", "cost by the size of a site")
def growth(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The default scheme: medians of what a save adds (the mark), of a whole turn, of one look-up of a post's keys in
    the index, of the tag on a page of 50; and the bytes that a post takes in each table of the largest site."""
    numbers = count(1)
    for engine, name in NAMES.items():
        for size in sizes.growth:
            for title, value in _costs(site(engine, size, sizes, bar), sizes, bar):
                yield Figure(f"growth.{next(numbers)}", f"{name}: {title} at {size:,}", value, "ms")
    for engine, name in NAMES.items():
        made = site(engine, sizes.growth[-1], sizes, bar)
        for table, size in bytes_of(made.alias).items():
            yield Figure(f"growth.{next(numbers)}", f"{name}: {table}", size / made.layout.size, "B a post")


def _costs(made: Site, sizes: Sizes, bar: Bar) -> Iterator[tuple[str, float]]:
    found = on_save(made, sizes, bar)[ORDINARY]
    yield "mark", milliseconds(found.mark)
    yield "turn", milliseconds(found.turn)
    yield "look-up", milliseconds(_lookups(made, max(3, sizes.lookups * 3 // 10)))
    yield "tag", tag(made, max(2, sizes.lookups // 20)).seconds * 1000


def _lookups(made: Site, number: int) -> list[float]:
    """Seconds of so many look-ups of the keys of new posts."""
    from django_neardup.comparison.bucket_matches import BucketLimit
    from django_neardup.index.keys import read_buckets

    keys = [keys_of(made.alias, text) for text in texts(ORDINARY, number)]
    return samples(lambda place: read_buckets(made.alias, keys[place], BucketLimit.of(CAP)), number)
