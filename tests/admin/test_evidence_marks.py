"""Texts with their passages bracketed and their differences marked: nothing lost, nothing let through, linear."""

import html
import re

import pytest
from django.utils.html import escape
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.admin.evidence_spans import locate_differences, locate_passages
from django_neardup.admin.highlighting import (
    MAX_TEXT_LENGTH,
    MIN_FOLDED_WORDS,
    VISIBLE_EDGE_WORDS,
    highlight_pieces,
    passage_numbers,
    truncate_pieces,
)
from django_neardup.judge.differences import Difference
from django_neardup.reports import split_text as cut_at
from django_neardup.reports.segments import SharedPassage, replace_control_characters, split_plain_text
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.normalization.plain_text import plain_text
from tests import builders
from tests.reports.texts import OTHER_PILES, PILES

SPANS = st.lists(st.tuples(st.integers(0, 90), st.integers(0, 90)), max_size=8)
TEXTS = st.one_of(
    st.text(max_size=80),
    st.lists(
        st.sampled_from(["<b>", "</b>", "&amp;", "<script>", '"', "'", "С140", " ", "\u202e", "\0"]),
        max_size=30,
    ).map("".join),
)


def difference(start, end, kind="word", decides=False, other=(0, 1)):
    return Difference(kind, (0, 0), (0, 0), decides, (start, end), other, "", "")


def shown(raw, differences=(), shared=(), twins=()):
    return str(highlight_pieces(split_plain_text(plain_text(raw), differences, shared, "a"), "A", twins))


def bare(text):
    """What is left of marked text without what the page adds."""
    for added in (
        r"<small>[^<]*</small>",
        r"<summary>[^<]*</summary>",
        r'<(a|span) class="neardup-num"[^>]*>\d+</\1> ',
        r"</?(mark|div|details)( [^>]*)?>",
    ):
        text = re.sub(added, "", text)
    return text


@given(TEXTS, SPANS, SPANS)
def test_marked_text_without_marks_is_the_escaped_text(raw, differences, passages):
    found = shown(
        raw,
        [difference(*span, kind="code") for span in differences],
        [SharedPassage(number, 4, span, span) for number, span in enumerate(passages, 1)],
        twins=range(9),
    )

    assert bare(found) == escape(replace_control_characters(plain_text(raw).text))


@pytest.mark.parametrize(
    "spans",
    [
        [(0, 4), (2, 6)], [(0, 100)], [(50, 60)], [(4, 2)], [(3, 3)], [(0, 4), (0, 4), (4, 5)],
    ],
)  # fmt: skip
def test_odd_places_lose_no_text(spans):
    found = shown("abcdefgh", [difference(*span) for span in spans])

    assert bare(found) == "abcdefgh"
    assert found.count("<mark") == found.count("</mark>")


def test_places_are_those_of_the_raw_text():
    raw = "<p>Сваи &amp; балки <b>С140</b>.35</p><p>конец</p>"
    found = shown(raw, [difference(raw.index("С140"), raw.index("</p>"), "code", decides=True)])

    assert '<mark class="neardup-code"><small>code</small>С140.35</mark>' in found
    assert "&amp; балки" in found


@pytest.mark.parametrize(
    ("kind", "decides", "other", "said"),
    [
        ("code", True, (0, 4), '<mark class="neardup-code"><small>code</small>'),
        ("price", False, (0, 4), '<mark class="neardup-price neardup-idle"><small>price</small>'),
        ("date", False, (0, 4), '<mark class="neardup-price neardup-idle"><small>date</small>'),
        ("word", False, (0, 4), '<mark class="neardup-word neardup-idle">'),
        ("word", False, (4, 4), '<mark class="neardup-word neardup-idle"><small>only in A</small>'),
        ("only", False, (4, 4), '<mark class="neardup-only neardup-idle"><small>only in A</small>'),
        ("negation", True, (4, 4), '<mark class="neardup-negation"><small>negation</small>'),
    ],
)
def test_the_class_of_a_difference_is_written_in_its_mark(kind, decides, other, said):
    assert f"{said}слово</mark>" in shown("слово и дело", [difference(0, 5, kind, decides, other)])


def test_a_passage_is_numbered_and_leads_to_its_twin():
    passage = [SharedPassage(1, 2, (0, 5), (7, 12))]

    linked, alone = (shown("слово и дело", (), passage, twins) for twins in ([1], ()))

    assert '<div class="neardup-shared" id="neardup-a1"><a class="neardup-num" href="#neardup-b1"' in linked
    assert 'aria-label="Passage 1, show it in B">1</a> слово</div> и дело' in linked
    assert '<span class="neardup-num">1</span> слово</div>' in alone
    assert "<a" not in alone


def test_long_equal_runs_are_folded_and_nothing_else_is():
    raw = " ".join(f"w{number}" for number in range(MIN_FOLDED_WORDS + 30))
    passage = [SharedPassage(1, 150, (0, len(raw)), (0, len(raw)))]

    folded = shown(raw, (), passage)

    assert (
        f"<details><summary>{MIN_FOLDED_WORDS + 30 - 2 * VISIBLE_EDGE_WORDS} equal words</summary>" in folded
    )
    assert folded.index("<details>") > folded.index(f"w{VISIBLE_EDGE_WORDS - 1}")
    assert bare(folded) == raw
    assert "<details>" not in shown(raw)
    assert "<details>" not in shown(raw, [difference(0, len(raw))], passage)
    assert "<details>" not in shown(
        " ".join("w" * MIN_FOLDED_WORDS), (), [SharedPassage(1, 9, (0, 999), (0, 999))]
    )


def test_a_long_text_is_cut():
    pieces = truncate_pieces(
        split_plain_text(plain_text("слово " * 10_000), [difference(59_000, 59_004, "code")], (), "a")
    )

    assert sum(len(piece.text) for piece in pieces) == MAX_TEXT_LENGTH
    assert len(highlight_pieces(pieces, "A")) == MAX_TEXT_LENGTH


class TestStored:
    """What is stored of a pair, drawn as the comparison of two texts draws it."""

    @pytest.fixture
    def evidence(self):
        return builders.evidence(PILES, OTHER_PILES)

    def texts(self, left):
        order = (PILES, OTHER_PILES) if left == "a" else (OTHER_PILES, PILES)
        return tuple(plain_text(text) for text in order)

    def pieces(self, evidence, left):
        texts, found = self.texts(left), locate_differences(evidence, left)
        shared = locate_passages(evidence, left, texts)
        return [split_plain_text(text, found, shared, side) for text, side in zip(texts, "ab")]

    def test_one_implementation_cuts_here_and_there(self, evidence):
        found = locate_differences(evidence, "a")
        shared = locate_passages(evidence, "a", self.texts("a"))

        assert split_plain_text(plain_text(PILES), found, shared, "a") == cut_at(
            CanonicalText(PILES), found, shared, "a"
        )

    @pytest.mark.parametrize("left", "ab")
    def test_passages_are_numbered_by_the_left_text_and_moves_are_seen(self, evidence, left):
        numbers = [
            [number for number in dict.fromkeys(piece.passage_number for piece in pieces) if number]
            for pieces in self.pieces(evidence, left)
        ]

        assert numbers[0] == sorted(numbers[0])
        assert numbers[0] != numbers[1]
        assert set(numbers[0]) == set(numbers[1])

    def test_the_words_that_differ_are_marked_on_both_sides(self, evidence):
        left, right = (
            {piece.text: piece.difference.kind for piece in pieces if piece.difference}
            for pieces in self.pieces(evidence, "a")
        )

        assert left["С140.35-10 составные"] == right["С90.30-8 цельные"] == "code"
        assert left["svai@example.ru"] == right["zakaz@example.ru"] == "contact"

    def test_exact_copies_are_one_passage(self):
        evidence = builders.evidence(PILES, PILES)
        texts = (plain_text(PILES), plain_text(PILES))

        assert passage_numbers(
            split_plain_text(texts[0], (), locate_passages(evidence, "a", texts), "a")
        ) == {1}

    @pytest.mark.parametrize(
        "evidence",
        [
            {}, {"passages": 7, "differences": "x"}, {"passages": [1, {"a": [0, 5]}, {"a": ["<", 2], "b": [0, 1]}]},
            {"passages": [{"a": [5, 2], "b": [0, 10**9]}, {"a": [-1, 2], "b": [0, 1]}, {"a": [True, 2], "b": [0, 1]}]},
            {"exact": "yes", "differences": [{"kind": "<b>", "a": {"span": [0, 3]}, "b": {"span": [0, None]}}]},
        ],
    )  # fmt: skip
    def test_odd_evidence_marks_nothing_it_does_not_name(self, evidence):
        text = plain_text("раз два три")
        found = split_plain_text(
            text, locate_differences(evidence, "a"), locate_passages(evidence, "a", (text, text)), "a"
        )

        assert "".join(piece.text for piece in found) == "раз два три"
        assert not any(piece.difference for piece in found)


@pytest.mark.parametrize("times", [1, 10, 100])
def test_pieces_are_as_many_as_the_places_named_not_as_the_text_is_long(times):
    """What is drawn grows with the text by its characters alone: each of them is escaped and written once."""
    raw = "слово <b>дело</b> & " * (50 * times)
    named = [difference(start, start + 5) for start in range(0, 400, 40)]

    pieces = split_plain_text(plain_text(raw), named, (), "a")

    assert len(pieces) <= 2 * len(named) + 1
    assert sum(len(piece.text) for piece in pieces) == len(plain_text(raw).text)
    assert html.unescape(bare(str(highlight_pieces(pieces, "A")))) == plain_text(raw).text
