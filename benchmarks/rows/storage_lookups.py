"""One look-up of a post's candidates: beside rows of word runs, of a template's posts, as the table grows."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.keytables import (
    BANDS,
    CAP,
    DEFAULT_KEYS,
    alternated,
    asker,
    of_template,
    ordinary,
    table,
)
from benchmarks.loaded import COPIES, WORDS
from benchmarks.ours import NAMES, algorithm
from benchmarks.rows.storage import LABELS
from benchmarks.shinglerows import filled, find, runs_of
from benchmarks.site import unprepared
from benchmarks.texts import post

BESIDE = {"SQLite": (">= 35", ">= 48"), "PostgreSQL": (">= 12", ">= 17")}
TEMPLATE = {"sqlite": ("<= 4", "<= 3"), "postgresql": ("<= 3", "<= 2"), "mariadb": ("<= 3", "<= 1.5")}
GROWTH = ("<= 1.5", None)
SCHEMES = ((BANDS, "20 keys"), (DEFAULT_KEYS, "default scheme"))
Reach = Callable[[str], str]
WAYS: tuple[tuple[str, str, Reach], ...] = (
    ("sqlite", LABELS["sqlite"], str),
    ("postgresql", LABELS["postgresql"], str),
    ("postgresql", f"{LABELS['postgresql']}, nothing prepared", unprepared),
)
"""Engine, label, and the alias by which a database is reached."""

LOOKUPS = 40
"""Look-ups of a round: rows of word runs take long where posts share many sentences."""


@row("9", "one look-up beside rows of word runs, 200,000 posts")
def beside(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Medians of look-ups of posts of 100 words among 200,000, one statement each: `buckets`, at most 64 documents
    of a bucket; and the posts that share most of a post's runs of three words, of a table with a row a run.  Signing
    and reading the words are left out of both.  PostgreSQL with statements that are prepared, and without, as a site
    behind a pooler has it."""
    places = iter(range(1, 100))
    count = 2 * sizes.collection
    made = filled(count, bar)
    texts = [post(number, WORDS) for number in range(0, count - count // COPIES, max(count // LOOKUPS, 1))]
    texts = texts[: min(LOOKUPS, sizes.lookups)]
    for engine, label, reach in WAYS:
        calls: dict[str, Callable[[int], Any]] = {"runs": _runs(reach(made.rows[engine]), texts)}
        for scheme in NAMES:
            calls[scheme] = _keys(reach(made.keys[engine, scheme]), scheme, texts)
        with bar(label, sizes.rounds) as progress:
            taken = alternated(calls, len(texts), sizes.rounds, progress)
        for scheme, title in NAMES.items():
            bounds = BESIDE[label] if label in BESIDE and scheme == "minhash-lsh" else (None, None)
            ratio = taken["runs"] / taken[scheme]
            yield Figure(f"9.{next(places)}", f"{label}, {title}", ratio, "x", *bounds)
        for name, spent in taken.items():
            title = f"{label}, {NAMES.get(name, 'a row a run of words')}: median"
            yield Figure(f"9.{next(places)}", title, spent * 1e6, "us")


@row("10", "a template's post beside an ordinary one")
def template(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Medians of look-ups in the full key table: of posts of a template, whose largest bucket holds 44 % of its 50,000
    posts, over those of others.  Random keys; at most 64 documents of a bucket are read."""
    places, count = iter(range(1, 100)), sizes.growth[-1]
    for bands, title in SCHEMES:
        for engine, label in LABELS.items():
            alias = table(engine, count, bands)
            calls = {
                "ordinary": asker(alias, ordinary(count, sizes.lookups), bands),
                "template": asker(alias, of_template(count, sizes.lookups), bands),
            }
            with bar(f"{label}, {title}", sizes.rounds) as progress:
                taken = alternated(calls, sizes.lookups, sizes.rounds, progress)
            bounds = TEMPLATE[engine] if bands == BANDS else (None, None)
            ratio = taken["template"] / taken["ordinary"]
            yield Figure(f"10.{next(places)}", f"{label}, {title}", ratio, "x", *bounds)
            for name, spent in taken.items():
                yield Figure(f"10.{next(places)}", f"{label}, {title}, {name}", spent * 1e6, "us")


@row("24", "one look-up as the table grows tenfold")
def growth(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Medians of look-ups of ordinary posts in key tables of 100,000 and 1,000,000 posts: one over the other."""
    places, (small, large) = iter(range(1, 100)), sizes.growth[-2:]
    for bands, title in SCHEMES:
        for engine, label in LABELS.items():
            calls = {
                f"{count:,}": asker(table(engine, count, bands), ordinary(count, sizes.lookups), bands)
                for count in (small, large)
            }
            with bar(f"{label}, {title}", sizes.rounds) as progress:
                taken = alternated(calls, sizes.lookups, sizes.rounds, progress)
            ratio = taken[f"{large:,}"] / taken[f"{small:,}"]
            bounds = GROWTH if bands == BANDS else (None, None)
            yield Figure(f"24.{next(places)}", f"{label}, {title}", ratio, "x", *bounds)
            for count, spent in taken.items():
                yield Figure(f"24.{next(places)}", f"{label}, {title}: look-up at {count}", spent * 1e6, "us")


def _runs(alias: str, texts: list[str]) -> Callable[[int], Any]:
    from django_neardup.text.batch import read_batch

    hashes, offsets = runs_of(read_batch(texts))
    asked = [hashes[start:end].tolist() for start, end in pairwise(offsets)]
    return lambda place: find(alias, asked[place])


def _keys(alias: str, scheme: str, texts: list[str]) -> Callable[[int], Any]:
    import numpy as np

    from django_neardup.comparison.bucket_matches import BucketLimit
    from django_neardup.index import read_buckets
    from django_neardup.text.batch import read_batch

    signed = algorithm(scheme).sign_batch(read_batch(texts))
    asked = [signed.keys_of(number).view(np.int64) for number in range(len(texts))]
    return lambda place: read_buckets(alias, asked[place], BucketLimit.of(CAP))
