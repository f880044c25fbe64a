"""From text to signature, beside datasketch, rensa and `split`."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from ..figures import Bar, Figure, Sizes, row
from ..ours import NAMES, signed
from ..peers import datasketch_signatures, needs, rensa_signatures, split_words
from ..texts import posts
from ..timing import interleaved

BOUNDS = {200: (">= 0.9", ">= 1.3"), 2000: (">= 1.3", ">= 1.8"), 40: (">= 0.5", ">= 0.8")}


@row("1", "text to signature, beside datasketch")
def datasketch(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 200 words in one batch, words known: `read_batch` and `sign`.  The peer: `re`, runs of three words,
    `MinHash.bulk` of 128 permutations.  The last figure is of posts that no round has seen before."""
    needs("datasketch")
    yield from _beside("1", datasketch_signatures, "re + datasketch", (">= 10", ">= 15"), sizes, bar)
    yield _unseen("1.6", sizes, bar)


@row("2", "text to signature, beside rensa")
def rensa(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same beside `re` and rensa's R-MinHash, all texts as one matrix from bytes.  Rensa's "Rho" is left out: its
    estimate of the likeness is biased by up to 0.2 on real posts."""
    needs("rensa")
    yield from _beside("2", rensa_signatures, "re + rensa R-MinHash", (">= 3.5", ">= 5"), sizes, bar)


@row("3", "text to signature, beside lower().split()")
def split(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """The same beside `[text.lower().split() for text in texts]`, which yields words and nothing else."""
    for place, (words, bounds) in enumerate(BOUNDS.items(), 1):
        texts = _texts(sizes, words)
        taken = _timed({**_ours(texts), "split": partial(split_words, texts)}, sizes, bar, f"{words} words")
        own, default = (taken["split"] / taken[name] for name in NAMES)
        yield Figure(f"3.{place}", f"{words} words, beside lower().split()", own, "x", *bounds)
        yield Figure(f"3.{place + 3}", f"{words} words, default scheme", default, "x")


def _beside(
    number: str,
    peer: Callable[[Sequence[str]], Any],
    title: str,
    bounds: tuple[str, str],
    sizes: Sizes,
    bar: Bar,
) -> Iterator[Figure]:
    texts = _texts(sizes, 200)
    taken = _timed({**_ours(texts), title: partial(peer, texts)}, sizes, bar, title)
    own, default = (taken[title] / taken[name] for name in NAMES)
    yield Figure(f"{number}.1", f"200 words, beside {title}", own, "x", *bounds)
    yield Figure(f"{number}.2", "200 words, default scheme", default, "x")
    for place, (name, spent) in enumerate(taken.items(), 3):
        yield Figure(f"{number}.{place}", NAMES.get(name, name), len(texts) / spent, "texts/s")


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
