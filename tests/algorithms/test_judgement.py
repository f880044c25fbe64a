"""Properties of every judgement, and its evidence."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.algorithms import Judgement, get_algorithm
from django_neardup.algorithms.base import MAX_EVIDENCE_ITEMS, VERDICTS
from django_neardup.judge.differences import Difference
from django_neardup.text.canonical_text import CanonicalText
from tests.fuzzing import examples

WORDS = [
    "продам",
    "куплю",
    "гараж",
    "машина",
    "дом",
    "щенок",
    "кот",
    "не",
    "без",
    "и",
    "в",
    "на",
    "С140.35",
    "С90.30",
    "2",
    "5",
    "16",
    "5",
    "кг",
    "100",
    "руб.",
    "Lada",
    "iPhone",
    "красный",
    "синий",
    "большой",
    ".",
    "!",
    "8-903-123-45-67",
    "12.05.2024",
    "купюра",
    "все",
    "же",
    "всеже",
]
texts = st.lists(st.sampled_from(WORDS), max_size=40).map(" ".join)
edited = st.tuples(
    texts, st.lists(st.tuples(st.integers(0, 40), st.integers(0, 3), st.sampled_from(WORDS)), max_size=6)
)
NEARDUP = get_algorithm("neardup")


def edit(text: str, edits: list[tuple[int, int, str]]) -> str:
    words = text.split()
    for place, cut, word in edits:
        words[place : place + cut] = [word]
    return " ".join(words)


def judge(a: str, b: str) -> Judgement:
    return NEARDUP.judge(CanonicalText(a), CanonicalText(b))


@given(edited)
@examples(150)
def test_judgements_are_symmetric(pair: tuple[str, list[tuple[int, int, str]]]) -> None:
    a, b = pair[0], edit(*pair)
    assert judge(a, b) == judge(b, a).swap_sides()


@given(edited)
@examples(150)
def test_values_are_in_range_and_evidence_is_json(pair: tuple[str, list[tuple[int, int, str]]]) -> None:
    a, b = pair[0], edit(*pair)
    judgement = judge(a, b)
    assert judgement.verdict in VERDICTS
    for value in (judgement.score, judgement.containment_a, judgement.containment_b):
        assert 0 <= value <= 1
    assert bool(judgement.classes) == (judgement.verdict == "variant")
    assert json.loads(json.dumps(judgement.evidence())) == judgement.evidence()
    for item in judgement.differences:
        assert 0 <= item.span_a[0] <= item.span_a[1] <= len(a)
        assert 0 <= item.span_b[0] <= item.span_b[1] <= len(b)


@given(edited)
@examples(100)
def test_every_unaligned_word_is_in_one_difference(pair: tuple[str, list[tuple[int, int, str]]]) -> None:
    judgement = judge(pair[0], edit(*pair))
    for side in ("a", "b"):
        places = [i for item in judgement.differences for i in range(*getattr(item, f"token_range_{side}"))]
        assert len(places) == len(set(places))


@given(st.text(max_size=300))
@examples(150)
def test_a_text_is_itself(text: str) -> None:
    judgement = judge(text, text)
    if len(CanonicalText(text)):
        assert (judgement.verdict, judgement.score, judgement.exact) == ("duplicate", 1.0, True)
    else:
        assert (judgement.verdict, judgement.score, judgement.exact) == ("none", 0.0, False)


@given(st.text(max_size=200), st.text(max_size=200))
@examples(150)
def test_no_text_raises(a: str, b: str) -> None:
    a_document, b_document = CanonicalText(a), CanonicalText(b)
    NEARDUP.judge(a_document, b_document)
    assert NEARDUP.keys(a_document) == sorted(set(NEARDUP.keys(a_document)))
    assert 0 <= NEARDUP.screen(NEARDUP.payload(a_document), NEARDUP.payload(b_document)) <= 1


def difference(place: int, decides: bool = False) -> Difference:
    span = (place, place + 1)
    return Difference("code" if decides else "word", span, span, decides, span, span, "а", "б")


def test_evidence_is_bounded_and_keeps_what_decides() -> None:
    many = tuple(difference(place, decides=place == 90) for place in range(100))
    evidence = Judgement("variant", 0.9, differences=many, classes=("code",)).evidence()
    assert len(evidence["differences"]) == MAX_EVIDENCE_ITEMS
    assert evidence["omitted"] == 100 - MAX_EVIDENCE_ITEMS
    assert evidence["classes"] == ["code"]
    assert [item["kind"] for item in evidence["differences"] if item["decides"]] == ["code"]


def test_swapping_twice_is_nothing() -> None:
    judgement = judge("Продам дом 5 соток в деревне", "Продам дом 6 соток в деревне, тел. 8-903-123-45-67")
    assert judgement.swap_sides().swap_sides() == judgement
    assert judgement.swap_sides().containment_a == judgement.containment_b


@pytest.mark.parametrize(("verdict", "offered"), [("none", False), ("related", True), ("duplicate", True)])
def test_offered_is_all_but_none(verdict: str, offered: bool) -> None:
    assert Judgement(verdict, 0.5).is_similar is offered
