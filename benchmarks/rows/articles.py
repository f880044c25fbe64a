"""The articles' own designs as the collection grows, beside ours."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.designs import Profiles, SearchThenVerify, WordHashes
from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.index import Index
from benchmarks.loaded import WORDS
from benchmarks.site import database
from benchmarks.texts import copies, posts
from benchmarks.timing import interleaved
from tests.services import workspace

POINTS = (1_000, 10_000, 100_000)
QUICK_POINTS = (50, 100, 200)
LOOKUPS = 25


@row("articles", "the articles' own designs as the collection grows")
def articles(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Milliseconds of one look-up among posts of 100 words, from the text on.  The 15 longest words as rows of a table
    (SQLite); the cosine of word frequencies with every post, in memory; the ten best of a full-text search by 25 words
    (SQLite FTS5), then their common runs of words.  Ours: the app's tables in an SQLite file, verified by payloads."""
    points = QUICK_POINTS if sizes.quick else POINTS
    ours = {
        "default scheme": Index(database("sqlite", "articles_neardup"), "neardup"),
        "minhash-lsh, 20 keys": Index(database("sqlite", "articles_minhash"), "minhash-lsh"),
    }
    places = iter(range(1, 100))
    with TemporaryDirectory(dir=workspace()) as folder, bar("articles", points[-1]) as progress:
        designs: dict[str, Any] = {
            "15 longest words as rows": WordHashes(Path(folder) / "words.sqlite3"),
            "cosine with every post": Profiles(),
            "ten best of a search, verified": SearchThenVerify(Path(folder) / "search.sqlite3"),
        }
        held = 0
        for point in points:
            texts = list(posts(point - held, WORDS, start=held))
            for design in designs.values():
                design.add(texts)
            for index in ours.values():
                index.load(iter(texts), held)
            progress.update(point - held)
            held = point
            asked = [copy.text for copy in copies(min(LOOKUPS, held), held, WORDS)]
            for name, spent in _spent({**designs, **ours}, asked, sizes).items():
                yield Figure(f"articles.{next(places)}", f"{name} at {held:,}", spent * 1e3, "ms")


def _spent(ways: dict[str, Any], asked: list[str], sizes: Sizes) -> dict[str, float]:
    """Seconds of a look-up each."""
    calls = {name: lambda way=way: [way.find(text) for text in asked] for name, way in ways.items()}
    taken = interleaved(calls, min(sizes.rounds, 5))
    return {name: spent / len(asked) for name, spent in taken.items()}
