"""What holds for every text: no exception, places in order and in bounds, folding that is finished."""

from __future__ import annotations

from hypothesis import example, given
from hypothesis import strategies as st

from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.normalization.normalize import normalize
from django_neardup.text.normalization.offsets import OffsetText
from django_neardup.text.normalization.plain_text import plain_text
from django_neardup.text.reader import CYRILLIC_LANGUAGES
from django_neardup.text.tokens.tokenize import TOKEN_KINDS
from tests.fuzzing import examples


def _split(text: str) -> list[str]:
    return text.split()


MARKUP = _split(
    "<b> </b> <p > <!-- --> <script> </script> [quote] [/quote] [b] [/b] ]( &amp; &#x301; &lt; * ** ~~ _"
)
FIGURES = _split("+7(903)123-45-67 5 5,5 5.000 кг руб. тыс. $ 12.05.2024 мая С140.35 x х × 0 C++ т.д. пр0дам")
WORDS = _split("слово word не а a ё й ivan@mail.ru http://a.ru/б @ivan 我 น้ำ हि 🔥 ½ ﬁ İ ß . ... , - – ' № …")
ODD = ["и\u0306", "е\u0308", "\u0301", "\u200b", "\u202e", "\ufeff", "\ud800", "\0", "\ufdfa"]
BLANKS = ["\n", "\r\n", "\t", " ", "  ", "> "]
PIECES = st.sampled_from(MARKUP + FIGURES + WORDS + ODD + BLANKS)
ANY_TEXT = st.one_of(
    st.text(st.characters(), max_size=300),
    st.text(st.characters(exclude_categories=()), max_size=100),
    st.lists(PIECES, max_size=60).map("".join),
    st.lists(st.one_of(PIECES, st.characters(exclude_categories=())), max_size=60).map("".join),
)
LANGUAGES = st.sampled_from(["ru", "uk", "en", "de", "tr", "zh", "xx", ""])
# Syllables in parts, which join when what stands between them goes, are the one thing that takes two passes.
JAMO = range(0x1100, 0x1200)


@examples(400)
@given(ANY_TEXT, LANGUAGES, st.sampled_from(["keep", "drop"]))
@example("<b>с</b>вая С140.35", "ru", "keep")
@example("", "ru", "drop")
def test_tokens_are_in_order_and_in_bounds(text: str, language: str, quotes: str) -> None:
    document = CanonicalText(text, language=language, quotes=quotes, secret=b"x")
    last = 0
    for token in document.tokens:
        assert last <= token.start < token.end <= len(text)
        assert token.kind in TOKEN_KINDS
        assert token.key
        assert token.surface
        assert not any(char.isspace() for char in token.key)
        last = token.start
    assert len(document.hashes) == len(document.weights) == document.word_count == len(document)
    assert all(0 <= value < 1 << 64 for value in document.hashes)
    assert all(0 < weight <= 2 for weight in document.weights)
    assert 0 <= document.content_word_count <= len(document)
    assert document.codes <= {token.key for token in document.tokens}
    assert len(document.exact_digest) == 16


@examples(200)
@given(ANY_TEXT)
def test_sentences_cover_all_tokens(text: str) -> None:
    document = CanonicalText(text)
    borders = [0, *(end for _, end in document.sentences)]
    assert [start for start, _ in document.sentences] == borders[:-1]
    assert borders[-1] == len(document)
    assert all(start < end for start, end in document.sentences)


@examples(400)
@given(ANY_TEXT, LANGUAGES)
@example("Qб0п×ZК", "ru")
def test_folding_is_finished(text: str, language: str) -> None:
    prefer = language in CYRILLIC_LANGUAGES
    once = normalize(OffsetText(text), prefer_cyrillic=prefer).offset_text.text
    assert len(once) <= 8 * len(text)
    if not any(ord(char) in JAMO for char in once):
        assert normalize(OffsetText(once), prefer_cyrillic=prefer).offset_text.text == once


@examples(200)
@given(ANY_TEXT, st.sampled_from(["keep", "drop"]))
def test_places_survive_every_step(text: str, quotes: str) -> None:
    plain = plain_text(text, quotes)
    folded = normalize(plain).offset_text
    for traced in (plain, folded):
        places = [traced.raw_span(index, index + 1) for index in range(len(traced.text))]
        assert all(0 <= start < end <= len(text) for start, end in places)
        assert places == sorted(places)


@examples(200)
@given(st.lists(st.sampled_from(_split("продам гараж 5 кг С140.35 не word 12.05.2024 да $5")), max_size=30))
def test_dress_does_not_matter(words: list[str]) -> None:
    text = " ".join(words)
    dressed = "<p>" + " <b></b>".join(words).upper().replace("О", "O") + "\u200b</p>"
    assert [token.key for token in CanonicalText(dressed).tokens] == [
        token.key for token in CanonicalText(text).tokens
    ]


@examples(100)
@given(ANY_TEXT)
def test_equal_texts_are_equal_documents(text: str) -> None:
    first, second = CanonicalText(text), CanonicalText(text)
    assert first.tokens == second.tokens
    assert first.exact_digest == second.exact_digest
