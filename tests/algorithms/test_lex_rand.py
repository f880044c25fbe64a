from __future__ import annotations

import random

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.rcdl2007.lex_rand import LexRand, rarity
from django_neardup.algorithms.statistics import TermStatistics
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import mix, sha1

LETTERS = "бвгдзклмнпрст"


def words(count: int) -> list[str]:
    """Made-up words that are codes, hence keys of themselves."""
    source = random.Random(7)
    return ["".join(source.choices(LETTERS, k=4)) + str(source.randint(10, 99)) for _ in range(count)]


MEDIUM = words(40)
KNOWN = TermStatistics(
    1000,
    40.0,
    {CanonicalText(word).tokens[0].key: (30 + place, 60) for place, word in enumerate(MEDIUM)}
    | {"дом": (300, 900), "якорь": (3, 3), "парус": (4, 4), "берег": (251, 251), "остров": (252, 252)},
)
TEXT = " ".join(MEDIUM)


def made(**options: object) -> LexRand:
    algorithm = get_algorithm("lex-rand", statistics=KNOWN, **options)
    assert isinstance(algorithm, LexRand)
    return algorithm


def shared(algorithm: LexRand, a: str, b: str) -> int:
    first, second = CanonicalText(a), CanonicalText(b)
    found = set(algorithm.keys(first)) & set(algorithm.keys(second))
    assert bool(found) == bool(algorithm.measure(algorithm.payload(first), algorithm.payload(second)))
    return len(found)


@pytest.mark.parametrize(("df", "value"), [(1000, 0.0), (1, 1.0), (10, 2 / 3), (100, 1 / 3)])
def test_rarity_of_words_by_hand(df: int, value: float) -> None:
    assert rarity("кот", TermStatistics(1000, 10.0, {"кот": (df, df)})) == pytest.approx(value)


def test_in_a_collection_of_one_text_every_word_is_rare() -> None:
    assert rarity("кот", TermStatistics(1, 1.0, {})) == 1.0
    assert rarity("кот", TermStatistics(0, 0.0, {})) == 1.0


def test_the_lexicon_lacks_common_and_rare_words() -> None:
    """Of 1000 texts 0.2 and 0.8 are 1000^0.8 = 251.2 texts and 1000^0.2 = 3.98."""
    found = made().lexicon_words(CanonicalText("дом якорь парус берег остров невиданное"))
    assert set(found) == {"парус", "берег"}


def test_the_first_signature_is_the_sha1_of_the_sorted_words() -> None:
    keys = sorted(token.key for token in CanonicalText(TEXT).tokens)
    assert mix(sha1(" ".join(keys)), seed=0) in made().keys(CanonicalText(TEXT))
    assert made(lexicons=0).keys(CanonicalText(TEXT)) == [mix(sha1(" ".join(keys)), seed=0)]


def test_eleven_signatures() -> None:
    assert len(made().keys(CanonicalText(TEXT))) == 11
    assert len(made(lexicons=3).keys(CanonicalText(TEXT))) == 4


def test_equal_words_in_two_parts_are_two_signatures() -> None:
    """Three words make at most seven lists, and all the same a signature a part."""
    three = CanonicalText(" ".join(MEDIUM[:3]))
    assert len(made(lexicons=30, least_words=1, dropped=0.1).keys(three)) > 25


def test_order_and_repetition_are_nothing() -> None:
    assert shared(made(), TEXT, " ".join(reversed(MEDIUM)) + ", " + MEDIUM[0].upper()) == 11


def test_words_outside_the_lexicon_are_nothing() -> None:
    assert shared(made(), TEXT, TEXT + " дом якорь остров невиданное") == 11


def test_a_changed_rare_word_is_caught_where_tf_idf_misses_it() -> None:
    rare, other = TEXT + " якорь", TEXT + " невиданное"
    by_weight = get_algorithm("tf-idf", statistics=KNOWN)
    assert set(by_weight.keys(CanonicalText(rare))).isdisjoint(by_weight.keys(CanonicalText(other)))
    assert shared(made(), rare, other) == 11


@pytest.mark.parametrize("place", range(0, 40, 8))
def test_one_word_of_the_lexicon_changed_is_caught_by_the_parts_that_lack_it(place: int) -> None:
    """A part lacks a word with probability 0.3, so that about three of ten parts are equal, and not the lexicon."""
    changed = TEXT.replace(MEDIUM[place], "")
    document, other = CanonicalText(TEXT), CanonicalText(changed)
    gone = set(made().lexicon_words(document)) - set(made().lexicon_words(other))
    value = made().lexicon_words(document)[gone.pop()]
    lacking = sum(mix(value, part, seed=0) < int(0.3 * 2**64) for part in range(1, 11))
    assert shared(made(), TEXT, changed) == lacking
    assert lacking < 8


def test_most_single_changes_are_caught_and_many_changes_are_not() -> None:
    caught = sum(bool(shared(made(), TEXT, TEXT.replace(word, ""))) for word in MEDIUM)
    assert 34 <= caught <= 40
    assert shared(made(), TEXT, " ".join(MEDIUM[:20])) == 0


def test_a_part_with_few_words_of_the_text_signs_nothing() -> None:
    four, six = " ".join(MEDIUM[:4]), " ".join(MEDIUM[:6])
    assert made().keys(CanonicalText(four)) == []
    assert 1 <= len(made().keys(CanonicalText(six))) < 11
    assert len(made(least_words=1).keys(CanonicalText(four))) > 5


@pytest.mark.parametrize("empty", ["", "!!!", "дом дом дом дом дом дом"])
def test_texts_without_words_of_the_lexicon_have_no_keys(empty: str) -> None:
    assert made().keys(CanonicalText(empty)) == []


def test_the_seed_chooses_the_parts() -> None:
    first, second = (set(made(seed=seed).keys(CanonicalText(TEXT))) for seed in (0, 1))
    assert len(first & second) == 1
    assert made(seed=0).keys(CanonicalText(TEXT)) == made().keys(CanonicalText(TEXT))


def test_frozen_parameters_make_the_same_algorithm() -> None:
    parameters = made(seed=3, dropped=0.4, lexicons=5, lowest=0.1, highest=0.9, least_words=2).parameters()
    again = dict(parameters)
    name, _, digest = again.pop("algorithm"), again.pop("version"), again.pop("statistics")
    assert digest == KNOWN.digest
    assert get_algorithm(name, **again, statistics=KNOWN).parameters() == parameters
    assert parameters["seed"] == 3


@pytest.mark.parametrize(
    "options",
    [
        {"lexicons": -1},
        {"lexicons": 1000},
        {"least_words": 0},
        {"dropped": 0},
        {"dropped": 1},
        {"lowest": 0.9},
        {"highest": 2},
    ],
)
def test_senseless_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError):
        made(**options)
