"""Phrases and abbreviations of one meaning."""

from __future__ import annotations

import pytest

from django_neardup.text.alignment.phrases import MAX_PHRASE_WORDS, keys_of_phrase, phrase_number
from django_neardup.text.canonical_text import CanonicalText
from django_neardup.text.vocabulary import read_entries, read_lines

PHRASES = [phrase for line in read_lines("phrases") for phrase in line.split("|")]


def number(phrase: str) -> int | None:
    return phrase_number(CanonicalText(phrase).tokens)


@pytest.mark.parametrize(
    ("a", "b"),
    [
        ("зарплата", "з/п"),
        ("заработная плата", "з/п"),
        ("заработной платы", "зарплату"),
        ("не пьёт и не курит", "без вредных привычек"),
        ("an hour and a half", "90 minutes"),
    ],
)
def test_one_meaning(a: str, b: str) -> None:
    assert number(a) == number(b) is not None


@pytest.mark.parametrize(
    "phrase", ["", "диван", "большая заработная плата на руки сразу", "плата заработная"]
)
def test_no_phrase(phrase: str) -> None:
    assert number(phrase) is None


def test_other_meanings() -> None:
    assert number("зарплата") != number("центр города")


@pytest.mark.parametrize("phrase", PHRASES)
def test_no_phrase_of_the_file_is_empty_or_too_long(phrase: str) -> None:
    assert 0 < len(keys_of_phrase(phrase)) <= MAX_PHRASE_WORDS


def test_abbreviations_have_a_full_form_and_a_short_one() -> None:
    assert all(full and short_forms for full, short_forms in read_entries("abbreviations"))
