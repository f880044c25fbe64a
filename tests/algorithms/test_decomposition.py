"""Pairs of a collection: against brute force, on planted copies, and the number of comparisons it takes."""

from __future__ import annotations

import random
from functools import lru_cache
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.rcdl2007.decomposition import (
    FEATURES_PER_COLLECTION,
    Decomposition,
    features_of,
    rarest_features,
)
from django_neardup.text.canonical_text import CanonicalText
from tests.fuzzing import examples

HOT = "звоните в любое время дня и ночи торг уместен доставка по городу"
LETTERS = "бвгдзклмнпрст"


class Counting(Decomposition):
    """Counts its comparisons."""

    compared = 0

    def measure(self, a: bytes, b: bytes) -> float:
        self.compared += 1
        return super().measure(a, b)


@lru_cache
def vocabulary() -> list[str]:
    source = random.Random(11)
    return ["".join(source.choice(LETTERS) + source.choice("аоуи") for _ in range(4)) for _ in range(4000)]


def sentences(count: int, seed: int, words: int = 20) -> list[str]:
    source = random.Random(seed)
    return [" ".join(source.choices(vocabulary(), k=words)) for _ in range(count)]


def edited(text: str, changes: int, source: random.Random) -> str:
    words = text.split()
    for place in source.sample(range(len(words)), changes):
        words[place] = source.choice(vocabulary())
    return " ".join(words)


def brute_force(algorithm: Decomposition, documents: list[CanonicalText]) -> list[tuple[int, int]]:
    packed = [algorithm.payload(document) for document in documents]
    return [
        (i, j)
        for i, j in combinations(range(len(documents)), 2)
        if algorithm.measure(packed[i], packed[j]) >= algorithm.review
    ]


few = st.lists(
    st.lists(st.sampled_from(["кот", "дом", "сад", ".", "!", "мост"]), max_size=12).map(" ".join), max_size=12
)


@given(few)
@examples(100)
def test_of_few_texts_all_pairs_are_compared(texts: list[str]) -> None:
    documents = [CanonicalText(text) for text in texts]
    algorithm = Decomposition()
    assert algorithm.find_pairs(documents) == brute_force(algorithm, documents)


@given(few)
@examples(60)
def test_lists_of_one_text_find_nothing_that_brute_force_does_not(texts: list[str]) -> None:
    documents = [CanonicalText(text) for text in texts]
    algorithm = Decomposition(partners=1)
    found = algorithm.find_pairs(documents)
    assert set(found) <= set(brute_force(algorithm, documents))
    assert found == sorted(set(found)) and all(i < j for i, j in found)


def test_a_batch_has_no_keys() -> None:
    algorithm = get_algorithm("decomposition")
    assert (algorithm.bench_only, algorithm.keys(CanonicalText("кот дом"))) == (True, [])


def test_two_texts_are_judged_by_their_common_words() -> None:
    algorithm = get_algorithm("decomposition")
    ten = "кот дом сад мост стол нож лес гриб суп хлеб"
    nine, eight = ten.replace("хлеб", "сыр"), ten.replace("суп хлеб", "сыр чай")
    judged = [algorithm.judge(CanonicalText(ten), CanonicalText(text)) for text in (ten + "!", nine, eight)]
    assert [(judgement.verdict, judgement.score) for judgement in judged] == [
        ("duplicate", 1.0),
        ("duplicate", 0.9),
        ("none", 0.8),
    ]


@pytest.mark.parametrize("hot", ["", HOT], ids=["plain", "boilerplate-in-every-text"])
def test_planted_copies_are_found_and_nothing_else(hot: str) -> None:
    source = random.Random(12)
    originals = sentences(600, 13, words=60)
    copies = [edited(text, changes=6, source=source) for text in originals[:80]]
    documents = [CanonicalText(f"{text}. {hot}") for text in originals + copies]
    planted = [(place, 600 + place) for place in range(80)]
    assert Decomposition().find_pairs(documents) == planted


def test_texts_of_unlike_lengths_are_not_compared() -> None:
    base = sentences(1, 14, words=100)[0].split()
    documents = [CanonicalText(" ".join(base[:size])) for size in (100, 86, 84)]
    assert Decomposition().find_pairs(documents) == [(0, 1), (1, 2)]
    counting = Counting()
    counting.find_pairs(documents)
    assert counting.compared == 2
    assert Decomposition(review=0.8).find_pairs(documents) == [(0, 1), (1, 2)]
    assert Decomposition(review=0.8, length_ratio=0.8).find_pairs(documents) == [(0, 1), (0, 2), (1, 2)]


def comparisons(texts: list[str], partners: int = 8) -> int:
    counting = Counting(partners=partners)
    counting.find_pairs([CanonicalText(text) for text in texts])
    return counting.compared


@pytest.mark.parametrize("hot", ["", "торг уместен. "], ids=["plain", "one-hot-sentence"])
def test_comparisons_grow_with_the_number_of_texts(hot: str) -> None:
    """All texts of one length: 400 of them are 79 800 pairs, 3200 are 5 118 400."""
    few, many = (comparisons([hot + text for text in sentences(size, 15, words=12)]) for size in (400, 3200))
    assert few <= 400 * FEATURES_PER_COLLECTION * 4
    assert many <= 3200 * FEATURES_PER_COLLECTION * 4


def test_a_hot_sentence_in_half_of_ten_thousand_texts_costs_nothing() -> None:
    """The rest of each text is its own, so that the one list of 5000 texts has no feature to be split by."""
    hot = ["торг уместен. ", "дом мост. "]
    texts = [hot[place % 2] + " ".join(f"{place}щ{n}" for n in range(4)) for place in range(10_000)]
    assert comparisons(texts) == 0


def test_a_list_of_a_hot_word_is_split_by_the_next_feature() -> None:
    """One list of 1000 texts of like length holds the hot word; pairs in it are found with few comparisons."""
    source = random.Random(19)
    rest = sentences(900, 20, words=30)
    texts = [f"якорь {text}" for text in rest + [edited(text, 2, source) for text in rest[:100]]]
    counting = Counting(partners=8)
    found = counting.find_pairs([CanonicalText(text) for text in texts])
    assert {(place, 900 + place) for place in range(100)} <= set(found)
    assert counting.compared <= 1000 * FEATURES_PER_COLLECTION * 8


def test_crowds_of_equal_texts_take_few_comparisons_each() -> None:
    crowd = [CanonicalText("кот дом сад мост стол нож лес гриб суп хлеб")] * 3000
    counting = Counting()
    found = counting.find_pairs(crowd)
    assert counting.compared <= 3000 * 32
    assert {place for pair in found for place in pair} == set(range(3000))


def test_two_crowds_in_one_collection_stay_apart_and_are_joined_within() -> None:
    texts = ["кот дом сад мост стол нож лес", "гусь волк конь чай сыр хлеб суп"]
    documents = [CanonicalText(texts[place % 2]) for place in range(400)]
    found = Decomposition().find_pairs(documents)
    assert all((i - j) % 2 == 0 for i, j in found)
    assert {place for pair in found for place in pair} == set(range(400))


def test_a_template_with_one_word_of_its_own_in_each_text() -> None:
    documents = [CanonicalText(f"{HOT} {word}") for word in vocabulary()[:300]]
    found = Decomposition().find_pairs(documents)
    assert {place for pair in found for place in pair} == set(range(300))


def test_the_order_of_texts_is_nothing() -> None:
    source = random.Random(16)
    texts = sentences(200, 17)
    texts += [edited(text, 2, source) for text in texts[:50]]
    shuffled = list(range(len(texts)))
    source.shuffle(shuffled)
    straight = Decomposition().find_pairs([CanonicalText(text) for text in texts])
    mixed = Decomposition().find_pairs([CanonicalText(texts[place]) for place in shuffled])
    assert {frozenset(pair) for pair in straight} == {frozenset((shuffled[i], shuffled[j])) for i, j in mixed}
    assert len(straight) >= 50


@pytest.mark.parametrize("texts", [[], [""], ["", "!!!", ""], ["кот"]])
def test_nothing_to_pair(texts: list[str]) -> None:
    assert Decomposition().find_pairs([CanonicalText(text) for text in texts]) == []


def test_features_are_bounded() -> None:
    long = CanonicalText(". ".join(sentences(200, 18)))
    assert len(features_of(long)) == 3 + 256
    assert features_of(long) == features_of(CanonicalText(long.raw))


def test_the_rarest_features_of_a_list() -> None:
    counts = {1: 1, 2: 2, 3: 5, 4: 2, 5: 6}
    assert rarest_features([5, 4, 3, 2, 1], counts, 6, 2) == [2, 4]
    assert rarest_features([5, 4, 3, 2, 1], counts, 6, 9) == [2, 4, 3]


@pytest.mark.parametrize("options", [{"length_ratio": 2}, {"partners": 0}])
def test_senseless_options_are_refused(options: dict[str, float]) -> None:
    with pytest.raises(ValueError, match="length_ratio is within"):
        Decomposition(**options)
