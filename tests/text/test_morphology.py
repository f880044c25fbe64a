"""Lemmas."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from django_neardup.text.lemmas import morphology
from django_neardup.text.lemmas.morphology import Lemma, Morphology


@pytest.mark.parametrize(
    ("language", "word", "wanted"),
    [
        ("ru", "стульями", Lemma("стул", "NOUN", False)),
        ("ru", "зеленая", Lemma("зеленый", "ADJF", False)),
        ("ru", "елки", Lemma("елка", "NOUN", False)),
        ("ru", "москве", Lemma("москва", "NOUN", True)),
        ("ru", "chairs", Lemma("chair")),
        ("uk", "стільцями", Lemma("стілець", "NOUN", False)),
        ("en", "chairs", Lemma("chair")),
        ("en-US", "chairs", Lemma("chair")),
        ("de_DE", "häusern", Lemma("haus")),
        ("xx", "chairs", Lemma("chairs")),
        ("", "слово", Lemma("слово")),
        ("ru", "а" * 50, Lemma("а" * 50)),
    ],
)
def test_lemmas(language: str, word: str, wanted: Lemma) -> None:
    assert Morphology(language).lemma(word) == wanted


def test_dictionary() -> None:
    russian = Morphology("ru")
    assert russian.is_in_dictionary("сахар") is True
    assert russian.is_in_dictionary("вох") is False
    assert Morphology("en").is_in_dictionary("сахар") is None


def test_cache_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(morphology, "MAX_CACHED_LEMMAS", 3)
    english = Morphology("en")
    for word in ("one", "two", "three", "four", "five"):
        assert english.lemma(word).key
    assert len(english._lemma_cache) <= 3


def test_threads() -> None:
    words = ["стульями", "домами", "зеленая", "chairs", "бегущий"] * 200
    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(Morphology("ru").lemma, words))
    assert found == [Morphology("ru").lemma(word) for word in words]
