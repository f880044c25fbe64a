"""From text to signature, beside datasketch, rensa and `split`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, NamedTuple

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.ours import NAMES, algorithm, signed
from benchmarks.peers import (
    datasketch_signatures,
    needs,
    rensa_circulant,
    rensa_signatures,
    split_words,
)
from benchmarks.texts import posts
from benchmarks.timing import interleaved

BOUNDS = {200: (">= 0.9", ">= 1.3"), 2000: (">= 1.3", ">= 1.8"), 40: (">= 0.5", ">= 0.8")}


class Peer(NamedTuple):
    """Another way from texts to signatures, and the bounds of how many times as fast ours is to be."""

    title: str
    sign: Callable[[Sequence[str]], Any]
    must: str | None = None
    stretch: str | None = None


DATASKETCH = Peer("re + datasketch", datasketch_signatures, ">= 10", ">= 15")
RENSA = Peer("re + rensa R-MinHash", rensa_signatures, ">= 3.5", ">= 5")
CIRCULANT = Peer("re + rensa C-MinHash", rensa_circulant)


@row("1", "text to signature, beside datasketch")
def datasketch(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 200 words in one batch, words known: `read_batch` and `sign`.  The peer: `re`, runs of three words,
    `MinHash.bulk` of 128 permutations.  The plain canoniser, by which each step of ours is defined: `Document(text)`,
    then `keys` and `pack`, a text at a time, words known as well.  "Not met before": posts that no round has seen."""
    needs("datasketch")
    plain = Peer("the plain canoniser", _plain, ">= 3")
    yield from _beside("1", (DATASKETCH, plain), 7, sizes, bar)
    yield _unseen("1.6", sizes, bar)


@row("2", "text to signature, beside rensa")
def rensa(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same beside `re` and rensa's R-MinHash, all texts as one matrix from bytes, and its C-MinHash, all texts by
    one call from bytes; both are unbiased.  Rensa's "Rho" is left out: its estimate of the likeness is biased by up to
    0.2 on real posts."""
    needs("rensa")
    yield from _beside("2", (RENSA, CIRCULANT), 6, sizes, bar)


@row("3", "text to signature, beside lower().split()")
def split(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same beside `[text.lower().split() for text in texts]`, which yields words and nothing else."""
    for place, (words, bounds) in enumerate(BOUNDS.items(), 1):
        texts = _texts(sizes, words)
        taken = _timed({**_ours(texts), "split": partial(split_words, texts)}, sizes, bar, f"{words} words")
        own, default = (taken["split"] / taken[name] for name in NAMES)
        yield Figure(f"3.{place}", f"{words} words, beside lower().split()", own, "x", *bounds)
        yield Figure(f"3.{place + 3}", f"{words} words, default scheme", default, "x")


def _beside(number: str, peers: tuple[Peer, Peer], place: int, sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Figures 1 to 5 of a row of that number, and from `place` on two of the second peer."""
    texts, (peer, second) = _texts(sizes, 200), peers
    calls = _ours(texts) | {each.title: partial(each.sign, texts) for each in peers}
    taken = _timed(calls, sizes, bar, peer.title)
    rates = {name: len(texts) / spent for name, spent in taken.items()}
    own, default = (rates[name] for name in NAMES)
    first, other = rates[peer.title], rates.pop(second.title)
    yield Figure(f"{number}.1", f"200 words, beside {peer.title}", own / first, "x", peer.must, peer.stretch)
    yield Figure(f"{number}.2", "200 words, default scheme", default / first, "x")
    for at, (name, rate) in enumerate(rates.items(), 3):
        yield Figure(f"{number}.{at}", NAMES.get(name, name), rate, "texts/s")
    title = f"200 words, beside {second.title}"
    yield Figure(f"{number}.{place}", title, own / other, "x", second.must, second.stretch)
    yield Figure(f"{number}.{place + 1}", second.title, other, "texts/s")


def _plain(texts: Sequence[str]) -> int:
    """Each text by itself to keys and payload, as the documents define them; how many."""
    from django_neardup.text.canonical_text import CanonicalText

    used = algorithm("minhash-lsh")
    for text in texts:
        document = CanonicalText(text)
        used.keys(document), used.payload(document)
    return len(texts)


def _unseen(number: str, sizes: Sizes, bar: Bar) -> Figure:
    """Other posts every round: their words are met before, for the greater part, the posts are not."""
    batches = iter([list(posts(sizes.texts, 200, 3, turn * sizes.texts)) for turn in range(sizes.rounds + 1)])
    taken = _timed({"unseen": lambda: signed("minhash-lsh", next(batches))}, sizes, bar, "unseen posts")
    return Figure(number, "minhash-lsh, posts not met before", sizes.texts / taken["unseen"], "texts/s")


def _texts(sizes: Sizes, words: int) -> list[str]:
    return list(posts(max(sizes.texts * 200 // max(words, 200), 1), words))


def _ours(texts: Sequence[str]) -> dict[str, Callable[[], Any]]:
    return {name: partial(signed, name, texts) for name in NAMES}


def _timed(callables: dict[str, Callable[[], Any]], sizes: Sizes, bar: Bar, title: str) -> dict[str, float]:
    with bar(title, sizes.rounds) as progress:
        return interleaved(callables, sizes.rounds, progress)
