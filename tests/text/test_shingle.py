"""The worked example of the classic article, shingles and winnowing."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text.shingles import classic_shingles, classic_text, shingles, winnow
from django_neardup.text.word_lists import word_set

BELINSKY = (
    "«Разум дан человеку для того, чтобы он разумно жил, а не для того только, "
    "чтобы он понимал, что он неразумно живет.»"
)
ARTICLE_STOP = word_set(
    "это как так и в над к до не на но за то с ли а во от со для о же ну вы бы что кто он она"
)
CANONICAL = "разум дан человеку того чтобы разумно жил того только чтобы понимал неразумно живет"
SHINGLES = [
    "разум дан человеку того чтобы разумно жил того только чтобы",
    "дан человеку того чтобы разумно жил того только чтобы понимал",
    "человеку того чтобы разумно жил того только чтобы понимал неразумно",
    "того чтобы разумно жил того только чтобы понимал неразумно живет",
]


def test_canonical_text_of_the_article() -> None:
    assert classic_text(BELINSKY, stop_words=ARTICLE_STOP) == CANONICAL


def test_shingles_of_the_article() -> None:
    assert classic_shingles(BELINSKY, 10, stop_words=ARTICLE_STOP) == SHINGLES


def test_ours_keeps_the_negation() -> None:
    assert " не " in classic_text(BELINSKY)
    assert " не " not in classic_text(BELINSKY, stop_words=ARTICLE_STOP)


@pytest.mark.parametrize("text", ["", "слово", "и не на", "<b></b>", "раз два три"])
def test_fewer_words_than_a_shingle_has(text: str) -> None:
    assert classic_shingles(text, 10, stop_words=ARTICLE_STOP) == []


def test_shingles() -> None:
    assert shingles("abcd", 2) == [("a", "b"), ("b", "c"), ("c", "d")]
    assert shingles([1, 2], 2) == [(1, 2)]
    assert shingles([1], 2) == []
    with pytest.raises(ValueError, match="at least one"):
        shingles([1], 0)


def test_winnowing_of_the_paper() -> None:
    """Schleimer, Wilkerson, Aiken 2003, figure 2: window 4 over the hashes of "adorunrunrunadorunrun"."""
    hashes = [77, 74, 42, 17, 98, 50, 17, 98, 8, 88, 67, 39, 77, 74, 42, 17, 98]
    chosen = winnow(hashes, 4)
    assert chosen == [3, 6, 8, 11, 15]
    assert [hashes[place] for place in chosen] == [17, 17, 8, 39, 17]


def test_winnowing_of_little() -> None:
    assert winnow([], 4) == []
    assert winnow([5], 4) == [0]
    assert winnow([5, 3, 4], 4) == [1]
    assert winnow([5, 3, 4], 1) == [0, 1, 2]
    with pytest.raises(ValueError, match="at least one"):
        winnow([1], 0)


@given(st.lists(st.integers(0, 20), max_size=60), st.integers(1, 8))
def test_every_window_has_a_chosen_hash(hashes: list[int], window: int) -> None:
    chosen = winnow(hashes, window)
    assert chosen == sorted(set(chosen))
    for start in range(len(hashes) - window + 1):
        inside = [place for place in chosen if start <= place < start + window]
        assert inside
        assert min(hashes[start : start + window]) in [hashes[place] for place in inside]
