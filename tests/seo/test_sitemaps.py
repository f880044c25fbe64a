"""Sitemaps: valid, in pages, one post of each cluster, and nothing that a stranger may not see."""

from __future__ import annotations

import re
from datetime import date
from xml.etree import ElementTree

import pytest
from django.contrib.sitemaps import views
from django.db.models import Case, DateField, QuerySet, Value, When
from django.db.models.functions import Cast
from django.urls import path

from django_neardup.adapters import adapter_for
from django_neardup.models import Document, Verdict
from django_neardup.seo.canonical import canonical_url
from django_neardup.sitemaps import NeardupSitemap
from tests.grouped_lists import rows
from tests.seo.profiles import with_seo
from tests.testapp.models import Ad, Article, LongArticle, SlugPost, UuidPost

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]
NAMESPACE = "{http://www.sitemaps.org/schemas/sitemap/0.9}"


class AdSitemap(NeardupSitemap):
    model = Ad


class NewestFirst(NeardupSitemap):
    limit = 2

    def items(self):
        return Ad.objects.filter(published=True).order_by("-pk")


SITEMAPS = {"ads": AdSitemap, "newest": NewestFirst}
urlpatterns = [
    path("sitemap.xml", views.sitemap, {"sitemaps": {"ads": AdSitemap}}),
    path(
        "sitemap-<section>.xml",
        views.sitemap,
        {"sitemaps": SITEMAPS},
        name="django.contrib.sitemaps.views.sitemap",
    ),
    path("index.xml", views.index, {"sitemaps": SITEMAPS}),
]


def ad(**values):
    return Ad.objects.create(text="a", **values)


def located(client, address="/sitemap.xml"):
    response = client.get(address)
    assert (response.status_code, response.headers["Content-Type"]) == (200, "application/xml")
    root = ElementTree.fromstring(response.content)
    assert root.tag == f"{NAMESPACE}urlset"
    found = [url.findtext(f"{NAMESPACE}loc") for url in root.iterfind(f"{NAMESPACE}url")]
    assert all(each.startswith("http://example.com/") for each in found)
    return [each.removeprefix("http://example.com") for each in found]


def addresses(*posts):
    return [post.get_absolute_url() for post in posts]


def test_one_of_each_cluster(client):
    one, two, three, alone = (ad() for _ in range(4))
    rows.cluster(one, two, three)
    rows.pair(alone, one, Verdict.VARIANT)
    assert located(client) == addresses(one, alone)


@pytest.mark.parametrize("hidden", [(), (0,), (0, 1), (1,), (0, 3), (0, 1, 2), (5,)])
def test_it_is_the_one_that_canonical_names(client, hidden):
    posts, live = [ad() for _ in range(7)], Ad.objects.filter(published=True)
    rows.cluster(*posts[:3])
    rows.cluster(*posts[3:6])
    for number, post in enumerate(reversed(posts)):
        Document.objects.filter(pk=rows.document(post).pk).update(first_seen=number // 2, text_since=0)
    Ad.objects.filter(pk__in=[posts[number].pk for number in hidden]).update(published=False)
    named = {canonical_url(post, live) for post in live}
    assert sorted(located(client)) == sorted(named)
    assert len(named) == 2 + (hidden != (0, 1, 2))


def test_hidden_posts_are_neither_named_nor_stand_for_others(client):
    hidden, one, two = ad(published=False), ad(), ad()
    assert located(client) == addresses(one, two)
    rows.cluster(hidden, one, two)
    assert located(client) == addresses(one)


def test_what_a_stranger_may_not_see_is_left_out(client, monkeypatch):
    closed, one = ad(phone="closed"), ad()
    rows.cluster(closed, one)

    def visible(adapter, request):
        found = adapter.live()
        return found if request.user.is_authenticated or request.session else found.exclude(phone="closed")

    monkeypatch.setattr(type(adapter_for(Ad)), "visible", visible)
    assert located(client) == addresses(one)


class All(NeardupSitemap):
    def items(self):
        return Ad.objects.all()


class Chosen(AdSitemap):
    def visible(self, adapter):
        return Ad.objects.exclude(phone="closed")


def test_posts_of_the_site_s_own_choice_are_cut_to_what_a_stranger_may_see():
    one, hidden = ad(), ad(published=False)
    rows.cluster(hidden, one)
    assert [*All()._items()] == [one]


def test_what_a_stranger_may_see_may_be_said_by_the_sitemap_alone():
    closed, one = ad(phone="closed"), ad()
    rows.cluster(closed, one)
    assert [*Chosen()._items()] == [one]


def test_a_post_whose_address_cannot_be_told_is_left_out(client, monkeypatch):
    one, _ = ad(), ad()
    told = {one.pk: "/one/"}
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: told[ad.pk])
    assert located(client) == ["/one/"]


@pytest.mark.parametrize("words", [(), ("canonical",), ("sitemap",)])
def test_the_profile_switches_it(client, words):
    one, two = ad(), ad()
    rows.cluster(one, two)
    with with_seo(*words):
        assert located(client) == addresses(*([one] if words == ("sitemap",) else [one, two]))


def test_pages_and_an_order_of_the_site_s_own(client):
    posts = [ad() for _ in range(7)]
    rows.cluster(posts[0], posts[6])
    kept = addresses(*reversed(posts[:6]))
    assert [located(client, f"/sitemap-newest.xml?p={page}") for page in (1, 2, 3)] == [
        kept[:2], kept[2:4], kept[4:],
    ]  # fmt: skip
    assert client.get("/sitemap-newest.xml?p=4").status_code == 404
    index = client.get("/index.xml").content.decode()
    assert re.findall(r"<loc>http://example.com(.*?)</loc>", index) == [
        "/sitemap-ads.xml", "/sitemap-newest.xml", "/sitemap-newest.xml?p=2", "/sitemap-newest.xml?p=3",
    ]  # fmt: skip


def test_a_page_reads_its_posts_alone(client, django_assert_max_num_queries, monkeypatch):
    posts = [ad() for _ in range(20)]
    rows.cluster(*posts[:10])
    read = []
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: read.append(ad) or f"/ads/{ad.pk}/")
    located(client, "/sitemap-newest.xml?p=2")
    del read[:]
    with django_assert_max_num_queries(4):
        assert len(located(client, "/sitemap-newest.xml?p=2")) == 2
    assert len(read) == 2
    assert isinstance(NewestFirst()._items(), QuerySet)


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("/сваи/", ["/%D1%81%D0%B2%D0%B0%D0%B8/"]),
        ("/a/?id=5&b=<", ["/a/?id=5&b=%3C"]),
        ("http://testserver/a/", ["/a/"]),
        ("/topics/7/#post-5", []),
        ("https://other.example/a/", []),
        ("javascript:alert(1)", []),
        ("", []),
    ],
)
def test_addresses(client, monkeypatch, settings, url, told):
    settings.ALLOWED_HOSTS = ["testserver"]
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: url)
    ad()
    assert located(client) == told


def test_where_every_host_is_allowed_posts_of_other_hosts_are_left_out(client, monkeypatch, settings):
    settings.ALLOWED_HOSTS = ["*"]
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: f"https://{ad.title}/a/")
    ad(title="other.example"), ad(title="example.com")
    assert located(client) == ["/a/"]


@pytest.mark.parametrize("model", [UuidPost, SlugPost, Article])
def test_keys_of_every_kind(model):
    keys = ["a/b", "Ä", "z"] if model is SlugPost else [None] * 3
    posts = [model.objects.create(text="a", **({"pk": key} if key else {})) for key in keys]
    rows.cluster(*posts[:2])
    assert {each.pk for each in NeardupSitemap(model)._items()} == {posts[0].pk, posts[2].pk}


def test_a_child_of_a_registered_parent():
    posts = [LongArticle.objects.create(text="a") for _ in range(3)]
    rows.cluster(*(Article.objects.get(pk=post.pk) for post in posts[:2]))

    class Long(NeardupSitemap):
        def items(self):
            return LongArticle.objects.all()

    assert [each.pk for each in Long()._items()] == [posts[0].pk, posts[2].pk]


def test_in_every_language():
    one, two = ad(), ad()
    rows.cluster(one, two)

    class Everywhere(AdSitemap):
        i18n = True

    sitemap = Everywhere()
    assert list(sitemap._items()) == [(one, "en"), (one, "ru")]
    assert [url["item"] for url in sitemap.get_urls()] == [
        (one, "en"), (one, "ru"),
    ]  # fmt: skip


def test_the_latest_change_is_asked_of_the_database(client, django_assert_num_queries):
    class Dated(AdSitemap):
        date_field = "changed"

        def items(self):
            day = Case(When(phone="new", then=Value("2026-05-01")), default=Value("2026-01-01"))
            return Ad.objects.annotate(changed=Cast(day, DateField()))

    one, two = ad(), ad(phone="new")
    rows.cluster(one, two)
    Dated().get_latest_lastmod()
    with django_assert_num_queries(1):
        assert Dated().get_latest_lastmod() == date(2026, 1, 1)
    assert [url["lastmod"] for url in Dated().get_urls()] == [date(2026, 1, 1)]
    assert AdSitemap().get_latest_lastmod() is None


def test_the_latest_change_is_known_where_some_are_not():
    class Dated(AdSitemap):
        date_field = "changed"

        def items(self):
            return Ad.objects.annotate(
                changed=Case(When(phone="new", then=Cast(Value("2026-05-01"), DateField())), default=None)
            )

    ad(), ad(phone="new"), ad()
    assert Dated().get_latest_lastmod() == date(2026, 5, 1)


def test_without_a_model_it_says_what_to_write():
    with pytest.raises(TypeError, match="model = Ad"):
        NeardupSitemap().items()
