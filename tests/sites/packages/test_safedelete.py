"""django-safedelete: posts whose deletion leaves the row, with what belongs to them or without."""

import pytest
from django.conf import settings

from django_neardup.exceptions import MergeRefused
from django_neardup.models import Document
from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import drain
from tests.sites.packages.app import soft
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("safedelete" not in settings.PACKAGES, reason="django-safedelete is not in SITES"),
]


@pytest.fixture(params=[("SoftPost", "soft"), ("SoftCascadePost", "cascading"), ("HardPost", "hard")])
def case(request):
    name, field = request.param
    return getattr(soft, name), field


def make_post(case, title):
    """A post with two replies, one of which is deleted, and a mark."""
    model, field = case
    post = model.objects.create(title=title)
    for number in range(2):
        reply = soft.SoftComment.objects.create(**{field: post})
        if number:
            reply.delete()
    soft.SoftMark.objects.create(**{field: post})
    return post


def replies(case, post):
    return soft.SoftComment.all_objects.filter(**{case[1]: post}).count()


def test_merge_and_undo(case):
    keeper, loser = make_post(case, "keeper"), make_post(case, "loser")
    before = rows()
    assert len(plan_merge(keeper, [loser], "default").moves) == 3

    (record,) = merge(keeper, [loser], ActionContext())
    assert not case[0].objects.filter(pk=loser.pk).exists()
    assert replies(case, keeper) == 4
    record = undo(record, None, "default")

    assert rows() == before
    assert record.left == []


def test_a_deleted_post_comes_back(case):
    post = make_post(case, "post")
    before = rows()

    (record,) = delete([post], ActionContext())
    assert not case[0].objects.filter(pk=post.pk).exists()
    record = undo(record, None, "default")

    assert rows() == before
    assert record.left == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_are_undone_in_any_order(case, order):
    keeper, one, two = (make_post(case, title) for title in ("keeper", "one", "two"))
    before = rows()
    records = [record for loser in (one, two) for record in merge(keeper, [loser], ActionContext())]

    for number in order:
        undo(records[number], None, "default")

    assert rows() == before


def test_the_keeper_is_merged_too(case):
    first, second, third = (make_post(case, title) for title in ("first", "second", "third"))
    before = rows()
    records = [*merge(second, [third], ActionContext()), *merge(first, [second], ActionContext())]
    assert replies(case, first) == 6

    for record in records:
        undo(record, None, "default")

    assert rows() == before


def test_a_post_that_is_deleted_already(case):
    """Its row is there, and is merged or refused like any other."""
    keeper, loser = make_post(case, "keeper"), make_post(case, "loser")
    loser.delete()
    before = rows()

    try:
        (record,) = merge(keeper, [loser], ActionContext())
    except MergeRefused as refused:
        assert refused.reasons
    else:
        undo(record, None, "default")

    assert rows() == before


def test_a_post_that_the_site_restores_itself(case):
    keeper, loser = make_post(case, "keeper"), make_post(case, "loser")
    (record,) = merge(keeper, [loser], ActionContext())
    remaining = case[0].deleted_objects.filter(pk=loser.pk).first()
    if remaining is None:
        pytest.skip("nothing would be deleted with it, so it is gone for good")
    remaining.undelete()

    record = undo(record, None, "default")

    assert case[0].objects.filter(pk=loser.pk).exists()
    assert replies(case, loser) == 2


def test_a_deleted_post_is_not_live():
    post, other = (make_post((soft.SoftPost, "soft"), "winter tyres for sale nearly new") for _ in range(2))
    drain()
    (record,) = merge(post, [other], ActionContext())
    drain()
    assert not Document.objects.get(object_id=other.pk).live

    undo(record, None, "default")
    drain()

    assert Document.objects.get(object_id=other.pk).live
