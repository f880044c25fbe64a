"""Querysets that choose among rows, by a window or by ``distinct("author")``: narrowed down they choose the same."""

import pytest
from django.contrib import admin
from django.contrib.auth.models import AnonymousUser
from django.db.models import F, Q, Window
from django.db.models.functions import RowNumber
from django.http import HttpResponseNotFound
from django.test import RequestFactory
from django.urls import reverse

import django_neardup as neardup
from django_neardup.adapters import adapter_for
from django_neardup.admin.visible_objects import visible_pks
from django_neardup.middleware import MovedUrlMiddleware
from django_neardup.models import MovedUrl
from django_neardup.moderation.actions import _live_posts
from django_neardup.moderation.url_paths import path_digest
from django_neardup.pipeline.content_objects import content_type_of
from django_neardup.pipeline.statistics_builder import sources_of
from django_neardup.prepublication.holds import is_live
from django_neardup.querysets import filterable
from django_neardup.sitemaps import NeardupSitemap
from tests.databases import engine
from tests.pipeline.helpers import SOFA, post, work
from tests.search.tools import edited
from tests.testapp.models import Ad, Author

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]

NUMBERED = Ad.objects.annotate(n=Window(RowNumber(), partition_by="author", order_by="-pk"))
WAYS = {
    "window": NUMBERED.filter(n=1),
    "or": NUMBERED.filter(Q(n=1) | Q(author__name="Борис"), published=True),
    "ordered": NUMBERED.filter(n__lt=2).select_related("author").order_by("n", "-pk"),
}
if engine() == "postgresql":
    WAYS["distinct"] = Ad.objects.order_by("author", "-pk").distinct("author")
    WAYS["both"] = NUMBERED.filter(n=1).order_by("author", "-pk").distinct("author")


@pytest.fixture(params=WAYS.values(), ids=WAYS)
def newest(request):
    """Of each author the newest post."""
    return request.param.all()


def nobody():
    """A request of a person without rights, and the admin site."""
    request = RequestFactory().get("/")
    request.user = AnonymousUser()
    return request, admin.site


@pytest.fixture
def posts():
    """An older one of Anna's, her newest, and one of Boris's, whose representative the older one is."""
    anna, boris = (Author.objects.create(name=name) for name in ("Анна", "Борис"))
    made = [post(SOFA, author=anna), post(edited(1, 0), author=anna), post(SOFA, author=boris)]
    work()
    return made


def test_lists(posts, newest, django_assert_max_num_queries):
    older, newer, other = posts
    assert neardup.group([older], newest) == []
    with django_assert_max_num_queries(3):
        assert [(each.object, each.count) for each in neardup.group(posts, newest)] == [
            (newer, 0),
            (other, 0),
        ]


def test_collapsed_lists(posts, newest):
    found = neardup.collapse(Ad.objects.order_by("pk"), newest)
    assert [(each, each.neardup.count) for each in found] == [(each, 0) for each in posts[1:]]


def test_a_list_that_chooses_itself_is_collapsed_as_it_is(posts):
    found = neardup.collapse(NUMBERED.filter(n=1).order_by("pk"))
    assert [*found] == [*found[:9]] == posts[1:]
    assert found.count() == 2


def test_pages(posts, newest, client, monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "visible", lambda adapter, request: newest.all())
    pages = [client.get(reverse("neardup:similar", args=["testapp.ad", each.pk])) for each in posts]
    assert [page.status_code for page in pages] == [404, 200, 200]
    assert posts[0].get_absolute_url() not in pages[2].text


def test_old_addresses(posts, newest, monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "visible", lambda adapter, request: newest.all())
    middleware = MovedUrlMiddleware(lambda request: HttpResponseNotFound())
    middleware.databases = ["default"]
    for each, status in zip(posts, (404, 301, 301), strict=True):
        kind = content_type_of(Ad, "default")
        MovedUrl.objects.create(
            path="/a/", digest=path_digest("/a/"), content_type=kind, object_id=str(each.pk)
        )
        assert middleware(RequestFactory().get("/a/")).status_code == status
        MovedUrl.objects.all().delete()


def test_checks_of_a_text(posts, newest):
    found = neardup.find_similar(SOFA, Ad, visible=newest)
    assert [match.object for match in found] == posts[2:]


def test_sitemaps(posts, newest, monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "visible", lambda adapter, request: newest.all())
    assert [*NeardupSitemap(Ad)._items()] == posts[1:]
    monkeypatch.undo()
    monkeypatch.setattr(type(adapter_for(Ad)), "live", lambda adapter: newest.all())
    assert [*NeardupSitemap(Ad)._items()] == posts[1:]


def test_what_is_live_is_read_so_too(posts, newest, monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "live", lambda adapter: newest.all())
    sources = adapter_for(Ad).sources([posts[0].pk], "default")
    assert [source.live for source in sources.values()] == [False]


def test_what_is_live_is_asked_so_of_single_posts(posts, newest, monkeypatch):
    monkeypatch.setattr(type(adapter_for(Ad)), "live", lambda adapter: newest.all())
    monkeypatch.setattr(type(adapter_for(Ad)), "compared", lambda adapter: newest.all())
    assert [is_live(each, "default") for each in posts] == [False, True, True]
    assert _live_posts(posts, "default") == set(posts[1:])
    assert visible_pks(Ad, [each.pk for each in posts], *nobody(), "default") == {
        each.pk for each in posts[1:]
    }
    assert [key for key, source in sources_of(adapter_for(Ad), "default")] == [each.pk for each in posts[1:]]


def test_those_that_choose_no_first_keep_their_rows(posts):
    second = filterable(NUMBERED.filter(n=2))
    assert [*second.filter(pk=posts[0].pk)] == [posts[0]]
    plain = Ad.objects.annotate(twice=F("pk") * 2)
    assert filterable(plain) is plain
