"""Shingles and their choice by winnowing; the canonical text of the classic articles."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence
from typing import TypeVar

from .canonical_text import CanonicalText
from .tokens.stopwords import STOP_WORDS

T = TypeVar("T")


def shingles(items: Sequence[T], size: int) -> list[tuple[T, ...]]:
    """All runs of ``size`` neighbouring items, ``len(items) - size + 1`` of them, none for a shorter sequence."""
    if size < 1:
        raise ValueError("a shingle has at least one item")
    return [tuple(items[start : start + size]) for start in range(len(items) - size + 1)]


def winnow(hashes: Sequence[int], window: int) -> list[int]:
    """Positions of the chosen hashes, ascending: in every ``window`` neighbours the least, the rightmost of equal
    ones (Schleimer, Wilkerson, Aiken, "Winnowing", 2003).

    Two sequences that share ``window`` neighbouring hashes share a chosen one.  Of fewer than ``window``
    hashes the least is chosen; none of an empty sequence.
    """
    if window < 1:
        raise ValueError("a window has at least one hash")
    chosen = list(_window_minimum_positions(hashes, min(window, len(hashes)))) if hashes else []
    return [place for index, place in enumerate(chosen) if not index or place != chosen[index - 1]]


def _window_minimum_positions(hashes: Sequence[int], window: int) -> Iterator[int]:
    rising: deque[int] = deque()
    for place, value in enumerate(hashes):
        while rising and hashes[rising[-1]] >= value:
            rising.pop()
        rising.append(place)
        if rising[0] <= place - window:
            rising.popleft()
        if place >= window - 1:
            yield rising[0]


def classic_words(text: str, *, stop_words: Container[str] = STOP_WORDS, language: str = "ru") -> list[str]:
    """Words as written, in lower case, without stop words: the canonical text of the classic articles."""
    return [
        token.surface
        for token in CanonicalText(text, language=language).tokens
        if token.surface not in stop_words
    ]


def classic_text(text: str, *, stop_words: Container[str] = STOP_WORDS, language: str = "ru") -> str:
    """``canonical_words`` joined by spaces."""
    return " ".join(classic_words(text, stop_words=stop_words, language=language))


def classic_shingles(
    text: str, size: int = 10, *, stop_words: Container[str] = STOP_WORDS, language: str = "ru"
) -> list[str]:
    """Shingles of the canonical text, each as a string of words; none for a text of fewer words."""
    return [
        " ".join(shingle)
        for shingle in shingles(classic_words(text, stop_words=stop_words, language=language), size)
    ]
