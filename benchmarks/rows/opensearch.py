"""The row of keys in OpenSearch beside keys in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import count
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from benchmarks import site as sites
from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.keytables import size_of
from benchmarks.million import Site, site, unpinned, warm
from benchmarks.onsave import ORDINARY, keys_of, texts
from benchmarks.peers import needs
from benchmarks.processes import command, environment, finished, on_all_cores
from benchmarks.rows.workers import drained
from benchmarks.search_node import NODE, LargeOpenSearch, stored_bytes
from benchmarks.site import unheard
from benchmarks.timing import cores, in_turns, measuring, percentile

if TYPE_CHECKING:
    from django_neardup.index import KeyIndex

PATH = "django_neardup.index.opensearch.OpenSearchIndex"
CAP = 64
WARM_LOOKUPS = 20
SECONDS = 60
"""A busy machine answers late: a look-up is measured, and not given up."""
MEGABYTE = 10**6


@row("opensearch", "keys in OpenSearch beside PostgreSQL")
def opensearch(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same site twice: keys in the table of PostgreSQL, and a copy of its database with the keys in one node of
    OpenSearch (one shard, no copies, 1 GB of heap), filled by `neardup_index --rebuild-index`.  A look-up: both
    buckets of each key of a new post, in turn.  Jobs: new posts, a fifth of them edited copies, drained by one warm
    process, which also sends the changes.  Bytes: the key table with its indexes; the index as it stands."""
    needs("opensearchpy")
    numbers = count(1)
    for size in sizes.growth[1:]:
        for title, value, unit in _measured(site("postgresql", size, sizes, bar), sizes, bar):
            yield Figure(f"opensearch.{next(numbers)}", f"{title} at {size:,}", value, unit)


def _measured(made: Site, sizes: Sizes, bar: Bar) -> Iterator[tuple[str, float, str]]:
    yield "PostgreSQL: the key table", size_of(made.alias, "neardup_key") / made.layout.size, "B a post"
    copy = replace(made, alias=sites.copied(made.alias, "in_opensearch"), index=_setting(made))
    seconds, peak = _moved(copy, bar)
    yield "OpenSearch: index built from the fingerprints", made.layout.size / seconds, "posts/s"
    yield "OpenSearch: memory of that process", peak / MEGABYTE, "MB"
    yield "OpenSearch: the index", stored_bytes(_index_name(made)) / made.layout.size, "B a post"
    for both in (made, copy):
        warm(both)
    for name, ordered in _lookups(made, copy, sizes).items():
        yield f"{name}: look-up, median", median(ordered) * 1000, "ms"
        yield f"{name}: look-up, 99th percentile", percentile(ordered, 0.99) * 1000, "ms"
    with unheard("board.Post"), unpinned("postgresql"), on_all_cores(sites.server(NODE).pid, set(cores())):
        for name, each in (("PostgreSQL", made), ("OpenSearch", copy)):
            with bar(f"jobs, {name}", 1) as progress:
                yield f"{name}: jobs", drained(each, 1, sizes.lookups).rate, "turns/s"
                progress.update(1)


def _moved(copy: Site, bar: Bar) -> tuple[float, int]:
    """Fill OpenSearch with the keys. Return the seconds, and the most memory that the process held."""
    asked = command("neardup_index", "--rebuild-index", "--no-progress")
    with bar("keys into OpenSearch", 1) as progress:
        start = perf_counter()
        ended = finished(asked, environment(copy.alias, copy.settings))
        progress.update(1)
        return perf_counter() - start, ended.peak


def _lookups(made: Site, copy: Site, sizes: Sizes) -> dict[str, list[float]]:
    """Sorted seconds of the look-ups of the keys of new posts."""
    from django_neardup.index.index_class import create_index

    keys = [keys_of(made.alias, text) for text in texts(ORDINARY, sizes.lookups)]
    indexes = {
        "PostgreSQL": create_index("django_neardup.index.DatabaseIndex", made.alias),
        "OpenSearch": create_index(copy.index, copy.alias),
    }
    # The processes have built it: to them the database of the site is the default one.
    indexes["OpenSearch"].name = _index_name(made)
    calls = {name: _asker(index, keys) for name, index in indexes.items()}
    with measuring():
        times = in_turns(calls, range(len(keys)), warm=min(WARM_LOOKUPS, len(keys)))
    return {name: sorted(taken) for name, taken in times.items()}


def _asker(index: KeyIndex, keys: list[Any]) -> Callable[[int], Any]:
    from django_neardup.comparison.bucket_matches import BucketLimit
    from django_neardup.comparison.packed_keys import both_buckets

    limit = BucketLimit.of(CAP)
    asked = [sorted(set(both_buckets(each).tolist())) for each in keys]
    return lambda place: index.read_buckets(asked[place], *limit)


def _setting(made: Site) -> dict[str, Any]:
    """INDEX of the copy: an index of its own on the run's node."""
    node = cast(LargeOpenSearch, sites.server(NODE))
    return {
        "BACKEND": PATH, "HOSTS": [node.host], "NAME": f"posts{made.layout.size}", "REPLICAS": 0,
        "TIMEOUT": SECONDS,
    }  # fmt: skip


def _index_name(made: Site) -> str:
    return f"posts{made.layout.size}-default"
