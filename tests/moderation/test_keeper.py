"""Who is proposed to stay: by policy, with a reason, and always the same of the same posts."""

import itertools

import pytest
from django.core.exceptions import ImproperlyConfigured

from django_neardup.adapters import Adapter
from django_neardup.exceptions import NotRegistered
from django_neardup.models import Document
from django_neardup.moderation.keeper import propose_keeper
from tests import builders
from tests.testapp.models import Ad, Unregistered
from tests.testapp.neardup import AdNeardup

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def links(monkeypatch):
    """The links of an advert are what its phone says; those of "pin" are pinned."""
    monkeypatch.setattr(
        AdNeardup, "link_count", lambda self, ad: int(ad.phone) if ad.phone else None, raising=False
    )
    monkeypatch.setattr(AdNeardup, "pinned", lambda self, ad: ad.title.startswith("pin"), raising=False)


def ads(*rows):
    """Adverts in the order in which they were first seen: dicts of their columns."""
    found = [Ad.objects.create(**{"text": f"text {number}", **row}) for number, row in enumerate(rows)]
    for number, ad in enumerate(found):
        builders.document(ad, first_seen=100 + number)
    return found


def policy(settings, name):
    settings.NEARDUP = {"default": {**settings.NEARDUP.get("default", {}), "KEEPER": name}}


def last_by_key(posts):
    return max(posts, key=lambda post: post.pk)


def a_stranger(posts):
    return Ad(pk=10**6)


OWN = f"{__name__}.last_by_key"
TABLE = [
    ("first_seen", [{}, {}, {}], 0, "seen first"),
    ("first_seen", [{"published": False}, {}, {}], 1, "seen first"),
    ("newest", [{}, {}, {}], 2, "seen last"),
    ("newest", [{}, {}, {"published": False}], 1, "seen last"),
    ("most_visited", [{"hits": 1}, {"hits": 7}, {"hits": 3}], 1, "most visits"),
    ("most_visited", [{"hits": 1}, {"hits": 7}, {"hits": 7}], 1, "seen first"),
    ("most_visited", [{"hits": 1}, {"hits": 7, "published": False}, {"hits": 3}], 2, "most visits"),
    ("most_linked", [{"phone": "2"}, {}, {"phone": "5"}], 2, "most links"),
    ("most_linked", [{}, {}, {}], 0, "seen first"),
    ("longest", [{"text": "a"}, {"text": "a longer one"}, {"text": "<p><b></b></p>"}], 1, "longest text"),
    ("longest", [{"text": "abc"}, {"text": "cba"}], 0, "seen first"),
    ("most_visited", [{"hits": 7}, {"title": "pin"}], 1, "pinned"),
    ("most_visited", [{"hits": 7}, {"title": "pin"}, {"title": "pin", "hits": 2}], 2, "most visits"),
    ("newest", [{"title": "pin", "published": False}, {}], 0, "pinned"),
    (OWN, [{}, {}, {}], 2, "chosen by the site's own rule"),
    (OWN, [{}, {"title": "pin"}, {}], 1, "pinned"),
]  # fmt: skip


@pytest.mark.parametrize(("name", "rows", "expected", "reason"), TABLE)
def test_policies(name, rows, expected, reason, settings):
    policy(settings, name)
    found = ads(*rows)

    for order in itertools.permutations(found):
        proposal = propose_keeper(order, "default")
        assert (found.index(proposal.post), str(proposal.reason)) == (expected, reason)


def test_a_post_that_was_never_seen_comes_last(settings):
    one, two = ads({}, {})
    Document.objects.filter(object_id=str(one.pk)).delete()

    assert propose_keeper([one, two], "default").post == two


def test_the_profile_of_the_adapter_decides(settings, monkeypatch):
    settings.NEARDUP = {"default": {}, "board": {"KEEPER": "newest"}}
    found = ads({}, {})

    assert propose_keeper(found, "default").post == found[0]
    monkeypatch.setattr(AdNeardup, "profile", "board")
    assert propose_keeper(found, "default").post == found[1]


def test_without_posts_or_adapters():
    with pytest.raises(ValueError, match="no posts to choose from"):
        propose_keeper([], "default")
    with pytest.raises(NotRegistered):
        propose_keeper([Unregistered.objects.create(text="a")], "default")


def test_a_callable_that_chooses_a_stranger(settings):
    policy(settings, f"{__name__}.a_stranger")

    with pytest.raises(ImproperlyConfigured, match="did not return one of the posts"):
        propose_keeper(ads({}, {}), "default")


def test_nobody_is_pinned_by_default():
    assert Adapter(Ad).pinned(Ad()) is False
