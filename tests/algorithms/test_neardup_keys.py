from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms.default.neardup_keys import (
    neardup_keys,
    passage_grams,
    window_for,
    window_minima,
)
from django_neardup.text.canonical_text import CanonicalText
from tests.fuzzing import examples

LETTERS = "бвгдзклмнпрст"


def words(count: int, seed: int = 1) -> list[str]:
    """Made-up words, hence lemmas of themselves mostly; no two runs alike."""
    source = random.Random(seed)
    return ["".join(source.choice(LETTERS) + source.choice("аоуи") for _ in range(4)) for _ in range(count)]


def text(count: int, seed: int = 1) -> str:
    return " ".join(words(count, seed))


@pytest.mark.parametrize("empty", ["", "и в на", "!!!"])
def test_no_words_but_stop_words_no_keys(empty: str) -> None:
    assert neardup_keys(CanonicalText(empty)) == []


@pytest.mark.parametrize("text", ["+7 903 123-45-67", "100 руб."])
def test_a_price_or_a_telephone_is_found_by_its_exact_copy_alone(text: str) -> None:
    assert len(neardup_keys(CanonicalText(text))) == 1


def test_keys_are_distinct_sorted_and_unsigned_64_bit() -> None:
    keys = neardup_keys(CanonicalText(text(300)))
    assert keys == sorted(set(keys))
    assert all(0 <= key < 1 << 64 for key in keys)


@pytest.mark.parametrize(("count", "most"), [(5, 10), (60, 125), (200, 45), (1000, 170), (20_000, 170)])
def test_their_number_is_bounded(count: int, most: int) -> None:
    assert 0 < len(neardup_keys(CanonicalText(text(count)))) <= most


@pytest.mark.parametrize("seed", range(10))
@pytest.mark.parametrize("around", [0, 60, 180])
def test_a_shared_passage_of_14_words_shares_a_key(seed: int, around: int) -> None:
    passage = text(14, seed)
    a = CanonicalText(f"{text(around, seed + 100)} {passage} {text(around, seed + 200)}")
    b = CanonicalText(f"{text(150, seed + 300)} {passage}")
    assert passage_grams(a) & passage_grams(b)


@given(st.lists(st.tuples(st.booleans(), st.integers(0, 30)), min_size=1, max_size=80), st.integers(1, 30))
@examples(200)
def test_winnowing_equals_its_definition(values: list[tuple[bool, int]], window: int) -> None:
    windows = [values[i : i + window] for i in range(max(len(values) - window + 1, 1))]
    assert window_minima(values, window) == {min(part) for part in windows}
    assert window_minima(values, 2 * window) <= window_minima(values, window)


@pytest.mark.parametrize(("grams", "window"), [(65, 12), (832, 12), (833, 24), (10_000, 192)])
def test_the_window_doubles(grams: int, window: int) -> None:
    assert window_for(grams) == window


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("продам гараж недорого", "недорого продам гараж"),
        ("Продам гараж", "гаражи продать"),
        ("купить квартиру москва", "москва купить квартиру дёшево"),
    ],
)
def test_short_texts_in_another_order_share_a_key(a: str, b: str) -> None:
    assert set(neardup_keys(CanonicalText(a))) & set(neardup_keys(CanonicalText(b)))


def test_the_secret_changes_every_key() -> None:
    one, other = (neardup_keys(CanonicalText(text(40), secret=secret)) for secret in (b"one", b"other"))
    assert not set(one) & set(other)


def test_runs_of_stop_words_are_no_keys() -> None:
    a, b = (CanonicalText("и он и мы и вы и они и " + text(3, seed)) for seed in (1, 2))
    assert not passage_grams(a) & passage_grams(b)


@pytest.mark.parametrize("words", ["+7 916 1{}-45-67,", "{}00 руб"])
def test_passages_of_prices_or_telephones_make_candidates(words: str) -> None:
    passage = " ".join(words.format(number) for number in range(11, 40))
    a, b = CanonicalText(f"от {passage} и 5100 руб"), CanonicalText(f"и {passage} до 7700 руб")
    assert set(neardup_keys(a)) & set(neardup_keys(b))
