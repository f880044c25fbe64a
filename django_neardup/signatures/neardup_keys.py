"""Keys of the default scheme: where the candidates of a text come from.

About 22 a text: winnowed runs of three words, so that every passage of 14 words that two texts share is found (longer
in long texts); in short texts also pairs of neighbouring words in any order and one key for the set of words; and one
for the exact text.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import pairwise

from ..text.document import Document
from ..text.hashing import mix
from ..text.stopwords import STOP
from ..text.tokenize import Token

GRAM = 3
WINDOW = 12
ALL_UP_TO = 64
MOST = 128
SHORT = 60
GRAMS, PAIRS, BAG, EXACT = 1, 2, 3, 4
NO_CONTENT = ("price", "contact")


def neardup_keys(document: Document, window: int = WINDOW) -> list[int]:
    """Distinct unsigned 64-bit keys, sorted; none for a text of stop words alone.

    Of every `window` neighbouring runs one is chosen: a passage of window + 2 words cannot be missed.
    """
    return sorted(set[int]().union(*keys_by_kind(document, window).values()))


def keys_by_kind(document: Document, window: int = WINDOW) -> dict[str, set[int]]:
    """The same by what each stands for: passages, pairs (of neighbouring words), words (the set of them), exact."""
    if all(token.key in STOP for token in document.tokens):
        return {}
    keys = {"passages": {mix(gram, seed=GRAMS) for gram in passage_grams(document, window)}}
    words = [word for word, token in zip(document.hashes, document.tokens, strict=True) if is_content(token)]
    if words and len(document) <= SHORT:
        keys["pairs"] = {mix(min(pair), max(pair), seed=PAIRS) for pair in pairwise(words)}
        keys["words"] = {mix(*sorted(set(words)), seed=BAG)}
    keys["exact"] = {exact_key(document)}
    return keys


def exact_key(document: Document) -> int:
    """The key that texts of the same words in the same order share, and no others."""
    return mix(int.from_bytes(document.exact[:8], "big"), seed=EXACT)


def is_content(token: Token) -> bool:
    """Whether a word says something of its own: no stop word, no price, no contact."""
    return token.key not in STOP and token.kind not in NO_CONTENT


def passage_grams(document: Document, window: int = WINDOW) -> set[int]:
    """Hashes of runs of three words: all of them in a text of few, else the least of every window of neighbours.

    The window doubles until the text has at most about 128; the choice of a larger window is part of a smaller one's,
    so texts of any two lengths compare.  Runs of stop words alone are never chosen while others stand near.
    """
    stop = [token.key in STOP for token in document.tokens]
    hashes = document.hashes
    grams = [(all(stop[i : i + GRAM]), mix(*hashes[i : i + GRAM])) for i in range(len(hashes) - GRAM + 1)]
    chosen = set(grams)
    if len(chosen) > ALL_UP_TO:
        chosen = least_of_windows(grams, window_for(len(grams), window))
    return {gram for stop_only, gram in chosen if not stop_only}


def window_for(grams: int, window: int = WINDOW) -> int:
    """`window`, doubled until winnowing leaves about 128 of so many grams: it chooses 2 / (window + 1) of them."""
    while 2 * grams > MOST * (window + 1):
        window *= 2
    return window


def least_of_windows(values: Sequence[tuple[bool, int]], window: int) -> set[tuple[bool, int]]:
    """The least of every `window` neighbours (of all of them, if they are fewer), in linear time.

    Schleimer, Wilkerson, Aiken: Winnowing (2003).
    """
    chosen: set[tuple[bool, int]] = set()
    ascending: deque[tuple[int, tuple[bool, int]]] = deque()
    first_full = min(window, len(values)) - 1
    for place, value in enumerate(values):
        while ascending and ascending[-1][1] >= value:
            ascending.pop()
        ascending.append((place, value))
        if ascending[0][0] <= place - window:
            ascending.popleft()
        if place >= first_full:
            chosen.add(ascending[0][1])
    return chosen
