"""What share of the true pairs is found, by exact likeness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.index import Index
from benchmarks.loaded import asked, collection, loaded
from benchmarks.site import database
from benchmarks.texts import posts, quoting
from benchmarks.truth import Truth

QUERIES = 2000
QUOTES = 10_000
QUOTE = 0.25
QUOTED = "quote of a quarter"
LIKE = (0.8, 0.5)


@row("7", "recall on 100,000 posts")
def recall(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Edited copies among posts of 100 words, in the app's key table on SQLite, at most 64 documents read of a bucket.
    True: the exact likeness of the sets of runs of three lemmas, by an inverted index.  A quote: a quarter of a post
    of 200 words in another; minhash-lsh also keeps one of 8 or of 16 runs as a key (`containment`)."""
    size = sizes.collection
    truth, numbers = Truth(collection(size)), asked(size, QUERIES)
    true = {like: _pairs(truth, numbers, like) for like in LIKE}
    bounds = {0.8: (">= 0.999", ">= 1.0"), 0.5: (">= 0.975", ">= 0.99")}
    places = iter(range(1, 100))
    for like in LIKE:
        index = loaded("sqlite", "minhash-lsh", size, bar).index
        yield Figure(
            f"7.{next(places)}", f"found of J >= {like}", _share(index, true[like]), "", *bounds[like]
        )
    quoted = _quoted("minhash-lsh", size, bar, containment=8)
    yield Figure(f"7.{next(places)}", f"{QUOTED}, containment=8", quoted, "", ">= 0.90", ">= 0.95")
    for like in LIKE:
        index = loaded("sqlite", "neardup", size, bar).index
        yield Figure(
            f"7.{next(places)}", f"found of J >= {like}, default scheme", _share(index, true[like]), ""
        )
    yield Figure(f"7.{next(places)}", f"{QUOTED}, default scheme", _quoted("neardup", size, bar), "")
    for like in LIKE:
        yield Figure(f"7.{next(places)}", f"true pairs of J >= {like}", len(true[like]), "pairs")
    yield Figure(
        f"7.{next(places)}",
        f"{QUOTED}, containment=16",
        _quoted("minhash-lsh", size, bar, containment=16),
        "",
    )


Pair = tuple[int, int]


def _pairs(truth: Truth, numbers: Sequence[int], like: float) -> list[Pair]:
    return [(one, other) for one in numbers for other, value in truth.likeness(one).items() if value >= like]


def _share(index: Index, pairs: Sequence[Pair]) -> float:
    """Of these pairs, the share whose first text meets the other in a bucket."""
    texts = collection(index.count)
    firsts = sorted({one for one, _ in pairs})
    met = {one: index.met(index.sign([texts[one]])) for one in firsts}
    return sum(other in met[one] for one, other in pairs) / max(len(pairs), 1)


def _quoted(scheme: str, count: int, bar: Bar, **options: int) -> float:
    """The share of quoting posts that meet the quoted one among so many posts of 200 words."""
    index = Index(database("sqlite", f"quotes_{scheme}_{options.get('containment', 0)}"), scheme, **options)
    with bar("quotes", count) as progress:
        index.load(posts(count, 200), progress=progress)
    numbers = range(0, count, max(1, count // QUOTES))
    met = (index.met(index.sign([quoting(number, 200, QUOTE).text])) for number in numbers)
    return sum(number in found for number, found in zip(numbers, met, strict=True)) / len(numbers)
