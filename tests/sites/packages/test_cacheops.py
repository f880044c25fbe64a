"""django-cacheops: cached querysets are right after a merge and after its undo, without code of the site's own."""

import pytest
from django.conf import settings
from django.db import models as django_models

from django_neardup.models import Fingerprint
from django_neardup.moderation import ActionContext, delete, merge, plan_merge
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import drain, mark
from tests.sites.packages.app import cached
from tests.sites.tools import rows

pytestmark = [
    # Caches change at the commit.
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        "cacheops" not in settings.PACKAGES, reason="django-cacheops or redis-server is not installed"
    ),
]


@pytest.fixture(autouse=True)
def _empty_cache():
    from cacheops import invalidate_all

    invalidate_all()


def make_post(title, visits, *tags):
    post = cached.CachedPost.objects.create(title=title, visits=visits)
    post.tags.set([cached.CachedTag.objects.get_or_create(name=tag)[0] for tag in tags])
    for number in range(2):
        cached.CachedComment.objects.create(post=post, text=f"{title} {number}")
    return post


def shown(*posts):
    """What pages show, read through the cache: twice, so that the second time comes from it."""
    first, second = _read(posts), _read(posts)
    assert first == second
    return first


def _read(posts):
    keys = [post.pk for post in posts]
    return {
        "posts": list(cached.CachedPost.objects.order_by("pk").values("pk", "title", "visits")),
        "got": [cached.CachedPost.objects.filter(pk=key).first() for key in keys],
        "comments": [sorted(each.text for each in cached.CachedComment.objects.filter(post=key)) for key in keys],
        "count": [cached.CachedComment.objects.filter(post_id=key).count() for key in keys],
        "exists": [cached.CachedComment.objects.filter(post_id=key).exists() for key in keys],
        "tags": [sorted(tag.name for tag in cached.CachedTag.objects.filter(cachedpost=key)) for key in keys],
        "joined": [
            sorted(each.text for each in cached.CachedComment.objects.filter(post__title=post.title))
            for post in posts
        ],
        "pages": [[page.address for page in cached.CachedPage.objects.filter(post=key)] for key in keys],
        "page": [cached.CachedPage.objects.filter(pk=key).first() for key in keys],
    }  # fmt: skip


def stored(*posts):
    """The same without the cache."""
    from cacheops import invalidate_all

    invalidate_all()
    return _read(posts)


@pytest.mark.parametrize("act", ["merge", "delete"])
def test_what_is_shown_is_what_is_stored(act):
    keeper, loser = make_post("keeper", 1, "a", "b"), make_post("loser", 2, "b", "c")
    cached.CachedPage.objects.create(post=loser, address="/loser")
    before, shown_before = rows(), shown(keeper, loser)

    (record,) = (
        merge(keeper, [loser], ActionContext()) if act == "merge" else delete([loser], ActionContext())
    )
    shown_then = shown(keeper, loser)
    assert shown_then == stored(keeper, loser)
    assert shown_then["count"] == ([4, 0] if act == "merge" else [2, 0])
    shown(keeper, loser)
    record = undo(record, None, "default")

    shown_after = shown(keeper, loser)
    assert shown_after == stored(keeper, loser) == shown_before
    assert rows() == before
    assert record.left == []


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_merges_are_undone_in_any_order(order):
    posts = make_post("keeper", 1, "a"), make_post("one", 2, "a", "b"), make_post("two", 3, "b", "c")
    keeper, *losers = posts
    before, shown_before = rows(), shown(*posts)
    records = [record for loser in losers for record in merge(keeper, [loser], ActionContext())]

    for number in order:
        shown(*posts)
        undo(records[number], None, "default")
        shown_then = shown(*posts)
        assert shown_then == stored(*posts)

    assert shown(*posts) == shown_before
    assert rows() == before


def test_a_plan_reads_the_database():
    """The site has changed a row by ``update()``, and its cache does not know."""
    keeper, loser = make_post("keeper", 1, "a"), make_post("loser", 2)
    other = cached.CachedComment.objects.create(post=keeper, text="other")
    cached.CachedPost.objects.get(pk=loser.pk)
    assert len(plan_merge(keeper, [loser], "default").moves) == 2
    django_models.QuerySet(cached.CachedComment).filter(pk=other.pk).update(post=loser)
    django_models.QuerySet(cached.CachedPost).filter(pk=loser.pk).update(title="changed")

    plan = plan_merge(keeper, [loser], "default")
    (record,) = merge(keeper, [loser], ActionContext())

    assert len(plan.moves) == 3
    assert record.loser_text == "changed"


def test_a_text_is_read_from_the_database():
    """The site has updated and marked the post, as the docs say, and its cache does not know."""
    post = cached.CachedPost.objects.create(title="winter tyres for sale nearly new size 205 cheap")
    drain()
    (before,) = Fingerprint.objects.values_list("source_digest", flat=True)

    cached.CachedPost.objects.update(title="a summer house by the lake with two rooms and a garden")
    mark(post)
    drain()

    assert Fingerprint.objects.get().source_digest != before
