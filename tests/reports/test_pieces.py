"""Texts cut at differences and passages, and the words at a place."""

import sys
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from django_neardup.reports import as_html, as_json, as_text, split_text
from django_neardup.reports.segments import quote_span, replace_control_characters
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.normalization.plain_text import plain_text
from tests.fuzzing import examples
from tests.reports.texts import OTHER_PILES, PILES, compared
from tests.text.hostile import HOSTILE

WORDS = st.sampled_from(
    ["не", "продам", "С140.35", "C90", "<b>", "</b>", "[quote]", ">", "&", "5000", "руб.", "Иванов", "И.", "8",
     "903", "123-45-67", "\0", "\ud800", "👩", "\n", "\x1b", ""]
)  # fmt: skip
TEXTS = st.one_of(st.text(max_size=200), st.lists(WORDS, max_size=40).map(" ".join))


def cut(it, letter):
    side = dict(it.sides)[letter]
    return split_text(side.text, it.judgement.differences, it.shared_passages, letter.lower())


@pytest.mark.parametrize("letter", "AB")
def test_pieces_are_the_readable_text(letter):
    it = compared(f"<p>{PILES}</p>", f"<b>{OTHER_PILES}</b>&lt;br&gt;")
    document = dict(it.sides)[letter].text
    assert "".join(piece.text for piece in cut(it, letter)) == plain_text(document.raw).text


def test_marks_stand_on_the_words_that_differ():
    it = compared(f"<p>{PILES}</p>", OTHER_PILES)
    marked = {piece.text: piece.difference.kind for piece in cut(it, "A") if piece.difference}
    assert marked["С140.35-10 составные"] == "code" and marked["350×350"] == "measure"
    assert marked["svai@example.ru"] == "contact" and marked["Есть краны"] == "only"


def test_numbers_are_those_of_the_passages():
    it = compared(PILES, OTHER_PILES)
    left, right = (list(dict.fromkeys(piece.passage_number for piece in cut(it, letter))) for letter in "AB")
    assert [number for number in left if number] == [1, 2, 3, 4]
    assert [number for number in right if number] == [1, 3, 2, 4]


def test_quotes_that_are_dropped_are_not_shown():
    document = CanonicalText("> прежнее письмо\nНовый ответ на него, совсем другой", quotes="drop")
    assert (
        "".join(piece.text for piece in split_text(document, (), (), "a")).strip()
        == "Новый ответ на него, совсем другой"
    )


def test_what_steers_a_terminal_is_replaced():
    assert (
        replace_control_characters("a\x1b[2Jb\u202ec\n\td\ud800\x9b") == "a\ufffd[2Jb\ufffdc\n\td\ufffd\ufffd"
    )


SEEN = "\u0600\u0601\u0602\u0603\u0604\u0605\u06dd\u070f\u0890\u0891\u08e2\U000110bd\U000110cd"
JOINING = "\u00ad\u200b\u200c\u200d\u2060\ufeff"


def is_shown(char):
    """Whether a character is seen, or does no more than join its neighbours or part them."""
    hieroglyphs = "\U00013430" <= char <= "\U0001345f"
    return char in f"\t\n{SEEN}{JOINING}" or hieroglyphs


@pytest.mark.parametrize("category", ["Cc", "Cf", "Cs", "Zl", "Zp"])
def test_no_character_that_steers_or_hides_is_shown(category):
    found = [char for char in map(chr, range(sys.maxunicode + 1)) if unicodedata.category(char) == category]
    assert found
    for char in found:
        assert replace_control_characters(char) == (char if is_shown(char) else "\ufffd"), hex(ord(char))


def test_words_at_a_place_are_on_one_line_and_cut():
    document = CanonicalText("Сваи <b>С140</b>,\n  новые " + "слово " * 100)
    assert quote_span(document, (0, 25)) == "Сваи С140, новые"
    assert len(quote_span(document, (0, 500), 30)) == 30 and quote_span(document, (5, 5)) == ""


@examples(150)
@given(TEXTS, TEXTS)
def test_no_two_strings_raise_and_marks_lie_within_them(a, b):
    it = compared(a, b)
    for letter, raw in (("A", a), ("B", b)):
        shown = cut(it, letter)
        assert "".join(piece.text for piece in shown) == replace_control_characters(plain_text(raw).text)
        assert all(piece.text for piece in shown)
        for each in (*it.judgement.differences, *it.judgement.passages):
            start, end = getattr(each, f"span_{letter.lower()}")
            assert 0 <= start <= end <= len(raw)
        for each in it.shared_passages:
            start, end = getattr(each, letter.lower())
            assert 0 <= start < end <= len(raw)
    assert as_text(it) and as_html(it).encode() and as_json(it).encode()


@pytest.mark.parametrize("shape", HOSTILE)
def test_crafted_texts_give_reports_of_linear_size(shape):
    text, longer = (HOSTILE[shape](count)[: 2 * count] for count in (1_000, 4_000))
    other = "Продам диван. "
    sizes = [
        len(report(compared(each, other + each))) for each in (text, longer) for report in (as_html, as_json)
    ]
    assert sizes[2] <= 5 * sizes[0] and sizes[3] <= 5 * sizes[1]
    assert len(as_text(compared(longer, other + longer))) < 40_000
