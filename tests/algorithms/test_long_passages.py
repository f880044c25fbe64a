from __future__ import annotations

import random

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.shingling.long_passages import (
    Chain,
    count_covered,
    find_chains,
    find_hits,
    select_tiles,
)
from django_neardup.text.canonical_text import CanonicalText
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    MOVED,
    QUOTING,
    check_contract,
    is_candidate,
    shared,
    text,
    verdict,
    words,
)


@pytest.mark.parametrize(
    ("a", "b", "gap", "expected"),
    [
        ("abcdef", "abcdef", 3, [(0, 0, 6, 6)]),
        ("abcXdef", "abcYdef", 3, [(0, 0, 7, 7)]),
        ("abcXdef", "abcdef", 3, [(0, 0, 7, 6)]),
        ("abcXdef", "abcYdef", 0, [(0, 0, 3, 3), (4, 4, 7, 7)]),
        ("abcXYZdef", "abcdef", 3, [(0, 0, 9, 6)]),
        ("abcWXYZdef", "abcdef", 3, [(0, 0, 3, 3), (7, 3, 10, 6)]),
        ("abcXdef", "defYabc", 3, [(0, 4, 3, 7), (4, 0, 7, 3)]),
        ("abXcd", "abYcd", 3, []),
        ("", "abc", 3, []),
    ],
)
def test_chains(a: str, b: str, gap: int, expected: list[tuple[int, int, int, int]]) -> None:
    found = find_chains([ord(char) for char in a], [ord(char) for char in b], 3, gap)
    assert sorted(found) == [Chain(*each) for each in expected]


def test_values_of_many_places_are_paired_in_order() -> None:
    assert list(find_hits([7, 7], [7, 7])) == [(0, 0), (0, 1), (1, 0), (1, 1)]
    assert set(find_hits([7] * 5, [7] * 5)) >= {(place, place) for place in range(5)}
    assert len(list(find_hits([7] * 500, [7] * 500))) <= 500 * 16


def test_a_passage_among_repetitions_is_found_whole() -> None:
    """In the long text the passage's first runs have twenty places; what stands after them says which is meant."""
    often = [1, 2, 3]
    passage = [*often, 4, 5, 6, 7]
    long = [value for number in range(20) for value in (100 + number, *often)] + [90, *passage, 91]
    assert find_chains(passage, long, 3, 0)[-1] == Chain(0, 81, 7, 88)


def test_tiles_longest_first_and_no_word_twice() -> None:
    chains = [Chain(0, 0, 20, 20), Chain(5, 40, 18, 53), Chain(30, 60, 43, 73), Chain(50, 80, 55, 85)]
    assert select_tiles(chains, 12) == [Chain(0, 0, 20, 20), Chain(30, 60, 43, 73)]
    assert select_tiles([], 12) == []


def test_covered() -> None:
    assert count_covered([(4, 6), (0, 3), (2, 5), (2, 3)]) == 6
    assert count_covered([]) == 0


def rewritten(source: list[str], every: int) -> list[str]:
    return [f"{word}аса" if place % every == every - 1 else word for place, word in enumerate(source)]


def test_a_rewrite_that_destroys_the_shingles() -> None:
    source = words(100)
    a, b = " ".join(source), " ".join(rewritten(source, 5))
    assert verdict(get_algorithm("shingles"), a, b) == "none"
    judged = get_algorithm("long-passages").judge(CanonicalText(a), CanonicalText(b))
    assert judged.verdict == "duplicate"
    assert judged.containment_a == judged.containment_b == pytest.approx(0.99)
    assert is_candidate(get_algorithm("long-passages"), a, b)


def test_covers_by_hand() -> None:
    """A passage of 20 words of which two differ, in texts of 30 and 80."""
    passage = words(20)
    a = [*words(10, seed=2), *passage]
    b = [*words(30, seed=3), *passage[:9], "иное", "другое", *passage[11:], *words(30, seed=4)]
    judged = get_algorithm("long-passages").judge(CanonicalText(" ".join(a)), CanonicalText(" ".join(b)))
    assert judged.containment_a == pytest.approx(20 / 30)
    assert judged.containment_b == pytest.approx(20 / 80)
    assert judged.score == pytest.approx(40 / 110)
    assert judged.verdict == "related"


def test_eleven_words_are_no_passage() -> None:
    common = words(12)
    a = [*words(30, seed=2), *common]
    for count, passages in ((11, 0), (12, 1)):
        b = [*common[:count], *words(30, seed=3)]
        found = get_algorithm("long-passages").judge(CanonicalText(" ".join(a)), CanonicalText(" ".join(b)))
        assert len(found.passages) == passages


def test_a_quotation_and_its_place() -> None:
    algorithm = get_algorithm("long-passages")
    judged = algorithm.judge(CanonicalText(FLAT), CanonicalText(QUOTING))
    assert (judged.verdict, judged.containment_a) == ("contained", 1.0)
    (passage,) = judged.passages
    assert FLAT[slice(*passage.span_a)] == QUOTING[slice(*passage.span_b)] == FLAT.rstrip(".")
    assert algorithm.judge(CanonicalText(QUOTING), CanonicalText(FLAT)) == judged.swap_sides()
    assert is_candidate(algorithm, FLAT, QUOTING)
    assert judged.evidence()["passages"][0]["words"] == len(CanonicalText(FLAT))


def test_moved_sentences_and_others() -> None:
    algorithm = get_algorithm("long-passages")
    assert verdict(algorithm, FLAT, MOVED) == "duplicate" and is_candidate(algorithm, FLAT, MOVED)
    assert verdict(algorithm, FLAT, KITTEN) == "none" and shared(algorithm, FLAT, KITTEN) == 0


@pytest.mark.parametrize("seed", range(15))
def test_a_run_of_eight_words_makes_candidates(seed: int) -> None:
    chosen = random.Random(seed)
    run, left, right = words(8, 100 + seed), words(400, 200 + seed), words(60, 300 + seed)
    place = chosen.randrange(400)
    a, b = [*left[:place], *run, *left[place:]], [*right[:30], *run, *right[30:]]
    assert shared(get_algorithm("long-passages"), " ".join(a), " ".join(b))


def test_keys_of_long_texts_are_bounded() -> None:
    assert len(get_algorithm("long-passages").keys(CanonicalText(text(6000)))) < 160


@pytest.mark.parametrize("seed", range(5))
def test_the_same_both_ways(seed: int) -> None:
    """Few different words, so that runs repeat and chains compete."""
    chosen = random.Random(seed)
    a, b = (CanonicalText(" ".join(chosen.choices(words(6), k=chosen.randrange(30, 90)))) for _ in range(2))
    algorithm = get_algorithm("long-passages")
    judged = algorithm.judge(a, b)
    assert algorithm.judge(b, a) == judged.swap_sides()
    assert 0 <= judged.score <= 1 and 0 <= judged.containment_a <= 1 and 0 <= judged.containment_b <= 1


@pytest.mark.parametrize("options", [{}, {"size": 2, "gap": 0, "least": 6, "window": 3}, {"guard": True}])
def test_contract(options: dict[str, object]) -> None:
    check_contract(get_algorithm("long-passages", **options))


@pytest.mark.parametrize("options", [{"size": 0}, {"gap": -1}, {"least": 2}, {"window": 0}])
def test_senseless_options(options: dict[str, int]) -> None:
    with pytest.raises(ValueError, match="is"):
        get_algorithm("long-passages", **options)
