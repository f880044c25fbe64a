"""Indexes in memory, which are gone with their process, beside the app's tables in a file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from time import perf_counter
from typing import Any, NamedTuple

from benchmarks.figures import Bar, Figure, NotMeasured, Sizes, row
from benchmarks.loaded import asked, collection, loaded
from benchmarks.ours import NAMES
from benchmarks.peers import SLOTS, needs, runs_of, tokens
from benchmarks.timing import measuring
from benchmarks.truth import Truth

LIKE = 0.5


class Peer(NamedTuple):
    """Texts to features, an index to add them to, numbers of what is found."""

    add: Any
    find: Any


@row("memory", "datasketch, rensa and gaoya in memory, on 100,000 posts")
def memory(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 100 words from text to index, and look-ups from text to candidates (ours to likeness), one core.
    datasketch: MinHashLSH, threshold 0.5.  rensa: RMinHashLSH, 32 bands.  gaoya: 42 bands of 3, its own word runs.
    Found: the share of true pairs of J >= 0.5, exact likeness of runs of three lemmas, among what is returned."""
    texts, size = collection(sizes.collection), sizes.collection
    numbers = asked(size, sizes.lookups)
    truth = Truth(texts)
    true = [{other for other, value in truth.likeness(each).items() if value >= LIKE} for each in numbers]
    places = iter(range(1, 100))
    for name, make in {"datasketch": _datasketch, "rensa": _rensa, "gaoya": _gaoya}.items():
        try:
            peer = make()
        except NotMeasured:
            continue
        with measuring():
            start = perf_counter()
            peer.add(texts)
            middle = perf_counter()
            found = [set(peer.find(texts[each])) for each in numbers]
            end = perf_counter()
        rates = size / (middle - start), len(numbers) / (end - middle)
        yield from _figures(places, name, rates, found, true)
        del peer
    for name, title in NAMES.items():
        index, rate = loaded("sqlite", name, size, bar)
        with measuring():
            start = perf_counter()
            matches = [index.find(texts[each]) for each in numbers]
            spent = perf_counter() - start
        kept = [{match.document for match in each} for each in matches]
        yield from _figures(places, f"{title}, SQLite", (rate, len(numbers) / spent), kept, true)


def _figures(
    places: Iterator[int],
    name: str,
    rates: tuple[float, float],
    found: Sequence[set[int]],
    true: Sequence[set[int]],
) -> Iterator[Figure]:
    total = sum(map(len, true))
    share = sum(len(one & other) for one, other in zip(found, true, strict=True)) / max(total, 1)
    yield Figure(f"memory.{next(places)}", f"{name}: added", rates[0], "texts/s")
    yield Figure(f"memory.{next(places)}", f"{name}: looked up", rates[1], "look-ups/s")
    yield Figure(f"memory.{next(places)}", f"{name}: found of J >= {LIKE}", share, "of the pairs")


def _datasketch() -> Peer:
    module = needs("datasketch")
    lsh = module.MinHashLSH(threshold=LIKE, num_perm=SLOTS)

    def add(texts: Sequence[str]) -> None:
        features = module.MinHash.generator((runs_of(tokens(text)) for text in texts), num_perm=SLOTS)
        for number, feature in enumerate(features):
            lsh.insert(number, feature)

    def find(text: str) -> Any:
        feature = module.MinHash(num_perm=SLOTS)
        feature.update_batch(runs_of(tokens(text)))
        return lsh.query(feature)

    return Peer(add, find)


def _rensa() -> Peer:
    module = needs("rensa")
    lsh = module.RMinHashLSH(threshold=LIKE, num_perm=SLOTS, num_bands=32)

    def feature(text: str) -> Any:
        made = module.RMinHash(num_perm=SLOTS, seed=1)
        made.update(runs_of(tokens(text)))
        return made

    def add(texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            lsh.insert(number, feature(text))

    return Peer(add, lambda text: lsh.query(feature(text)))


def _gaoya() -> Peer:
    needs("gaoya")
    index = needs("gaoya.minhash").MinHashStringIndex(
        hash_size=32,
        jaccard_threshold=LIKE,
        num_bands=42,
        band_size=3,
        analyzer="word",
        lowercase=True,
        ngram_range=(3, 3),
    )

    def add(texts: Sequence[str]) -> None:
        for number, text in enumerate(texts):
            index.insert_document(number, text)

    return Peer(add, index.query)
