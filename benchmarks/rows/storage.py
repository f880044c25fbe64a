"""What the key table and the default scheme take on the disk, and how fast keys are written."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from statistics import median
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.keytables import (
    BANDS,
    DEFAULT_KEYS,
    key_database,
    keys_of,
    size_of,
    table,
)
from benchmarks.shinglerows import TABLE, filled
from benchmarks.table_sizes import OWN
from benchmarks.timing import measuring, seconds
from benchmarks.whole import Whole, whole

LABELS = {"sqlite": "SQLite", "postgresql": "PostgreSQL", "mariadb": "MariaDB"}
BYTES = {
    "sqlite": ("<= 400", "<= 380"),
    "postgresql": ("<= 1700", None),
    "mariadb": ("<= 1050", "<= 950"),
}
WRITERS = {"sqlite": (">= 7", ">= 9"), "postgresql": (">= 8", ">= 10")}
WRITTEN = 5000


@row("8", "bytes a post of the key table, and of the default scheme")
def size(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The key table with its indexes after the full collection was written in runs of 50,000 posts at 20
    keys and packed, random keys that fall into buckets like the keys of real posts.  Beside it a row for each run of
    three words with its two indexes, of posts of 100 words.
    The default scheme: keys, fingerprints and pairs of 100,000 posts of some 100 words, real sentences recombined, as
    `neardup_index` leaves them; and each table of MariaDB, which row growth does not measure."""
    count = sizes.growth[-1]
    places = iter(range(1, 100))
    with bar("key tables", len(LABELS)) as progress:
        for engine, label in LABELS.items():
            used = size_of(table(engine, count), "neardup_key") / count
            yield Figure(f"8.{next(places)}", f"{label}, 20 keys", used, "bytes", *BYTES[engine])
            progress.update(1)
    indexed: dict[str, Whole] = {}
    for engine, label in LABELS.items():
        indexed[engine] = made = whole(engine, sizes, bar)
        title = f"{label}, default scheme: keys, fingerprint, pairs"
        yield Figure(f"8.{next(places)}", title, made.kept, "bytes")
    beside = filled(2 * sizes.collection, bar)
    for engine, alias in beside.rows.items():
        rows = size_of(alias, TABLE)
        own = size_of(beside.keys[engine, "minhash-lsh"], "neardup_key")
        bounds = (">= 14", None) if engine == "sqlite" else (None, None)
        title = f"{LABELS[engine]}, a row a run of words over a row a key"
        yield Figure(f"8.{next(places)}", title, rows / own, "x", *bounds)
    made = indexed["mariadb"]
    yield Figure(f"8.{next(places)}", "default scheme, keys a post", made.keys / made.posts, "keys")
    for name, used in made.bytes.items():
        if name != OWN:
            title = f"{LABELS['mariadb']}, {made.posts:,} posts: {name}"
            yield Figure(f"8.{next(places)}", title, used / made.posts, "B a post")


@row("11", "writing keys beside the ORM")
def writers(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The keys of 5,000 posts written into an empty table in one transaction: `add_run`, and `bulk_create` of the
    model's objects.  Rows a second, one over the other.  The default scheme: 17 keys a post, as row 8 counts them."""
    places = iter(range(1, 100))
    for bands, title in ((BANDS, "20 keys"), (DEFAULT_KEYS, "default scheme")):
        for engine, label in LABELS.items():
            ways = _ways(key_database(engine, "writers"), WRITTEN if not sizes.quick else sizes.texts, bands)
            with bar(f"{label}, {title}", sizes.rounds) as progress:
                taken = _rounds(ways, sizes.rounds, progress)
            bounds = WRITERS.get(engine, (None, None)) if bands == BANDS else (None, None)
            ratio = taken["orm"] / taken["run"]
            yield Figure(f"11.{next(places)}", f"{label}, {title}", ratio, "x", *bounds)


def _ways(alias: str, count: int, bands: int) -> dict[str, Callable[[], Any]]:
    """Both ways of writing, and how the table is emptied."""
    import numpy as np
    from django.db import connections, transaction

    from django_neardup.index import add_run
    from django_neardup.models import Key

    erase = "DELETE FROM" if connections[alias].vendor == "sqlite" else "TRUNCATE TABLE"
    documents = np.arange(1, count + 1)
    keys = keys_of(documents, bands)
    rows = keys.tolist()

    def run() -> None:
        add_run(alias, keys.ravel(), np.repeat(documents, bands), assume_new=True)

    def orm() -> None:
        objects = [Key(key=key, document=number) for number, each in enumerate(rows, 1) for key in each]
        with transaction.atomic(using=alias):
            Key.objects.using(alias).bulk_create(objects)

    def empty() -> None:
        with connections[alias].cursor() as cursor:
            cursor.execute(f"{erase} neardup_key")

    return {"run": run, "orm": orm, "empty": empty}


def _rounds(ways: dict[str, Callable[[], Any]], rounds: int, progress: Any) -> dict[str, float]:
    """Median seconds of both; the table is emptied between them, which is not counted."""
    times: dict[str, list[float]] = {"run": [], "orm": []}
    with measuring():
        for number in range(rounds + 1):
            for name, taken in times.items():
                ways["empty"]()
                taken.append(seconds(ways[name]))
            progress.update(bool(number))
    ways["empty"]()
    return {name: median(taken[1:]) for name, taken in times.items()}
