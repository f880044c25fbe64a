"""Finding texts like one in 100,000, beside full-text engines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter
from typing import Any

from tests.services import workspace

from ..figures import Bar, Figure, Sizes, row
from ..fulltext import Fts5, Tantivy, Trigrams
from ..loaded import asked, collection, loaded
from ..ours import NAMES
from ..peers import needs
from ..site import database
from ..timing import in_turns, measuring, percentile

TRIGRAM_QUERIES = 100


@row("14", "top ten by full-text engines, on 100,000 posts")
def engines(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 100 words, words known.  Ours: text to keys and payloads in the app's tables in an SQLite file; a
    look-up goes from text to candidates to likeness by the payloads.  tantivy: one writing thread, `more_like_this` of
    10 terms on a stored text, ten best.  FTS5: any of the 10 words of highest tf-idf, ten best; the peers verify
    nothing."""
    needs("tantivy")
    texts, size = collection(sizes.collection), sizes.collection
    ours = {name: loaded("sqlite", name, size, bar) for name in NAMES}
    with TemporaryDirectory(dir=workspace()) as folder, bar("full text", 2) as progress:
        tantivy, fts5 = Tantivy(Path(folder) / "tantivy"), Fts5(Path(folder) / "fts5.sqlite3")
        rates = {}
        for name, peer in {"tantivy": tantivy, "FTS5": fts5}.items():
            rates[name] = _rate(peer.add, texts)
            progress.update(1)
        fts5.learn()
        spent = _spent(
            {
                **{
                    name: lambda number, index=each.index: index.find(texts[number])
                    for name, each in ours.items()
                },
                "tantivy": tantivy.find,
                "FTS5": lambda number: fts5.find(texts[number]),
            },
            asked(size, sizes.lookups),
        )
    own = ours["minhash-lsh"].rate, spent["minhash-lsh"]
    rates |= {name: each.rate for name, each in ours.items()}
    yield Figure("14.1", "index rate, beside tantivy", own[0] / rates["tantivy"], "x", ">= 1.2", ">= 1.5")
    yield Figure("14.2", "look-up p50, beside tantivy", own[1] / spent["tantivy"], "x", "<= 1.0", "<= 0.7")
    yield Figure("14.3", "look-up p50, beside FTS5", own[1] / spent["FTS5"], "x", "<= 0.8", "<= 0.5")
    for place, (name, rate) in enumerate(rates.items(), 4):
        yield Figure(f"14.{place}", f"{NAMES.get(name, name)}, index rate", rate, "texts/s")
    for place, (name, value) in enumerate(spent.items(), 8):
        yield Figure(f"14.{place}", f"{NAMES.get(name, name)}, look-up p50", value * 1e3, "ms")


@row("15", "look-up beside pg_trgm, on 100,000 posts")
def trigrams(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same collection with a GIN index of trigrams in PostgreSQL, similarity above 0.5, which is a likeness of the
    letters.  Ours from text to likeness by payloads, on SQLite; on PostgreSQL without a bar."""
    texts, size = collection(sizes.collection), sizes.collection
    numbers = asked(size, min(sizes.lookups, TRIGRAM_QUERIES))
    places = [("sqlite", "minhash-lsh"), ("sqlite", "neardup"), ("postgresql", "minhash-lsh")]
    ours = [loaded(engine, name, size, bar).index for engine, name in places]
    peer = Trigrams(database("postgresql", "trigrams"))
    rate = _rate(peer.add, texts)
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


def _rate(add: Callable[[list[str]], None], texts: list[str]) -> float:
    """Texts a second."""
    with measuring():
        start = perf_counter()
        add(texts)
        return len(texts) / (perf_counter() - start)


def _spent(calls: dict[str, Callable[[int], Any]], numbers: list[int]) -> dict[str, float]:
    """Median seconds of each call over the numbers, the calls taking turns; a tenth is called once before."""
    with measuring():
        taken = in_turns(calls, numbers, warm=max(1, len(numbers) // 10))
    return {name: percentile(sorted(times), 0.5) for name, times in taken.items()}
