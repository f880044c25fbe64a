"""What candidates cost: the screen by payloads, and the alignment of what passes it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from statistics import median
from typing import Any, NamedTuple

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.index import Index
from benchmarks.loaded import collection, loaded
from benchmarks.ours import NAMES, algorithm
from benchmarks.texts import copies, post
from benchmarks.timing import interleaved, measuring, seconds

ASKED = 2000
LEASED = 100
ALIGNED = 100


class Pairs(NamedTuple):
    """Texts and their candidates: payloads of both sides, keys shared, numbers of words of both."""

    one: list[bytes]
    other: list[bytes]
    shared: list[int]
    words: list[int]
    others: list[int]


@row("19", "verification: the screen, and an aligned pair")
def verification(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Candidates of posts of 100 words in the shared collection, one fifth of them edited copies, by the default
    scheme; the screen goes over the payloads of all candidates of 100 texts at once, as many as a
    worker leases.  Aligned: an edited copy of 200 words and its source, both canonised already, to a verdict
    with its evidence."""
    ended, spent, pairs = _screened("neardup", sizes, bar)
    yield Figure("19.1", "candidates that the screen ends", ended, "", ">= 0.95")
    yield Figure("19.2", "screen, a pair in a batch", spent * 1e6, "us", "<= 2")
    yield Figure("19.3", "aligned pair of 200 words", _aligned(sizes, bar) * 1e3, "ms", "<= 1")
    yield Figure("19.4", "candidates screened", pairs, "pairs")
    ended, spent, pairs = _screened("minhash-lsh", sizes, bar)
    yield Figure("19.5", f"candidates that the screen ends, {NAMES['minhash-lsh']}", ended, "")
    yield Figure("19.6", f"screen, a pair in a batch, {NAMES['minhash-lsh']}", spent * 1e6, "us")
    yield Figure("19.7", f"candidates screened, {NAMES['minhash-lsh']}", pairs, "pairs")


def _screened(name: str, sizes: Sizes, bar: Bar) -> tuple[float, float, int]:
    """The share of candidates that are not worth an alignment, seconds a pair, and pairs."""
    index, used = loaded("sqlite", name, sizes.collection, bar).index, algorithm(name)
    bundles = list(_bundles(index, sizes))
    pairs = sum(len(each.one) for each in bundles)

    def screen() -> list[Any]:
        return [
            used.should_judge_many(
                used.screen_pairs(each.one, each.other), each.shared, each.words, each.others
            )
            for each in bundles
        ]

    with bar(f"screen, {name}", sizes.rounds) as progress:
        taken = interleaved({"screen": screen}, sizes.rounds, progress)["screen"]
    passed = sum(int(each.sum()) for each in screen())
    return 1 - passed / max(pairs, 1), taken / max(pairs, 1), pairs


def _bundles(index: Index, sizes: Sizes) -> Iterator[Pairs]:
    """Of texts spread over the collection, copies and others, as many at once as a worker leases."""
    from django_neardup.text.batch import read_batch

    texts = collection(sizes.collection)
    words = [size for part in _parts(texts, 1000) for size in read_batch(part).lengths.tolist()]
    chosen = range(0, len(texts), max(1, len(texts) // ASKED))
    for numbers in _parts(chosen, LEASED):
        made = Pairs([], [], [], [], [])
        for number in numbers:
            signed = index.sign([texts[number]])
            shared = index.met(signed)
            del shared[number]
            packs = index.packs(list(shared))
            made.one.extend([signed.packs[0]] * len(packs))
            made.other.extend(packs.values())
            made.shared.extend(shared[each] for each in packs)
            made.words.extend([words[number]] * len(packs))
            made.others.extend(words[each] for each in packs)
        if made.one:
            yield made


def _parts(items: Sequence[Any], size: int) -> Iterator[Sequence[Any]]:
    return (items[start : start + size] for start in range(0, len(items), size))


def _aligned(sizes: Sizes, bar: Bar) -> float:
    """Median seconds of a judgement; documents are made and read before, as in a turn."""
    used = algorithm("neardup")
    count = min(ALIGNED, sizes.texts)
    taken = []
    with bar("aligned pairs", count) as progress, measuring():
        for copy in copies(count, count, 200, 9):
            one, other = _documents(copy.text, post(copy.source, 200, 9))
            used.judge(*_documents(copy.text, post(copy.source, 200, 9)))
            taken.append(seconds(lambda one=one, other=other: used.judge(one, other)))
            progress.update(1)
    return median(taken)


def _documents(*texts: str) -> list[Any]:
    from django_neardup.text.canonical_text import CanonicalText

    made = [CanonicalText(text) for text in texts]
    for each in made:
        _ = each.exact_digest, each.weights
    return made
