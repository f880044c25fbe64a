"""Shingles, their selection by winnowing, and the canonical text of the classic articles."""

from __future__ import annotations

from collections import deque
from collections.abc import Container, Iterator, Sequence
from typing import TypeVar

from .canonical_text import CanonicalText
from .tokens.stopwords import STOP_WORDS

T = TypeVar("T")


def shingles(items: Sequence[T], size: int) -> list[tuple[T, ...]]:
    """Return all runs of ``size`` adjacent items, ``len(items) - size + 1`` in all.

    Return [] for a shorter sequence. Raise ValueError if ``size`` is below 1.
    """
    if size < 1:
        raise ValueError("a shingle has at least one item")
    return [tuple(items[start : start + size]) for start in range(len(items) - size + 1)]


def winnow(hashes: Sequence[int], window: int) -> list[int]:
    """Return the ascending positions of the hashes that winnowing selects.

    Source: Schleimer, Wilkerson, Aiken, "Winnowing" (2003).

    In every ``window`` adjacent hashes the minimum is selected, the rightmost of equal ones. Two
    sequences that share ``window`` adjacent hashes share a selected one. Of fewer than ``window`` hashes
    the minimum is selected, of an empty sequence none. Raise ValueError if ``window`` is below 1.
    """
    if window < 1:
        raise ValueError("a window has at least one hash")
    chosen = list(_window_minimum_positions(hashes, min(window, len(hashes)))) if hashes else []
    return [position for index, position in enumerate(chosen) if not index or position != chosen[index - 1]]


def _window_minimum_positions(hashes: Sequence[int], window: int) -> Iterator[int]:
    # Positions with rising hashes: the first has the minimum of the window.
    rising: deque[int] = deque()
    for position, value in enumerate(hashes):
        while rising and hashes[rising[-1]] >= value:
            rising.pop()
        rising.append(position)
        if rising[0] <= position - window:
            rising.popleft()
        if position >= window - 1:
            yield rising[0]


def classic_words(text: str, *, stop_words: Container[str] = STOP_WORDS, language: str = "ru") -> list[str]:
    """Return the words as written, in lower case, without stop words: the classic articles' canonical text."""
    return [
        token.surface
        for token in CanonicalText(text, language=language).tokens
        if token.surface not in stop_words
    ]


def classic_text(text: str, *, stop_words: Container[str] = STOP_WORDS, language: str = "ru") -> str:
    """Return ``classic_words`` joined by blanks."""
    return " ".join(classic_words(text, stop_words=stop_words, language=language))


def classic_shingles(
    text: str, size: int = 10, *, stop_words: Container[str] = STOP_WORDS, language: str = "ru"
) -> list[str]:
    """Return the shingles of the classic canonical text, each as a string of words.

    Return [] for a text of fewer words than ``size``.
    """
    return [
        " ".join(shingle)
        for shingle in shingles(classic_words(text, stop_words=stop_words, language=language), size)
    ]
