"""The limit of work of a look-up: what is aligned, what is compared by fingerprint, and what is not read."""

from __future__ import annotations

import gzip
import json
from itertools import cycle, islice

import pytest

import django_neardup as neardup
from django_neardup.algorithms.default import neardup as algorithm
from django_neardup.api.views import TYPING_UNITS
from django_neardup.comparison.work_limit import OWN_LETTER_UNITS, alignment_units
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


@pytest.fixture
def aligned_words(monkeypatch):
    """The numbers of words of texts that were aligned."""
    words, align = [], algorithm.align_ordered

    def counted_align(a, b):
        words.append(len(a) + len(b))
        return align(a, b)

    monkeypatch.setattr(algorithm, "align_ordered", counted_align)
    return words


def units_of(text, aligned_words):
    """Return the work of texts as long as this one that were aligned with it."""
    return len(aligned_words) * alignment_units(LONG_WORDS, LONG_WORDS, len(text))


def test_check_many_has_the_limit_for_each_text(aligned_words):
    first, *others = long_texts(9, 20)
    stored(*others)
    aligned_words.clear()
    results = neardup.check_many([first, "Продам гараж в хорошем состоянии, сухой погреб, свет"], Ad)
    assert [result.matches.partial for result in results] == [True, False]
    assert len(results[0].matches) == 5
    assert 0 < units_of(first, aligned_words) <= SEARCH_UNITS


def test_control_check_many_without_the_limit(aligned_words, monkeypatch):
    remove_work_limits(monkeypatch.setattr)
    first, *others = long_texts(9, 20)
    stored(*others)
    aligned_words.clear()
    assert not neardup.check_many([first], Ad)[0].matches.partial
    assert units_of(first, aligned_words) > SEARCH_UNITS


@pytest.mark.parametrize("is_limited", [True, pytest.param(False, id="control")])
def test_texts_of_check_many_are_compared_with_each_other_within_the_limit(
    is_limited, aligned_words, monkeypatch
):
    if not is_limited:
        remove_work_limits(monkeypatch.setattr)
    # Items with other numbers repeat no earlier one, so each text is aligned with all before it.
    texts = long_texts(8, 20)
    results = neardup.check_many([Ad(text=text, sku=f"A{number}") for number, text in enumerate(texts)], Ad)
    assert [result.repeats for result in results] == [[]] * 8
    assert results[-1].matches.partial == is_limited
    fitting = SEARCH_UNITS // alignment_units(LONG_WORDS, LONG_WORDS, len(texts[0]))
    limited = sum(min(number, fitting) for number in range(len(texts)))
    assert (len(aligned_words) <= limited) == is_limited


def test_the_page_of_similar_posts_reads_and_aligns_no_text(aligned_words, monkeypatch, client):
    ad, *others = stored(*long_texts(9, 20))
    aligned_words.clear()
    monkeypatch.setattr(canonical_text, "read", lambda *arguments: pytest.fail("a text was read"))
    page = client.get(f"/similar/testapp.ad/{ad.pk}/")
    assert all(f'href="/ads/{other.pk}/"' in page.content.decode() for other in others)
    assert not aligned_words
