"""django-taggit: the tags of two posts are united without duplicates, and split exactly."""

import pytest
from django.conf import settings

from django_neardup.moderation import ActionContext, delete, merge
from django_neardup.moderation.undo.restore import undo
from tests.sites.packages.app import tagged
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db,
    pytest.mark.skipif("taggit" not in settings.PACKAGES, reason="django-taggit is not in SITES"),
]


@pytest.fixture(params=["TaggedPost", "UuidTaggedPost", "DirectlyTaggedPost"])
def model(request):
    return getattr(tagged, request.param)


def make_post(model, title, *tags):
    post = model.objects.create(title=title)
    post.tags.add(*tags)
    return post


def names(post):
    """The names of the tags, as rows: an equal row twice is a name twice."""
    through = type(post).tags.through
    return sorted(item.tag.name for item in through.objects.filter(**through.lookup_kwargs(post)))


def test_tags_are_united_and_split(model):
    keeper, loser = make_post(model, "keeper", "a", "b"), make_post(model, "loser", "b", "c")
    make_post(model, "other", "a", "c")
    before = rows()

    (record,) = merge(keeper, [loser], ActionContext())
    assert names(keeper) == ["a", "b", "c"]
    record = undo(record, None, "default")

    assert names(keeper) == ["a", "b"]
    assert names(loser) == ["b", "c"]
    assert rows() == before
    assert record.left == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_are_undone_in_any_order(model, order):
    keeper, one, two = (
        make_post(model, "keeper", "a"),
        make_post(model, "one", "a", "b"),
        make_post(model, "two", "b", "c"),
    )
    before = rows()
    records = [record for loser in (one, two) for record in merge(keeper, [loser], ActionContext())]
    assert names(keeper) == ["a", "b", "c"]

    for number in order:
        undo(records[number], None, "default")

    assert rows() == before


def test_both_at_once(model):
    keeper, one, two = (
        make_post(model, "keeper"),
        make_post(model, "one", "a", "b"),
        make_post(model, "two", "b", "c"),
    )
    before = rows()

    records = merge(keeper, [one, two], ActionContext())
    assert names(keeper) == ["a", "b", "c"]
    for record in records:
        undo(record, None, "default")

    assert rows() == before


def test_a_deleted_post_comes_back_with_its_tags(model):
    post = make_post(model, "post", "a", "b")
    before = rows()

    (record,) = delete([post], ActionContext())
    undo(record, None, "default")

    assert rows() == before
    assert names(post) == ["a", "b"]
