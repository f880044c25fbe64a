"""The chapter's seventy functions."""

from __future__ import annotations

import pytest

from django_neardup.algorithms import get_algorithm
from django_neardup.algorithms.minhash.minwise import (
    band_hashes,
    content_hashes,
    gram_hashes,
    minwise_sketch,
    pack_sketch,
    standard_error,
)
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.hashing import mix
from django_neardup.text.set_similarity import resemblance
from tests.algorithms.shingle_texts import (
    FLAT,
    KITTEN,
    MOVED,
    check_contract,
    is_candidate,
    score,
    text,
    verdict,
    words,
)


@pytest.mark.parametrize(
    ("equal", "judged"), [(70, "duplicate"), (25, "duplicate"), (24, "related"), (13, "none")]
)
def test_25_of_70_is_the_criterion(equal: int, judged: str) -> None:
    ours = list(range(100, 170))
    theirs = [value if place < equal else value + 1000 for place, value in enumerate(ours)]
    algorithm = get_algorithm("minhash-70")
    found = algorithm.measure(pack_sketch(ours), pack_sketch(theirs))
    assert found == equal / 70
    assert algorithm.judge_by_score(found).verdict == judged


def test_the_criterion_is_an_option() -> None:
    assert get_algorithm("minhash-70", equal=56).duplicate == 0.8
    assert get_algorithm("minhash-70", functions=100, equal=30).duplicate == 0.3
    assert get_algorithm("minhash-70", equal=56, duplicate=0.6).duplicate == 0.6


@pytest.mark.parametrize("every", [5, 8, 15, 40])
@pytest.mark.parametrize("step", [1, 3])
def test_the_score_estimates_the_resemblance(every: int, step: int) -> None:
    long = words(240)
    edited = ["иное" if place % every == 3 else word for place, word in enumerate(long)]
    a, b = " ".join(long), " ".join(edited)
    exact = resemblance(*(gram_hashes(content_hashes(CanonicalText(each)), 3, step) for each in (a, b)))
    assert 0.05 < exact < 0.95
    found = score(get_algorithm("minhash-70", step=step), a, b)
    assert found == pytest.approx(exact, abs=3.5 * standard_error(exact, 70))


def test_pairs_on_the_criterion_share_a_key() -> None:
    """200 pairs of sets with 50 of 140 members in common, J = 25/70: .992 of them, the error is .006."""
    found = 0
    rows = get_algorithm("minhash-70").rows
    for pair in range(200):
        members = [mix(pair, number) for number in range(140)]
        ours, theirs = (
            set(band_hashes(minwise_sketch(each, 70), rows)) for each in (members[:95], members[45:])
        )
        found += bool(ours & theirs)
    assert rows == 2
    assert found / 200 >= 0.97


def test_another_criterion_takes_fewer_keys() -> None:
    assert len(get_algorithm("minhash-70").keys(CanonicalText(FLAT))) == 35
    assert len(get_algorithm("minhash-70", equal=56).keys(CanonicalText(FLAT))) < 20


def test_forms_and_stop_words_are_nothing() -> None:
    a = "Продаю красный диван и новое кресло, привезу на дом"
    b = "Продаю красного дивана новые кресла, и привезу в дом"
    assert CanonicalText(a).exact_digest != CanonicalText(b).exact_digest
    assert score(get_algorithm("minhash-70"), a, b) == 1.0


def test_side_by_side_differs_after_an_insertion() -> None:
    long = text(90)
    assert score(get_algorithm("minhash-70", step=3), long, f"иное {long}") == 0.0
    assert score(get_algorithm("minhash-70"), long, f"иное {long}") > 0.9


def test_another_sample_is_another_scheme() -> None:
    one, other = (get_algorithm("minhash-70", sample=sample) for sample in (0, 1))
    assert not set(one.keys(CanonicalText(FLAT))) & set(other.keys(CanonicalText(FLAT)))
    assert one.parameters() != other.parameters()


def test_moved_sentences_and_others() -> None:
    algorithm = get_algorithm("minhash-70")
    assert verdict(algorithm, FLAT, MOVED) == "duplicate" and is_candidate(algorithm, FLAT, MOVED)
    assert verdict(algorithm, FLAT, KITTEN) == "none" and not is_candidate(algorithm, FLAT, KITTEN)
    assert algorithm.keys(CanonicalText("красный диван и")) == []


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"equal": 40},
        {"size": 5, "step": 2, "functions": 30, "equal": 10, "sample": 4, "family": "one-permutation"},
    ],
)
def test_contract(options: dict[str, object]) -> None:
    check_contract(get_algorithm("minhash-70", **options))


@pytest.mark.parametrize(
    "options",
    [
        {"size": 0},
        {"size": 11},
        {"step": 0},
        {"step": 4},
        {"equal": 0},
        {"equal": 71},
        {"functions": 2000},
        {"family": "x"},
    ],
)
def test_senseless_options(options: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=r"1 to|has 1|it is 1|no family"):
        get_algorithm("minhash-70", **options)
