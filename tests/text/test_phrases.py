"""Key phrases of a staff's list."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from django_neardup.text import CanonicalText, PhraseMatcher, Synonyms

LIST = [
    (1, "срочная продажа"),
    (2, "продажа"),
    (3, "срочная продажа квартиры"),
    (4, "тел. 8 903 123-45-67"),
    (5, "!!!"),
    (6, "свая С140.35"),
    (7, "продажами"),
]


def found(text: str) -> tuple[int, ...]:
    return PhraseMatcher(LIST).find(CanonicalText(text))


def test_forms_case_and_punctuation_make_no_difference() -> None:
    assert found("СРОЧНУЮ — продажу!") == (1, 2, 7)
    assert found("срочной, продаже <b>квартир</b>") == (1, 2, 7, 3)
    assert found("Телефон: +7 (903) 1234567") == (4,)
    assert found("сваями C140.35") == (6,)


def test_words_stand_together_and_in_order() -> None:
    assert found("срочная честная продажа") == (2, 7)
    assert found("продажа срочная") == (2, 7)
    assert found("срочная") == ()
    assert found("") == ()


def test_each_once_in_the_order_of_the_first() -> None:
    assert found("продажа свай С140.35, срочная продажа, продажа, сваи С140.35") == (2, 7, 6, 1)


def test_an_ending_of_a_longer_beginning_is_found() -> None:
    phrases = PhraseMatcher([("long", "дом река лес гора"), ("end", "река лес"), ("shorter", "лес")])
    assert phrases.find(CanonicalText("дом река лес море")) == ("end", "shorter")
    assert phrases.find(CanonicalText("дом река лес дом река лес гора")) == ("end", "shorter", "long")


def test_an_ending_of_an_ending_is_found() -> None:
    """Behind "дом река лес" stands "река лес", which is no phrase yet, and behind that "лес", which is one."""
    phrases = PhraseMatcher([("long", "дом река лес гора"), ("middle", "река лес стол"), ("end", "лес")])
    assert phrases.find(CanonicalText("дом река лес")) == ("end",)


def test_an_empty_list() -> None:
    assert PhraseMatcher([]).find(CanonicalText("слово")) == ()


def test_languages_and_synonyms() -> None:
    assert PhraseMatcher([(1, "urgent sales")], "en").find(CanonicalText("Urgent sale!", language="en")) == (
        1,
    )
    synonyms = Synonyms.from_classes([["болеть", "недомогать"]])
    assert PhraseMatcher([(1, "недомогаю")], synonyms=synonyms).find(
        CanonicalText("Болел", synonyms=synonyms)
    ) == (1,)


NOUNS = ["дом", "лес", "река"]
WORDS = st.lists(st.sampled_from(NOUNS), max_size=12).map(" ".join)


@given(st.lists(WORDS.filter(bool), max_size=8), WORDS)
def test_finds_what_a_plain_search_finds(phrases: list[str], text: str) -> None:
    padded = f" {text} "
    wanted = {number for number, phrase in enumerate(phrases) if f" {phrase} " in padded}
    ids = PhraseMatcher(enumerate(phrases)).find(CanonicalText(text))
    assert set(ids) == wanted
    assert len(ids) == len(wanted)
