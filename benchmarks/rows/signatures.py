"""From text to signature: batches, normalization alone, and one advert at a time."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any

from benchmarks.figures import Bar, Figure, Sizes, row
from benchmarks.ours import NAMES, signed
from benchmarks.peers import datasketch_signatures, needs, split_words
from benchmarks.texts import posts
from benchmarks.timing import interleaved

ADVERT_WORDS = (30, 100, 200)


@row("1", "a batch of texts to keys and payload")
def batch(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """Posts of 100 words in one batch, words known: `read_batch` and `sign_batch`.  The peers:
    `[text.lower().split() for text in texts]`, which yields only words; `re`, runs of three words and
    datasketch's `MinHash.bulk` of 128 permutations, which neither normalizes nor finds lemmas, figures or codes."""
    needs("datasketch")
    texts = list(posts(sizes.texts, 100))
    calls = {name: partial(signed, name, texts) for name in NAMES}
    peers = {"split": partial(split_words, texts), "datasketch": partial(datasketch_signatures, texts)}
    taken = _timed({**calls, **peers}, sizes, bar, "batches")
    split, peer = taken["split"], taken["datasketch"]
    for place, name in enumerate(("neardup", "minhash-lsh")):
        title, own = NAMES[name], taken[name]
        bounds = ("<= 11", ">= 1.6") if name == "neardup" else (None, None)
        yield Figure(f"1.{place + 1}", f"{title}, time beside lower().split()", own / split, "x", bounds[0])
        yield Figure(f"1.{place + 3}", f"{title}, speed beside re + datasketch", peer / own, "x", bounds[1])
    for place, (name, spent) in enumerate(taken.items(), 5):
        yield Figure(f"1.{place}", NAMES.get(name, name), len(texts) / spent, "texts/s")


@row("2", "normalization")
def normalization(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """`normalize` alone, of posts of 100 and of 200 words, beside `lower().split()` of the same posts."""
    for place, words in enumerate((100, 200), 1):
        texts = list(posts(sizes.texts, words))
        calls = {"ours": partial(_normalized, texts), "split": partial(split_words, texts)}
        taken = _timed(calls, sizes, bar, f"{words} words")
        beside = taken["ours"] / taken["split"]
        yield Figure(f"2.{place}", f"{words} words, time beside lower().split()", beside, "x", "<= 5")


@row("3", "one advert to keys and payload")
def advert(sizes: Sizes, bar: Bar) -> Iterator[Figure]:
    """One text at a time, words known, as a worker signs a post that was just saved: `read_batch` of one text and
    `sign_batch` with the default scheme.  The peers, a text at a time as well: those of row 1."""
    needs("datasketch")
    for place, words in enumerate(ADVERT_WORDS, 1):
        texts = list(posts(sizes.texts, words))
        calls = {
            "ours": partial(_one_by_one, partial(signed, "neardup"), texts),
            "datasketch": partial(_one_by_one, datasketch_signatures, texts),
        }
        taken = _timed(calls, sizes, bar, f"one advert of {words} words")
        own, peer = (spent / len(texts) * 1e6 for spent in (taken["ours"], taken["datasketch"]))
        title = f"{words} words"
        yield Figure(f"3.{place}", f"{title}, default scheme", own, "us")
        yield Figure(f"3.{place + 3}", f"{title}, re + datasketch", peer, "us")
        yield Figure(f"3.{place + 6}", f"{title}, speed beside re + datasketch", peer / own, "x")


def _normalized(texts: Sequence[str]) -> int:
    """Normalize every text; return the number of characters."""
    from django_neardup.text.normalization.normalize import normalize
    from django_neardup.text.normalization.offsets import PlainText

    return sum(len(normalize(PlainText(text)).offset_text.text) for text in texts)


def _one_by_one(sign: Callable[[Sequence[str]], Any], texts: Sequence[str]) -> int:
    """Sign each text by itself; return how many there are."""
    for text in texts:
        sign([text])
    return len(texts)


def _timed(callables: dict[str, Callable[[], Any]], sizes: Sizes, bar: Bar, title: str) -> dict[str, float]:
    with bar(title, sizes.rounds) as progress:
        return interleaved(callables, sizes.rounds, progress)
