"""Django REST framework and django-filter: lists without repetitions, and merges by an API."""

import pytest
from django.conf import settings
from django.contrib.auth import get_user_model
from django.db import transaction

from django_neardup.exceptions import MergeRefused
from django_neardup.models import MergeRecord
from django_neardup.moderation import ActionContext, merge
from django_neardup.pipeline import drain
from tests.sites.packages.app import listed_by_api
from tests.sites.tools import rows

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(
        not {"rest_framework", "django_filters"} <= set(settings.PACKAGES),
        reason="djangorestframework or django-filter is not in SITES",
    ),
]
TYRES = "продаю зимние шины почти новые размер 205 на 55 недорого самовывоз из гаража"
HOUSE = "сдаю дачу у озера две комнаты веранда большой сад рядом лес и станция"
BICYCLE = "куплю детский велосипед с колёсами для девочки пяти лет можно не новый"


@pytest.fixture
def moderator(client):
    client.force_login(get_user_model().objects.create_superuser("moderator"))
    return client


def make_posts():
    posts = [
        listed_by_api.ApiPost.objects.create(text=text, city=city)
        for text, city in ((TYRES, "a"), (TYRES, "b"), (HOUSE, "a"), (BICYCLE, "b"))
    ]
    for post in posts:
        listed_by_api.ApiComment.objects.create(post=post, text="c")
    drain()
    return posts


def listed(client, **query):
    """The number of all posts of a list, and the texts on its first page."""
    page = client.get("/api/posts/", query).json()
    return page["count"], [post["text"] for post in page["results"]]


def test_lists_are_without_repetitions(client):
    make_posts()

    assert listed(client) == (3, [TYRES, HOUSE])
    assert listed(client, page=2) == (3, [BICYCLE])
    assert listed(client, city="b") == (2, [TYRES, BICYCLE])
    assert listed(client, search="шины") == (1, [TYRES])
    assert listed(client, ordering="-id") == (3, [BICYCLE, HOUSE])


def test_a_merge_and_its_undo(moderator):
    keeper, loser, *_ = make_posts()
    before = rows()

    answer = moderator.post(f"/api/posts/{keeper.pk}/merge/", {"losers": [loser.pk]}, "application/json")
    assert answer.status_code == 200
    assert listed_by_api.ApiComment.objects.filter(post=keeper).count() == 2
    assert moderator.get(f"/api/posts/{loser.pk}/").status_code == 404
    drain()
    assert listed(moderator) == (3, [TYRES, HOUSE])
    (record_pk,) = answer.json()["records"]
    answer = moderator.post(f"/api/posts/undo/{record_pk}/")

    assert answer.json() == {"left": []}
    users = [label for label in before if label.startswith("auth.")]
    assert {label: stored for label, stored in rows().items() if label not in users} == {
        label: stored for label, stored in before.items() if label not in users
    }
    drain()
    assert listed(moderator) == (3, [TYRES, HOUSE])


def test_a_refused_merge(moderator):
    keeper, loser, *_ = make_posts()
    for post in (keeper, loser):
        listed_by_api.ApiRating.objects.create(post=post, stars=post.pk)
    before = rows()

    answer = moderator.post(f"/api/posts/{keeper.pk}/merge/", {"losers": [loser.pk]}, "application/json")

    assert answer.status_code == 409
    assert "choice" in answer.json()["reasons"][0]
    assert rows() == before
    assert not MergeRecord.objects.exists()


def test_a_merge_in_the_transaction_of_a_request_changes_nothing():
    keeper, loser, *_ = make_posts()
    before = rows()

    with transaction.atomic():
        with pytest.raises(MergeRefused, match="its own transaction"):
            merge(keeper, [loser], ActionContext())
        listed_by_api.ApiPost.objects.filter(pk=keeper.pk).update(city=keeper.city)

    assert rows() == before
