"""Finding texts like one in 100,000, beside full-text engines."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.fulltext import Fts5, Tantivy, Trigrams
from benchmarks.loaded import asked, collection, loaded, own_fill, rates
from benchmarks.ours import NAMES
from benchmarks.peers import needs
from benchmarks.site import database
from benchmarks.timing import Timed, in_turns, measuring, percentile, seconds
from tests.services import workspace

TRIGRAM_QUERIES = 100


class Anew:
    """A full-text engine that is made anew for every fill, in a folder of its own."""

    index: Any = None

    def __init__(self, make: Callable[[Path], Any], folder: Path) -> None:
        self._make, self._folder = make, folder

    def emptied(self, texts: list[str]) -> Timed:
        """Make it; what fills it."""
        self.index = None
        shutil.rmtree(self._folder, ignore_errors=True)
        self._folder.mkdir()
        self.index = self._make(self._folder / "index")
        return partial(self.index.add, texts)


@row("14", "top ten by full-text engines, on 100,000 posts")
def engines(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 100 words, words known.  Ours: text to keys and payloads in the app's tables in an SQLite file; a
    look-up goes from text to candidates to likeness by the payloads; that of a stored text begins with its fingerprint,
    as tantivy's question does: `more_like_this` of 10 terms on a stored text, ten best, their numbers from a fast
    field; one thread writes.  FTS5: any of the 10 words of highest tf-idf, ten best; the peers verify nothing.  A rate
    is the median of five fills of an empty index, all of them in turn."""
    needs("tantivy")
    texts, size = collection(sizes.collection), sizes.collection
    ours = {name: loaded("sqlite", name, size, bar) for name in NAMES}
    with TemporaryDirectory(dir=workspace()) as folder:
        tantivy, fts5 = Anew(Tantivy, Path(folder) / "tantivy"), Anew(Fts5, Path(folder) / "fts5")
        fills = {"tantivy": partial(tantivy.emptied, texts), "FTS5": partial(fts5.emptied, texts)}
        rate = rates(fills | {name: own_fill(name, texts) for name in NAMES}, size, sizes, bar)
        tantivy.index.learn(), fts5.index.learn()
        spent = _spent(
            {
                **{
                    name: lambda number, index=each.index: index.find(texts[number])
                    for name, each in ours.items()
                },
                **{f"{name}, a stored text": each.index.like for name, each in ours.items()},
                "tantivy": tantivy.index.find,
                "FTS5": lambda number: fts5.index.find(texts[number]),
            },
            asked(size, sizes.lookups),
        )
    own = rate["minhash-lsh"], spent["minhash-lsh"]
    yield Figure("14.1", "index rate, beside tantivy", own[0] / rate["tantivy"], "x", ">= 1.2", ">= 1.5")
    yield Figure("14.2", "look-up p50, beside tantivy", own[1] / spent["tantivy"], "x", "<= 1.0", "<= 0.7")
    yield Figure("14.3", "look-up p50, beside FTS5", own[1] / spent["FTS5"], "x", "<= 0.8", "<= 0.5")
    for place, (name, value) in enumerate(rate.items(), 4):
        yield Figure(f"14.{place}", f"{NAMES.get(name, name)}, index rate", value, "texts/s")
    stored = {name: spent.pop(f"{name}, a stored text") for name in NAMES}
    for place, (name, value) in enumerate(spent.items(), 8):
        yield Figure(f"14.{place}", f"{NAMES.get(name, name)}, look-up p50", value * 1e3, "ms")
    for place, (name, value) in enumerate(stored.items()):
        of = f"{NAMES[name]}, look-up of a stored text, p50"
        yield Figure(f"14.{12 + 2 * place}", of, value * 1e3, "ms")
        yield Figure(f"14.{13 + 2 * place}", f"{of}, beside tantivy", value / spent["tantivy"], "x")


@row("15", "look-up beside pg_trgm, on 100,000 posts")
def trigrams(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same collection with a GIN index of trigrams in PostgreSQL, similarity above 0.5, which is a likeness of the
    letters.  Ours from text to likeness by payloads, on SQLite; on PostgreSQL without a bar."""
    texts, size = collection(sizes.collection), sizes.collection
    numbers = asked(size, min(sizes.lookups, TRIGRAM_QUERIES))
    places = [("sqlite", "minhash-lsh"), ("sqlite", "neardup"), ("postgresql", "minhash-lsh")]
    ours = [loaded(engine, name, size, bar).index for engine, name in places]
    peer = Trigrams(database("postgresql", "trigrams"))
    with measuring():
        rate = size / seconds(partial(peer.add, texts))
    calls: dict[str, Any] = {
        str(place): lambda number, index=index: index.find(texts[number]) for place, index in enumerate(ours)
    }
    spent = _spent({**calls, "peer": lambda number: peer.find(texts[number])}, numbers)
    ratio = [spent["peer"] / spent[str(place)] for place in range(len(ours))]
    yield Figure("15.1", "look-up p50, SQLite", ratio[0], "x", ">= 1000", ">= 2000")
    yield Figure("15.2", "look-up p50, default scheme, SQLite", ratio[1], "x")
    yield Figure("15.3", "look-up p50, PostgreSQL", ratio[2], "x")
    yield Figure("15.4", "pg_trgm, look-up p50", spent["peer"] * 1e3, "ms")
    yield Figure("15.5", "pg_trgm, index rate", rate, "texts/s")


def _spent(calls: dict[str, Callable[[int], Any]], numbers: list[int]) -> dict[str, float]:
    """Median seconds of each call over the numbers, the calls taking turns; a tenth is called once before."""
    with measuring():
        taken = in_turns(calls, numbers, warm=max(1, len(numbers) // 10))
    return {name: percentile(sorted(times), 0.5) for name, times in taken.items()}
