"""Differences in words: the posts' own, never a score."""

import pytest

from django_neardup.search.difference_labels import build_difference_labels
from django_neardup.search.display_titles import shorten
from tests.grouped_lists.rows import difference

A = "Сваи С140.35, 14 м, цена 18 900 ₽, тел. 8 900 000-42-17"
B = "Сваи <b>С90.30</b>, 9 м, цена 9 450 ₽, тел. 8 900 111-22-33"


def named(*differences, first="a"):
    return [
        (hint.kind, hint.before, hint.after)
        for hint in build_difference_labels({"differences": list(differences)}, {"a": A, "b": B}, first)
    ]


CODE = difference("code", (A, "С140.35"), (B, "С90.30"), decides=True)
PRICE = difference("price", (A, "18 900 ₽"), (B, "9 450 ₽"))
CONTACT = difference("contact", (A, "8 900 000-42-17"), (B, "8 900 111-22-33"))


def test_deciding_ones_first_as_they_were_written():
    assert named(PRICE, CODE) == [("code", "С140.35", "С90.30"), ("price", "18 900 ₽", "9 450 ₽")]


def test_seen_from_the_other_side():
    assert named(CODE, first="b") == [("code", "С90.30", "С140.35")]


def test_contacts_are_named_and_not_shown():
    assert named(CONTACT) == [("contact", "", "")]


def test_plain_words_are_not_named():
    assert named(difference("word", (A, "Сваи"), (B, "Сваи")), difference("only", (A, "м"), (B, "м"))) == []


def test_no_more_than_four_and_none_twice():
    many = [difference("number", (A, A[place]), (B, B[place])) for place in range(12)]
    assert len(named(*many)) == 4
    assert len(named(CODE, CODE)) == 1


def test_markup_is_no_word():
    assert named(difference("code", (A, "С140.35"), (B, "<b>С90.30</b>"))) == [("code", "С140.35", "С90.30")]


@pytest.mark.parametrize(
    "evidence",
    [
        {},
        {"differences": None},
        {"differences": "x"},
        {"differences": [None, 1, {}]},
        {"differences": [{"kind": ["code"]}]},
        {"differences": [{"kind": "invented", "a": {}, "b": {}}]},
    ],
)
def test_any_evidence_will_do(evidence):
    assert build_difference_labels(evidence, {"a": A, "b": B}) == []


@pytest.mark.parametrize(
    "side",
    [None, {}, {"span": None}, {"span": [1]}, {"span": ["a", "b"]}, {"span": [-5, 0]}, {"span": [900, 990]}],
)
def test_offsets_that_lead_nowhere(side):
    found = build_difference_labels(
        {"differences": [{"kind": "code", "a": side, "b": side}]}, {"a": A, "b": B}
    )
    assert [(hint.before, hint.after) for hint in found] == [("", "")]


def test_shorten():
    assert shorten("one  two\nthree", 40) == "one two three"
    assert shorten("one two three", 9) == "one two…"
    assert shorten("x" * 50, 9) == "x" * 9 + "…"
    assert shorten("18\u202e900 ₽\u2066", 40) == "18900 ₽"
