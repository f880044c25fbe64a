"""The row of keys in OpenSearch beside keys in PostgreSQL."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from itertools import chain, count
from statistics import median
from time import perf_counter
from typing import TYPE_CHECKING, Any, cast

from benchmarks import site as sites
from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.keytables import DEFAULT_KEYS, keys_of, ordinary, size_of, table
from benchmarks.million import Site, site, unpinned, warm
from benchmarks.peers import needs
from benchmarks.processes import command, environment, finished, on_all_cores
from benchmarks.rows.workers import drained
from benchmarks.search_node import NODE, LargeOpenSearch, stored_bytes
from benchmarks.site import unheard
from benchmarks.timing import cores, in_turns, measuring, percentile

if TYPE_CHECKING:
    from benchmarks.keytables import Numbers
    from django_neardup.index import KeyIndex

PATH = "django_neardup.index.opensearch.OpenSearchIndex"
CAP = 64
WARM_LOOKUPS = 20
ROUNDS = 3
LOOKUPS_PER_JOB = 5
SECONDS = 60
"""A busy machine answers late: a look-up is measured, and not given up."""
MEGABYTE = 10**6


@row("opensearch", "keys in OpenSearch beside PostgreSQL")
def opensearch(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """One node of OpenSearch with one shard, no copies and 1 GB of heap.  Bytes and look-ups: random keys as those of
    row 8, 17 a post, in the key table with its indexes, and in an index that the app's own bulk requests have filled,
    as it stands.  A look-up: both buckets of each key of a post, in turn.
    Jobs: a site of as many posts twice, its keys in PostgreSQL, and in OpenSearch, built by `neardup_index
    --rebuild-index`.  Backlogs of new posts, a fifth of them edited copies, drained in turn by one warm process each,
    which also sends the changes."""
    needs("opensearchpy")
    numbers = count(1)
    for size in sizes.growth[1:]:
        for title, value, unit in chain(_keys(size, sizes, bar), _jobs(size, sizes, bar)):
            yield Figure(f"opensearch.{next(numbers)}", f"{title} at {size:,}", value, unit)


def _keys(size: int, sizes: Sizes, bar: Bar) -> Iterator[tuple[str, float, str]]:
    """Bytes and look-ups of key tables without texts."""
    with bar(f"{size:,} posts, PostgreSQL", 1) as progress:
        alias = table("postgresql", size, DEFAULT_KEYS)
        progress.update(1)
    yield "PostgreSQL: the key table", size_of(alias, "neardup_key") / size, "B a post"
    from django_neardup.index.index_class import create_index

    index = create_index(_setting(f"keys{size}"), sites.database("postgresql", "opensearch"))
    with bar(f"{size:,} posts, OpenSearch", size) as progress:
        start = perf_counter()
        _fill(index, size, progress)
        yield "OpenSearch: bulk requests", size / (perf_counter() - start), "posts/s"
    yield "OpenSearch: the index", stored_bytes(index.name) / size, "B a post"
    indexes = {"PostgreSQL": create_index("django_neardup.index.DatabaseIndex", alias), "OpenSearch": index}
    keys = keys_of(ordinary(size, sizes.lookups), DEFAULT_KEYS)
    calls = {name: _asker(each, keys) for name, each in indexes.items()}
    with bar(f"{size:,} posts, look-ups", 1) as progress, measuring():
        times = in_turns(calls, range(len(keys)), warm=min(WARM_LOOKUPS, len(keys)))
        progress.update(1)
    for name, taken in times.items():
        ordered = sorted(taken)
        yield f"{name}: look-up, median", median(ordered) * 1000, "ms"
        yield f"{name}: look-up, 99th percentile", percentile(ordered, 0.99) * 1000, "ms"


def _fill(index: Any, size: int, progress: Any) -> None:
    """Write documents as a shipment does."""
    import numpy as np

    from django_neardup.index.opensearch import index_state, shipping
    from django_neardup.index.opensearch.key_documents import Entry

    state = index_state.claim(index.using, index.name)
    shipping.create_first_index(index, state)
    for start in range(1, size + 1, shipping.BATCH):
        documents = np.arange(start, min(start + shipping.BATCH, size + 1))
        rows = keys_of(documents, DEFAULT_KEYS).tolist()
        entries = [Entry(document, 1, set(keys)) for document, keys in zip(documents.tolist(), rows)]
        shipping.write_entries(index, state.in_use, None, entries)
        shipping.refresh(index, state.in_use)
        progress.update(len(entries))
    index_state.release(state, index.using)


def _jobs(size: int, sizes: Sizes, bar: Bar) -> Iterator[tuple[str, float, str]]:
    """Turns of a worker on a site of real texts."""
    made = site("postgresql", size, sizes, bar)
    copy = replace(made, alias=sites.copied(made.alias, "in_opensearch"), index=_setting(f"posts{size}"))
    seconds, peak = _moved(copy, bar)
    yield "OpenSearch: index built from the fingerprints", size / seconds, "posts/s"
    yield "OpenSearch: memory of that process", peak / MEGABYTE, "MB"
    with unheard("board.Post"), unpinned("postgresql"), on_all_cores(sites.server(NODE).pid, set(cores())):
        rounds, backlog = min(ROUNDS, sizes.rounds), max(1, sizes.lookups // LOOKUPS_PER_JOB)
        rates: dict[str, list[float]] = {"PostgreSQL": [], "OpenSearch": []}
        for each in (made, copy):
            warm(each)
        with bar("jobs", rounds) as progress:
            for _ in range(rounds):
                for name, each in (("PostgreSQL", made), ("OpenSearch", copy)):
                    rates[name].append(drained(each, 1, backlog).rate)
                progress.update(1)
    for name, measured in rates.items():
        yield f"{name}: jobs", median(measured), "turns/s"


def _moved(copy: Site, bar: Bar) -> tuple[float, int]:
    """Fill OpenSearch with the keys. Return the seconds, and the most memory that the process held."""
    asked = command("neardup_index", "--rebuild-index", "--no-progress")
    with bar("keys into OpenSearch", 1) as progress:
        start = perf_counter()
        ended = finished(asked, environment(copy.alias, copy.settings))
        progress.update(1)
        return perf_counter() - start, ended.peak


def _asker(index: KeyIndex, keys: Numbers) -> Callable[[int], Any]:
    from django_neardup.comparison.bucket_matches import BucketLimit
    from django_neardup.comparison.packed_keys import both_buckets

    limit = BucketLimit.of(CAP)
    asked = [sorted(set(both_buckets(each).tolist())) for each in keys]
    return lambda place: index.read_buckets(asked[place], *limit)


def _setting(name: str) -> dict[str, Any]:
    """INDEX with an index of that name on the run's node."""
    node = cast(LargeOpenSearch, sites.server(NODE))
    return {"BACKEND": PATH, "HOSTS": [node.host], "NAME": name, "REPLICAS": 0, "TIMEOUT": SECONDS}
