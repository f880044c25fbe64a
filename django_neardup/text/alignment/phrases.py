"""Phrases of one meaning: зарплата, з/п, заработная плата."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

from ..normalization.normalize import normalize
from ..normalization.plain_text import plain_text
from ..tokens.tokenize import Token, tokenize
from ..vocabulary import read_entries, read_lines

MAX_PHRASE_WORDS = 5


@cache
def _phrase_numbers() -> dict[tuple[str, ...], int]:
    """Return the number of the line of every phrase or abbreviation, by the keys of its words."""
    concepts = [line.split("|") for line in read_lines("phrases")]
    concepts += [[full, *short_forms] for full, short_forms in read_entries("abbreviations")]
    numbers: dict[tuple[str, ...], int] = {}
    for number, phrases in enumerate(concepts):
        keys = [keys_of_phrase(phrase.replace("_", " ")) for phrase in phrases]
        # A phrase of two lines makes one concept of them.
        known = next((numbers[key] for key in keys if key in numbers), number)
        for key in keys:
            numbers.setdefault(key, known)
    return numbers


def keys_of_phrase(phrase: str) -> tuple[str, ...]:
    """Return the keys that the words of a phrase have in a text of their script."""
    folded = normalize(plain_text(phrase.strip()), prefer_cyrillic=False)
    tokens = tokenize(folded.offset_text, "ru", cyrillic=folded.is_cyrillic).tokens
    return tuple(token.key for token in tokens)


def phrase_number(tokens: Sequence[Token]) -> int | None:
    """Return the number of the phrase that the tokens are. Return None for other tokens."""
    if len(tokens) > MAX_PHRASE_WORDS:
        return None
    return _phrase_numbers().get(tuple([token.key for token in tokens]))
