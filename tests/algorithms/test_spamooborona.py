"""Content-defined borders, in the two forms that the chapter quotes and in the generic one."""

from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.shingling.spamooborona import _chunks_of_limited_length, has_multiple_sum
from django_neardup.text.canonical_text import CanonicalText
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    QUOTING,
    check_contract,
    is_candidate,
    score,
    shared,
    verdict,
)

FORMS = [
    {"borders": "hash"},
    {"borders": "sum"},
    {"borders": "sum", "values": "cp1251"},
    {"borders": "letter", "letter": "о"},
]
ADDED = "Ещё отдам в придачу старый шкаф, торг уместен."


def chunks(text: str, **options: object) -> list[str]:
    return get_algorithm("spamooborona", **options).chunks(CanonicalText(text))


def test_from_letter_to_letter() -> None:
    assert chunks("Моряк люблю юг каюта", borders="letter") == ["юбл", "ю", "югка"]
    assert chunks("кот и пёс", borders="letter") == []
    assert chunks("один раз юг", borders="letter") == []


@pytest.mark.parametrize(("letter", "folded"), [("Ю", "ю"), ("ё", "е"), ("Ё", "е")])
def test_the_letter_is_folded_as_the_texts_are(letter: str, folded: str) -> None:
    assert get_algorithm("spamooborona", borders="letter", letter=letter).parameters()["letter"] == folded
    assert chunks("ёлка, ЮГ, юнга, ель", borders="letter", letter=letter)


@pytest.mark.parametrize(
    ("pair", "alphabet", "cp1251"),
    [
        ("яп", True, False),
        ("юр", True, False),
        ("яр", False, False),
        ("ав", False, True),
        ("бб", False, True),
        ("ъъ", False, True),
        ("yy", True, False),
        ("я1", False, False),
        ("..", False, False),
        ("🙂🙂", False, False),
    ],
)
def test_a_sum_that_is_a_multiple_of_50(pair: str, alphabet: bool, cp1251: bool) -> None:
    """я = 33 and п = 17, ю = 32 and р = 18, y = 25; in cp1251 а = 224, в = 226, б = 225, ъ = 250."""
    assert has_multiple_sum(pair, "alphabet") is alphabet
    assert has_multiple_sum(pair, "cp1251") is cp1251


def test_from_pair_to_pair() -> None:
    assert chunks("цапля япония кот яп", borders="sum") == ["япониякот"]


def test_generic_chunks_are_the_whole_text_but_for_a_short_end() -> None:
    found = "".join(chunks(FLAT))
    letters = "".join(token.surface for token in CanonicalText(FLAT).tokens)
    assert letters.startswith(found) and len(letters) - len(found) < 20


def test_least_and_greatest_length() -> None:
    assert _chunks_of_limited_length("абвгдежзик", [1, 4, 6], 3, 10) == ["абвг", "дежзик"]
    assert _chunks_of_limited_length("абвгдежзик", [1], 3, 4) == ["абвг", "дежз"]
    assert _chunks_of_limited_length("аб", [], 3, 4) == []


@pytest.mark.parametrize("options", FORMS)
def test_an_insertion_changes_only_what_it_falls_into(options: dict[str, str]) -> None:
    place = QUOTING.index("Соседи спокойные")
    before = chunks(QUOTING, **options)
    after = chunks(f"{QUOTING[:place]}{ADDED} {QUOTING[place:]}", **options)
    assert len(before) >= 4
    assert len(set(before) - set(after)) <= 2


@pytest.mark.parametrize("options", FORMS[:1])
def test_a_word_in_front_changes_the_first_chunks_alone(options: dict[str, str]) -> None:
    assert chunks(f"Итак: {QUOTING}", **options)[-6:] == chunks(QUOTING, **options)[-6:]


def test_resemblance_of_sets_of_chunks() -> None:
    ours, theirs = set(chunks(QUOTING)), set(chunks(FLAT))
    expected = len(ours & theirs) / len(ours | theirs)
    assert 0 < expected < 1
    assert score(get_algorithm("spamooborona"), QUOTING, FLAT) == pytest.approx(expected)
    assert shared(get_algorithm("spamooborona"), QUOTING, FLAT) == len(ours & theirs)


def test_a_copy_with_a_sentence_more_and_another_text() -> None:
    algorithm = get_algorithm("spamooborona")
    assert verdict(algorithm, QUOTING, f"{QUOTING} {ADDED}") == "duplicate"
    assert is_candidate(algorithm, QUOTING, f"{QUOTING} {ADDED}")
    assert verdict(algorithm, FLAT, KITTEN) == "none" and shared(algorithm, FLAT, KITTEN) == 0


def test_few_letters_have_no_keys() -> None:
    assert get_algorithm("spamooborona").keys(CanonicalText("Продам дом")) == []


def test_keys_depend_on_the_secret() -> None:
    algorithm = get_algorithm("spamooborona")
    assert not set(algorithm.keys(CanonicalText(FLAT, secret=b"1"))) & set(
        algorithm.keys(CanonicalText(FLAT, secret=b"2"))
    )


@pytest.mark.parametrize("options", [*FORMS, {"modulus": 20, "shortest": 5, "longest": 60}])
def test_contract(options: dict[str, object]) -> None:
    check_contract(get_algorithm("spamooborona", **options))


@pytest.mark.parametrize(
    "options",
    [
        {"borders": "x"},
        {"values": "x"},
        {"letter": ""},
        {"letter": "юя"},
        {"letter": " "},
        {"modulus": 0},
        {"shortest": 0},
        {"longest": 5},
    ],
)
def test_senseless_options(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match="is"):
        get_algorithm("spamooborona", **options)
