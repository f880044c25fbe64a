"""What tells two words apart at sight never parts two that are one."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.alignment.word_links import link_words
from django_neardup.text.alignment.word_prefilter import can_be_same_word, word_traits
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.tokens.tokenize import Token
from tests.text.test_word_links import SAME, pairs

RUSSIAN = "машина велосипед мяч кот дом лучше хороший электричество тепловоз кондиционер абырвалг продам авто"
ENGLISH = "bicycle receive car condition vehicle apartment vtec tires photo pic"
MIXED = "шесть двадцать 5 12 с140.35 coolpixs550 colpixs550"
WORDS = f"{RUSSIAN} {ENGLISH} {MIXED}".split()
LETTERS = "абеикмнорст" + string.ascii_lowercase[:6] + "5"


def token(word: str) -> Token | None:
    found = CanonicalText(f"слово {word}").tokens[1:]
    return found[0] if found else None


@st.composite
def misspelt(draw: st.DrawFn) -> tuple[str, str]:
    """A word, and the same with up to two slips."""
    word = other = draw(st.sampled_from(WORDS) | st.text(LETTERS, min_size=1, max_size=12))
    for _ in range(draw(st.integers(0, 2))):
        place = draw(st.integers(0, max(len(other) - 1, 0)))
        put, skip = draw(st.sampled_from(["", *LETTERS])), draw(st.integers(0, 1))
        swapped = other[place + 1 : place + 2] + other[place : place + 1] if draw(st.booleans()) else ""
        other = other[:place] + (swapped or put) + other[place + (2 if swapped else skip) :]
    return word, other


@given(misspelt() | st.tuples(st.sampled_from(WORDS), st.sampled_from(WORDS)))
def test_one_word_is_never_parted(words: tuple[str, str]) -> None:
    first, second = map(token, words)
    if (
        first
        and second
        and first.key != second.key
        and not can_be_same_word(word_traits(first), word_traits(second))
    ):
        assert not link_words(first, second)


@pytest.mark.parametrize("pair", pairs(SAME), ids=" ".join)
def test_known_pairs(pair: list[str]) -> None:
    first, second = map(token, pair)
    assert first and second
    assert first.key == second.key or can_be_same_word(word_traits(first), word_traits(second))


@pytest.mark.parametrize("pair", ["машина дом", "мяч стол", "машина вилосипед", "window table", "5 12"])
def test_most_are_parted(pair: str) -> None:
    first, second = map(token, pair.split())
    assert first and second
    assert not can_be_same_word(word_traits(first), word_traits(second))
