"""The declared head of a text, counted in tokens."""

from __future__ import annotations

import pytest

from django_neardup.text import CanonicalText

BODY = "\nРабота в тёплом цехе, оплата раз в неделю."


@pytest.mark.parametrize(
    ("title", "count"),
    [
        ("Водитель погрузчика", 2),
        ("<b>Води</b>тель &laquo;погрузчика&raquo;", 2),
        ("[b]Водитель[/b] **погруз**чика", 2),
        ("Bодитeль пoгрyзчикa", 2),  # Latin letters that look like Cyrillic ones
        ("Во\u00adди\u200bтель ПОГРУЗЧИКА", 2),  # characters that are left out
        ("ﬁтнес тренер", 2),  # a ligature: folding makes it two letters
        ("Директор… отдела", 2),  # one character that becomes three
        ("💼 Водитель!!!", 1),
        ("...", 0),
        ("", 0),
    ],
)
def test_tokens_that_start_before_the_end_of_the_head(title: str, count: int) -> None:
    text = CanonicalText(title + BODY, head=len(title))
    assert text.head_end == count
    assert all(token.start < len(title) for token in text.tokens[:count])
    assert text.tokens[count].key == "работа"


def test_dropped_quotations_do_not_shift_the_head() -> None:
    quote = "<blockquote>Кто поедет завтра в город?</blockquote>"
    raw = f"{quote}Поездка в город\nВыезд в восемь утра"
    head = raw.index("\n")
    assert CanonicalText(raw, head=head).head_end == 8
    assert CanonicalText(raw, quotes="drop", head=head).head_end == 3


def test_a_token_over_the_end_of_the_head_belongs_to_it() -> None:
    assert CanonicalText("Водитель погрузчика", head=10).head_end == 2


def test_the_head_may_be_the_whole_text_or_longer() -> None:
    assert CanonicalText("Водитель погрузчика", head=19).head_end == 2
    assert CanonicalText("Водитель погрузчика", head=1000).head_end == 2
    assert CanonicalText("", head=5).head_end == 0


def test_without_a_head_no_tokens_are_made() -> None:
    text = CanonicalText("Водитель" + BODY)
    assert text.head_end == 0
    assert "_tokens_and_sentences" not in text.__dict__


def test_a_head_changes_nothing_else() -> None:
    raw = "Водитель погрузчика" + BODY
    bare, headed = CanonicalText(raw, secret=b"s"), CanonicalText(raw, secret=b"s", head=19)
    for name in ("hashes", "weights", "exact_digest", "sentences", "tokens", "codes", "content"):
        assert getattr(bare, name) == getattr(headed, name)


def test_a_copy_with_another_head_keeps_the_reading() -> None:
    text = CanonicalText("Водитель погрузчика" + BODY)
    headed = text.with_head(19)
    assert (text.head_end, headed.head_end) == (0, 2)
    assert headed.reading is text.reading


def test_a_copy_without_tokens_keeps_its_head() -> None:
    text = CanonicalText("Водитель погрузчика" + BODY, head=19)
    assert text.without_tokens().head_end == text.head_end == 2
