"""Keys of the default scheme, which find the candidates of a text. A text has about 22 of them:

- winnowed runs of three words, so that every passage of 14 words that two texts share is found (in long
  texts, only longer passages)
- in short texts, pairs of neighbouring words in any order, and one key for the set of words
- one key for the exact text
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from itertools import compress, pairwise

from ...text.canonical_text import CanonicalText
from ...text.hashing import mix

GRAM_WORDS = 3
# Measured (docs/accuracy.md): with 16, 0.4 % of the advert pairs are not found. With 8, texts of 150-250
# words have 42 keys instead of 29, and the same pairs are found.
DEFAULT_WINDOW = 12
MAX_UNWINNOWED_GRAMS = 64
MAX_GRAMS = 128
SHORT_TEXT_WORDS = 60
GRAM_SEED, PAIR_SEED, WORD_SET_SEED, EXACT_SEED = 1, 2, 3, 4


def neardup_keys(text: CanonicalText, window: int = DEFAULT_WINDOW) -> list[int]:
    """Return distinct unsigned 64-bit keys, sorted. Return [] for a text of only stop words.

    Of every ``window`` neighbouring runs one is chosen, so no passage of window + 2 words is missed.
    """
    return sorted(set[int]().union(*keys_by_kind(text, window).values()))


def keys_by_kind(text: CanonicalText, window: int = DEFAULT_WINDOW) -> dict[str, set[int]]:
    """Return the keys by kind: passages, pairs (of neighbouring words), words (the set of them) and exact.

    Return {} for a text of only stop words.
    """
    if all(text.stop):
        return {}
    keys = {"passages": {mix(gram, seed=GRAM_SEED) for gram in passage_grams(text, window)}}
    words = list(compress(text.hashes, text.content))
    # Edits or another order of words may leave no three-word run of a short text unchanged.
    if words and len(text) <= SHORT_TEXT_WORDS:
        keys["pairs"] = {mix(min(pair), max(pair), seed=PAIR_SEED) for pair in pairwise(words)}
        keys["words"] = {mix(*sorted(set(words)), seed=WORD_SET_SEED)}
    keys["exact"] = {exact_key(text)}
    return keys


def exact_key(text: CanonicalText) -> int:
    """Return the key that only texts with the same words in the same order share."""
    return mix(int.from_bytes(text.exact_digest[:8], "big"), seed=EXACT_SEED)


def passage_grams(text: CanonicalText, window: int = DEFAULT_WINDOW) -> set[int]:
    """Return hashes of three-word runs: all, or in long texts the least of every window of neighbours.

    The window doubles until the text has at most about 128. A larger window chooses a subset of what a
    smaller window chooses, so texts of any two lengths are comparable. A run of only stop words is never
    chosen if other runs are near.
    """
    is_stop_word, hashes = text.stop, text.hashes
    grams = [
        # False sorts before True: a run of only stop words is the least only if its neighbours are such
        # runs too.
        (all(is_stop_word[start : start + GRAM_WORDS]), mix(*hashes[start : start + GRAM_WORDS]))
        for start in range(len(hashes) - GRAM_WORDS + 1)
    ]
    chosen = set(grams)
    if len(chosen) > MAX_UNWINNOWED_GRAMS:
        chosen = window_minima(grams, window_for(len(grams), window))
    return {gram for stop_only, gram in chosen if not stop_only}


def window_for(gram_count: int, window: int = DEFAULT_WINDOW) -> int:
    """Return ``window``, doubled until winnowing leaves about 128 of this many grams.

    Winnowing chooses 2 / (window + 1) of the grams.
    """
    while 2 * gram_count > MAX_GRAMS * (window + 1):
        window *= 2
    return window


def window_minima(values: Sequence[tuple[bool, int]], window: int) -> set[tuple[bool, int]]:
    """Return the least value of every ``window`` neighbours, in linear time.

    If there are fewer values, return the least of all. Source: Schleimer, Wilkerson, Aiken, "Winnowing"
    (2003).
    """
    chosen: set[tuple[bool, int]] = set()
    ascending: deque[tuple[int, tuple[bool, int]]] = deque()
    first_full = min(window, len(values)) - 1
    for position, value in enumerate(values):
        while ascending and ascending[-1][1] >= value:
            ascending.pop()
        ascending.append((position, value))
        if ascending[0][0] <= position - window:
            ascending.popleft()
        if position >= first_full:
            chosen.add(ascending[0][1])
    return chosen
