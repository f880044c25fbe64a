"""``uniqueness``: how much of a text is its own, in percent."""

import pytest

import django_neardup as neardup
from tests.pipeline.helpers import CAT, PIANO, SOFA, post, work
from tests.search.tools import VISIBLE, edited, only_reading
from tests.testapp.models import Ad, ScopedPost

pytestmark = pytest.mark.django_db


def test_the_more_is_changed_the_more_is_its_own():
    post(edited(1, 0)), post(PIANO)
    work()
    found = [neardup.uniqueness(edited(1, edits), Ad) for edits in (0, 2, 6, 12)]
    assert found[0] == 0 and found == sorted(set(found)) and found[-1] < 100


def test_nothing_like_it():
    one = post(SOFA)
    work()
    assert neardup.uniqueness(CAT, Ad) == neardup.uniqueness("", Ad) == neardup.uniqueness(one) == 100
    assert neardup.uniqueness(Ad(text=SOFA)) == 0


def test_it_is_one_less_the_best_score():
    post(edited(1, 0)), post(edited(1, 8))
    work()
    with only_reading():
        found = neardup.uniqueness(edited(1, 5), Ad, visible=VISIBLE)
    best = max(each.score for each in neardup.find_similar(edited(1, 5), Ad))
    assert found == pytest.approx(100 * (1 - best))


def test_inside_a_scope():
    ScopedPost.objects.create(site=1, text=SOFA)
    work()
    assert [neardup.uniqueness(SOFA, ScopedPost, scope=[site]) for site in (1, 2)] == [0, 100]
