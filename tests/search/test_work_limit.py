"""The limit of work of a look-up: what is aligned, what is compared by fingerprint, and what is not read."""

from __future__ import annotations

import gzip
import json
from itertools import cycle, islice

import pytest

import django_neardup as neardup
from django_neardup.api.views import TYPING_UNITS
from django_neardup.comparison.work_limit import OWN_LETTER_UNITS
from django_neardup.search import find_for_request
from django_neardup.search.request import SEARCH_UNITS
from django_neardup.text import canonical_text
from tests.services import ROOT
from tests.testapp.models import Ad
from tests.text.hostile import random_words
from tests.trust.controls import remove_work_limits

pytestmark = pytest.mark.django_db

LONG_WORDS = 2_500
"""Words of a text of some 20,000 letters."""


def ordinary_texts(count: int, letters: int) -> list[str]:
    """Make similar texts of the adverts of the example: each has other sentences in some places."""
    with gzip.open(ROOT / "tests" / "data" / "example.docs.jsonl.gz", "rt", encoding="utf-8") as lines:
        adverts = [json.loads(line)["text"] for line in lines]
    texts = []
    for number in range(count):
        chosen = (advert if place % 5 else adverts[-1 - number] for place, advert in enumerate(adverts))
        text = ""
        while len(text) < letters:
            text += next(chosen) + " "
        texts.append(text[:letters])
    return texts


def long_texts(count: int, changed: int) -> list[str]:
    """Make copies of one long text with so many other words in each."""
    words, others = random_words(LONG_WORDS), cycle(random_words(LONG_WORDS + 500)[LONG_WORDS:])
    return [" ".join([*words[:-changed], *islice(others, changed)]) for _ in range(count)]


def stored(*texts: str) -> list[Ad]:
    ads = [Ad.objects.create(text=text) for text in texts]
    neardup.drain()
    return ads


@pytest.mark.parametrize(("letters", "units"), [(2_000, TYPING_UNITS), (7_000, SEARCH_UNITS)])
def test_ordinary_posts_are_answered_as_without_a_limit(letters, units, monkeypatch):
    text, *others = ordinary_texts(13, letters)
    stored(*others)
    matches = find_for_request(text, Ad, units=units, limit=20)
    assert not matches.partial and len(matches) > 5
    remove_work_limits(monkeypatch.setattr)
    assert find_for_request(text, Ad, units=units, limit=20) == matches


def test_the_most_similar_posts_are_aligned_and_the_others_are_related():
    text, *others = long_texts(5, 20)
    nearest = " ".join([*text.split()[:-1], "гараж"])
    ads = stored(*others, nearest)
    units = OWN_LETTER_UNITS * len(text) + 250_000
    matches = find_for_request(text, Ad, units=units)
    assert matches.partial and len(matches) == 5
    assert (matches[0].object, matches[0].verdict, matches[0].certainty) == (ads[-1], "duplicate", "sure")
    assert {(match.verdict, match.certainty) for match in matches[1:]} == {("related", "maybe")}


def test_a_post_that_shares_too_few_words_is_not_related_by_its_fingerprint():
    text, other = long_texts(1, 10) + long_texts(1, LONG_WORDS // 5)
    stored(other)
    matches = find_for_request(text, Ad, units=OWN_LETTER_UNITS * len(text))
    assert matches == [] and matches.partial
    assert find_for_request(text, Ad)[0].object is not None


def test_an_exact_copy_is_found_without_any_work_left():
    (text,) = long_texts(1, 10)
    (ad,) = stored(text)
    matches = find_for_request(text, Ad, units=OWN_LETTER_UNITS * len(text))
    assert [(match.object, match.exact) for match in matches] == [(ad, True)] and not matches.partial


def test_a_text_that_takes_too_long_to_read_is_not_read(monkeypatch):
    (text,) = long_texts(1, 10)
    stored(text)
    read_lengths, read = [], canonical_text.read

    def noted_read(raw, *arguments):
        read_lengths.append(len(raw))
        return read(raw, *arguments)

    monkeypatch.setattr(canonical_text, "read", noted_read)
    matches = find_for_request(text, Ad, units=OWN_LETTER_UNITS * len(text) - 1)
    assert matches == [] and matches.partial and not read_lengths
    assert find_for_request(text, Ad) and read_lengths


def test_check_many_has_the_limit_for_each_text():
    first, *others = long_texts(9, 20)
    stored(*others)
    results = neardup.check_many([first, "Продам гараж в хорошем состоянии, сухой погреб, свет"], Ad)
    assert [result.matches.partial for result in results] == [True, False]
    assert len(results[0].matches) == 5
