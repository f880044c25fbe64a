"""What a process remembers of texts is short, whatever is written in them."""

from __future__ import annotations

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.normalization import markup
from django_neardup.text.normalization.offsets import PlainText
from django_neardup.text.normalization.plain_text import plain_text
from django_neardup.text.tokens.lexicon import MAX_WORD_LENGTH, get_lexicon


def test_of_tags_that_hold_pictures_nothing_is_remembered() -> None:
    markup._TAG_REPLACEMENTS.clear()
    written = f'<p class="a">Смотрите <img src="data:image/png;base64,{"A" * 60_000}"></p>'
    assert "base64" not in plain_text(written, text_class=PlainText).text
    assert 0 < max(map(len, markup._TAG_REPLACEMENTS)) <= markup.MAX_CACHED_TAG_LENGTH


def test_of_endless_words_nothing_is_remembered() -> None:
    assert len(CanonicalText("а" * 50_000 + " диван").tokens) == 2
    assert max(map(len, get_lexicon("ru", True))) <= MAX_WORD_LENGTH
