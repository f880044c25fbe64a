"""What the caller may not see changes nothing: neither what is found, nor its order, nor a word of it."""

from random import Random

import pytest

import django_neardup as neardup
from django_neardup.search import visible_posts
from tests.pipeline.helpers import SOFA, SOFA_EDITED, post, work
from tests.search.tools import VISIBLE, edited, names, told
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


def answers(texts):
    """All that the three functions say of those texts."""
    checked = neardup.check_many(texts, Ad, visible=VISIBLE, limit=20)
    return [
        (
            told(neardup.find_similar(text, Ad, visible=VISIBLE, limit=20)),
            told(each.matches),
            each.repeats,
            neardup.uniqueness(text, Ad, visible=VISIBLE),
        )
        for text, each in zip(texts, checked, strict=True)
    ]


@pytest.mark.parametrize("portion, most", [(250, 32), (3, 32), (3, 1), (1, 2)])
def test_answers_are_the_same_without_the_hidden(portion, most, settings, monkeypatch):
    """However many are asked for at once, and few enough that they would crowd one another out."""
    monkeypatch.setattr(visible_posts, "VISIBILITY_BATCH_SIZE", portion)
    settings.NEARDUP = {"default": {**settings.NEARDUP["default"], "MAX_ALIGNED": most}}
    chance = Random(portion)
    for _ in range(50):
        post(
            edited(chance.randrange(4), chance.randrange(12), chance.randrange(3)),
            published=chance.random() < 0.5,
        )
    work()
    texts = [edited(number, edits, 7) for number in range(5) for edits in (0, 3, 9)]
    before = answers(texts)
    Ad.objects.filter(published=False).delete()
    work()
    assert answers(texts) == before and any(row[0] for row in before)


def test_a_hidden_twin_alone_is_nothing():
    post(SOFA, published=False)
    work()
    assert answers([SOFA, SOFA_EDITED]) == [([], [], [], 100), ([], [], [0], 100)]


def test_hidden_ones_never_crowd_out():
    for number in range(30):
        post(edited(1, 0), published=False), post(edited(1, 1, number), published=False)
    seen = post(edited(1, 8))
    work()
    assert names(neardup.find_similar(edited(1, 0), Ad, visible=VISIBLE)) == [(seen.pk, "variant")]
    assert len(neardup.find_similar(edited(1, 0), Ad, visible=Ad.objects.all(), limit=90)) > 30


def test_by_default_what_is_live_is_seen():
    post(SOFA, published=False), post(SOFA)
    work()
    (match,) = neardup.find_similar(SOFA, Ad)
    assert match.object.published


def test_objects_come_as_the_queryset_gives_them(django_assert_num_queries):
    one = post(SOFA)
    work()
    (match,) = neardup.find_similar(
        SOFA, Ad, visible=VISIBLE.select_related("author").extra(select={"seven": "7"})
    )
    with django_assert_num_queries(0):
        assert (match.object, match.object.seven, match.object.author) == (one, 7, None)
