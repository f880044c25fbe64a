"""A text that knows its places."""

from __future__ import annotations

import re

import pytest

from django_neardup.text.normalization.offsets import OffsetText


def test_nothing_matched_is_the_same_object() -> None:
    traced = OffsetText("раз два")
    assert traced.sub(re.compile("три"), "четыре") is traced
    assert traced.sub(re.compile("раз"), "раз") is traced
    assert traced.raw_span(2, 5) == (2, 5)


def test_deletion_replacement_and_growth() -> None:
    traced = OffsetText("раз<b>два&amp;три")
    traced = traced.sub(re.compile("<b>"), "").sub(re.compile("&amp;"), "&").sub(re.compile("&"), " and ")
    assert traced.text == "раздва and три"
    assert traced.raw_span(0, 6) == (0, 9)
    assert traced.raw_span(6, 11) == (9, 14)
    assert traced.raw_span(7, 8) == (9, 14)
    assert traced.raw_span(11, 14) == (14, 17)


def test_replacement_of_equal_length_keeps_places() -> None:
    traced = OffsetText("a1b2").sub(re.compile(r"\d"), "x").sub(re.compile("ax"), "by")
    assert traced.text == "bybx"
    assert [traced.raw_span(i, i + 1) for i in range(4)] == [(0, 1), (1, 2), (2, 3), (3, 4)]


def test_a_string_is_taken_literally() -> None:
    assert OffsetText("a").sub(re.compile("(a)"), r"\1").text == r"\1"
    assert OffsetText("ab").sub(re.compile("(a)(b)"), lambda match: match[2] + match[1]).text == "ba"


def test_empty_ranges() -> None:
    traced = OffsetText("a<b>c").sub(re.compile("<b>"), "")
    assert traced.raw_span(1, 1) == (4, 4)
    assert traced.raw_span(2, 2) == (5, 5)


def test_other_characters_at_the_same_places() -> None:
    traced = OffsetText("a<b>c").sub(re.compile("<b>"), "").with_text("xy")
    assert (traced.text, traced.raw_span(1, 2)) == ("xy", (4, 5))
    with pytest.raises(ValueError, match="length"):
        traced.with_text("x")


def test_long_texts() -> None:
    raw = "<b>" + "x" * 100_000
    traced = OffsetText(raw).sub(re.compile("<b>"), "")
    assert traced.raw_span(99_999, 100_000) == (100_002, 100_003)


def test_repr_is_short() -> None:
    assert len(repr(OffsetText("x" * 1000))) < 100
