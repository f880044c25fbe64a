"""What share of the true pairs is found, by exact likeness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..figures import Bar, Figure, Sizes, row
from ..index import Index
from ..loaded import asked, collection, loaded
from ..site import database
from ..texts import posts, quoting
from ..truth import Truth

QUERIES = 2000
QUOTES = 10_000
QUOTE = 0.25
QUOTED = "quote of a quarter"
SAMPLE = 16
LIKE = (0.8, 0.5)


@row("7", "recall on 100,000 posts")
def recall(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Edited copies among posts of 100 words, in the app's key table on SQLite, at most 64 documents read of a bucket.
    True: the exact likeness of the sets of runs of three lemmas, by an inverted index.  A quote: a quarter of a post
    of 200 words in another, looked up in a tenth of that many posts, and in as many without a bar; minhash-lsh keeps
    one of 16 runs as a key besides (`containment=16`)."""
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
    kept = Index(database("sqlite", "quotes"), "minhash-lsh", containment=SAMPLE)
    name, quoted = f"{QUOTED}, containment rows, in {size // 10:,} posts", _quoted(kept, size // 10, bar)
    yield Figure(f"7.{next(places)}", name, quoted, "", ">= 0.90", ">= 0.95")
    for like in LIKE:
        index = loaded("sqlite", "neardup", size, bar).index
        yield Figure(
            f"7.{next(places)}", f"found of J >= {like}, default scheme", _share(index, true[like]), ""
        )
    own = Index(database("sqlite", "quotes_neardup"), "neardup")
    name, quoted = f"{QUOTED}, default scheme, in {size // 10:,} posts", _quoted(own, size // 10, bar)
    yield Figure(f"7.{next(places)}", name, quoted, "")
    for like in LIKE:
        yield Figure(f"7.{next(places)}", f"true pairs of J >= {like}", len(true[like]), "pairs")
    for name, index in (("containment rows", kept), ("default scheme", own)):
        yield Figure(
            f"7.{next(places)}", f"{QUOTED}, {name}, in {size:,} posts", _quoted(index, size, bar), ""
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


def _quoted(index: Index, count: int, bar: Bar) -> float:
    """The share of quoting posts that meet the quoted one, once the index holds so many posts of 200 words."""
    missing = count - index.count
    with bar("quotes", missing) as progress:
        index.load(posts(missing, 200, start=index.count), index.count, progress)
    numbers = range(0, count, max(1, count // QUOTES))
    met = (index.met(index.sign([quoting(number, 200, QUOTE).text])) for number in numbers)
    return sum(number in found for number, found in zip(numbers, met, strict=True)) / len(numbers)
