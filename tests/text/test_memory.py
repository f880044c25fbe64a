"""What a process remembers of texts is short, whatever is written in them."""

from __future__ import annotations

from django_neardup.text import markup
from django_neardup.text.document import Document
from django_neardup.text.lexicon import MAX_WORD, lexicon
from django_neardup.text.plain import plain_text
from django_neardup.text.traced import Untraced


def test_of_tags_that_hold_pictures_nothing_is_remembered() -> None:
    markup._STANDINGS.clear()
    written = f'<p class="a">Смотрите <img src="data:image/png;base64,{"A" * 60_000}"></p>'
    assert "base64" not in plain_text(written, form=Untraced).text
    assert 0 < max(map(len, markup._STANDINGS)) <= markup.LONGEST_STANDING


def test_of_endless_words_nothing_is_remembered() -> None:
    assert len(Document("а" * 50_000 + " диван").tokens) == 2
    assert max(map(len, lexicon("ru", True))) <= MAX_WORD
