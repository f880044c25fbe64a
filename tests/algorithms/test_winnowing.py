"""Winnowing: the guarantee, fingerprints, verdicts."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.shingling.winnowing import (
    MERSENNE_PRIME_61,
    Winnowing,
    choose_hashes,
    rolling_hashes,
)
from django_neardup.text import CanonicalText

STRANGER = iter(range(10**6, 10**9))


def words(count: int, seed: int) -> list[str]:
    """So many made words, other ones for every seed."""
    source = random.Random(seed)
    return [f"w{seed}x{source.randrange(10**9)}" for _ in range(count)]


def text(*parts: list[str]) -> CanonicalText:
    return CanonicalText(" ".join(word for part in parts for word in part))


def shared(algorithm: Winnowing, a: CanonicalText, b: CanonicalText) -> int:
    return len(set(algorithm.keys(a)) & set(algorithm.keys(b)))


# --- the guarantee ---


@given(
    size=st.integers(1, 5),
    more=st.integers(0, 6),
    lengths=st.tuples(*[st.integers(0, 30)] * 4),
    seed=st.integers(0, 999),
)
def test_a_shared_run_of_the_guarantee_is_found(
    size: int, more: int, lengths: tuple[int, int, int, int], seed: int
) -> None:
    algorithm = Winnowing(size=size, guarantee=size + more)
    run = words(size + more, 9000 + seed)
    a = text(words(lengths[0], 1), run, words(lengths[1], 2))
    b = text(words(lengths[2], 3), run, words(lengths[3], 4))
    assert shared(algorithm, a, b)


@given(size=st.integers(2, 6), runs=st.integers(1, 8), seed=st.integers(0, 999))
def test_nothing_shorter_than_a_gram_is_found(size: int, runs: int, seed: int) -> None:
    """Both texts hold the same runs of size - 1 words, with strangers between them."""
    algorithm = Winnowing(size=size, guarantee=size)
    common = words((size - 1) * runs, 9000 + seed)
    a, b = [], []
    for start in range(0, len(common), size - 1):
        a += [*common[start : start + size - 1], f"a{next(STRANGER)}"]
        b += [*common[start : start + size - 1], f"b{next(STRANGER)}"]
    assert not shared(algorithm, text(a), text(b))


@given(st.text("аб", max_size=40), st.text("абв", min_size=8, max_size=8), st.text("вг", max_size=40))
def test_letters_have_the_guarantee_too(before: str, run: str, after: str) -> None:
    """k = 3, t = 8, whatever stands around, with letters that repeat."""
    grams = [rolling_hashes(string, 3) for string in (before + run + after, after + run + before)]
    assert choose_hashes(grams[0], 6) & choose_hashes(grams[1], 6)


@pytest.mark.parametrize("run", ["x" * 40, "доммойстоитнаберегурекиволгиблизсамогоуст"])
def test_forty_letters_are_found(run: str) -> None:
    algorithm = Winnowing(unit="letters")
    a, b = (
        choose_hashes(rolling_hashes(f"{side * 7}{run[:40]}{side * 5}", 20), algorithm.window)
        for side in "юэ"
    )
    assert a & b


def test_long_texts_keep_the_guarantee_of_a_larger_window() -> None:
    """3,000 words: 2 * 2,997 / 512 - 1 is above 10 and not above 20, so the window is 20 and t is 23."""
    algorithm = Winnowing()
    run = words(23, 77)
    a, b = text(words(1500, 1), run, words(1477, 2)), text(words(20, 3), run, words(20, 4))
    assert shared(algorithm, a, b)
    assert len(algorithm.keys(a)) == pytest.approx(2997 * 2 / 21, rel=0.1)
    assert len(algorithm.chosen_hashes(a)) > 800


# --- fingerprints ---


def robust(grams: list[int], window: int) -> set[int]:
    """Robust winnowing, word for word: the window's least; of equal ones the one chosen before, else the rightmost."""
    found, before = set(), -1
    for start in range(len(grams) - window + 1):
        least = min(grams[start : start + window])
        if before < start or grams[before] != least:
            before = max(place for place in range(start, start + window) if grams[place] == least)
        found.add(before)
    return {grams[place] for place in found}


@given(st.lists(st.integers(0, 6), min_size=8, max_size=60), st.integers(1, 8))
def test_by_their_values_robust_winnowing_chooses_the_same(grams: list[int], window: int) -> None:
    assert choose_hashes(grams, window) == robust(grams, window)


def test_the_density() -> None:
    """2 / (w + 1) of all grams: with w = 5 a third."""
    algorithm = Winnowing()
    document = text(words(4000, 5))
    assert len(algorithm.chosen_hashes(document)) / 3997 == pytest.approx(1 / 3, abs=0.02)


@given(st.text("абв ", max_size=30), st.integers(1, 6))
def test_rolling_hashes_are_of_the_runs(string: str, size: int) -> None:
    hashes = rolling_hashes(string, size, b"s")
    runs = [string[start : start + size] for start in range(len(string) - size + 1)]
    assert hashes == [rolling_hashes(run, size, b"s")[0] for run in runs]
    assert len(set(hashes)) == len(set(runs))
    assert hashes == [] or hashes != rolling_hashes(string, size, b"t")


def test_a_rolling_hash_takes_any_character() -> None:
    assert len(rolling_hashes("\0\ud800\U0010ffff", 1)) == 3
    assert MERSENNE_PRIME_61 > 0x10FFFF


@pytest.mark.parametrize(("count", "keys"), [(0, 0), (3, 0), (4, 1), (5, 1), (8, 1)])
def test_short_texts(count: int, keys: int) -> None:
    """Below four words there is no gram; up to eight there is one window."""
    document = text(words(count, 6))
    assert len(Winnowing().keys(document)) == keys


def test_letters_are_of_the_words_as_written() -> None:
    algorithm = Winnowing(unit="letters", size=5, guarantee=8)
    assert algorithm.chosen_hashes(CanonicalText("До-мой, стоит")) == algorithm.chosen_hashes(
        CanonicalText("домой СТОИТ")
    )
    assert algorithm.chosen_hashes(CanonicalText("Дома стоят")) != algorithm.chosen_hashes(
        CanonicalText("дом стоит")
    )


# --- verdicts ---


def test_shares_by_hand() -> None:
    """With t = k every gram counts.  20 words are 17 grams; the 13 first ones of 40 words hold 10 of 37."""
    algorithm = Winnowing(size=4, guarantee=4)
    source = words(40, 8)
    a, b = text(source), text(source[:13])
    found = algorithm.judge(a, b)
    assert (found.containment_a, found.containment_b) == (pytest.approx(10 / 37), 1)
    assert (
        found.score == pytest.approx(10 / 37) == algorithm.measure(algorithm.payload(a), algorithm.payload(b))
    )
    assert algorithm.screen(algorithm.payload(a), algorithm.payload(b)) == 1
    assert found.verdict == "contained"


@pytest.mark.parametrize(
    ("common", "other", "verdict"),
    [
        (100, 0, "contained"),
        (100, 30, "contained"),
        (60, 60, "related"),
        (20, 100, "none"),
        (300, 10, "duplicate"),
    ],
)
def test_verdicts(common: int, other: int, verdict: str) -> None:
    """A text of 400 words, and one that begins with `common` of them and goes on with other words."""
    source = words(400, 9)
    a, b = text(source), text(source[:common], words(other, 10))
    algorithm = Winnowing()
    assert algorithm.judge(a, b).verdict == algorithm.judge(b, a).verdict == verdict
    assert algorithm.judge(b, a).swap_sides() == algorithm.judge(a, b)


def test_a_quotation_in_a_very_long_text_passes_by_its_keys() -> None:
    algorithm = Winnowing()
    assert algorithm.should_judge(0.0, 3, 100, 150_000)
    assert not algorithm.should_judge(0.0, 3, 100, 1000)
    assert not algorithm.should_judge(0.9, 0, 100, 100)
    assert algorithm.should_judge(0.3, 1, 100, 100)


def test_texts_without_fingerprints_are_strangers() -> None:
    assert Winnowing().judge(CanonicalText("дом лес"), CanonicalText("дом лес река")).verdict == "none"
    assert Winnowing().judge(CanonicalText("дом лес"), CanonicalText("Дом, лес!")).exact


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"unit": "lines"}, "unit is 'lines'"),
        ({"size": 0}, "size is 0"),
        ({"guarantee": 3}, "guarantee is 3"),
        ({"unit": "letters", "guarantee": 19}, "at least size, 20"),
    ],
)
def test_senseless_options(options: dict[str, int | str], message: str) -> None:
    with pytest.raises(ValueError, match=message):
        get_algorithm("winnowing", **options)
