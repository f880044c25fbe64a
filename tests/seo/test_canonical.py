"""``rel=canonical``: the first post of a cluster that may be seen, and nobody's else."""

from __future__ import annotations

import pytest
from django.template import Context, Template, TemplateSyntaxError
from django.test import RequestFactory

from django_neardup.models import Document, Verdict
from django_neardup.seo.canonical import canonical_url
from tests.grouped_lists import rows
from tests.seo.profiles import with_seo
from tests.testapp.models import Ad, Reply, SlugPost, Topic, Unregistered

pytestmark = pytest.mark.django_db
TAG = "{% load neardup %}{% neardup_canonical ad visible_ads %}"


def ad(**values):
    return Ad.objects.create(title="Сваи", text="a", **values)


def live():
    return Ad.objects.filter(published=True)


def link(post, visible=None, **context):
    visible = live() if visible is None else visible
    return Template(TAG).render(Context({"ad": post, "visible_ads": visible, **context}))


def test_every_member_names_the_first_one():
    posts = [ad() for _ in range(3)]
    rows.cluster(*posts)
    assert {link(post) for post in posts} == {f'<link rel="canonical" href="/ads/{posts[0].pk}/">'}


def test_without_the_representative_whoever_was_there_first():
    posts = [ad() for _ in range(3)]
    rows.cluster(*posts)
    for number, post in enumerate(reversed(posts)):
        Document.objects.filter(pk=rows.document(post).pk).update(first_seen=number, text_since=0)
    assert f"/ads/{posts[0].pk}/" in link(posts[1])
    assert f"/ads/{posts[2].pk}/" in link(posts[1], live().exclude(pk=posts[0].pk).order_by("pk"))


def test_a_hidden_first_post_is_passed_over():
    hidden, one, two = ad(published=False), ad(), ad()
    rows.cluster(hidden, one, two)
    assert link(two) == link(one) == f'<link rel="canonical" href="/ads/{one.pk}/">'
    assert link(hidden) == link(one)


def test_a_post_alone_names_itself_whether_it_has_a_hidden_twin_or_not():
    post, hidden = ad(), ad(published=False)
    alone = link(post)
    rows.cluster(hidden, post)
    assert link(post) == alone == f'<link rel="canonical" href="/ads/{post.pk}/">'


def test_a_hidden_post_alone_is_named_nowhere():
    assert link(ad(published=False)) == ""


@pytest.mark.parametrize("verdict", [Verdict.VARIANT, Verdict.CONTAINED, Verdict.RELATED, Verdict.DUPLICATE])
def test_a_pair_alone_decides_nothing(verdict):
    one, two = ad(), ad()
    rows.pair(one, two, verdict)
    assert link(two) == f'<link rel="canonical" href="/ads/{two.pk}/">'


def test_with_a_request_it_is_absolute():
    post = ad()
    request = RequestFactory().get("/ads/?utm=1", secure=True)
    assert link(post, request=request) == f'<link rel="canonical" href="https://testserver/ads/{post.pk}/">'


@pytest.mark.parametrize(
    ("url", "told"),
    [
        ("/сваи/", "/%D1%81%D0%B2%D0%B0%D0%B8/"),
        ("https://board.ru/ads/", "https://board.ru/ads/"),
        ('/"><script>/', "/%22%3E%3Cscript%3E/"),
        ("javascript:alert(1)", None),
        ("", None),
    ],
)
def test_addresses(monkeypatch, url, told):
    monkeypatch.setattr(Ad, "get_absolute_url", lambda ad: url)
    assert link(ad()) == (f'<link rel="canonical" href="{told}">' if told else "")


def test_an_address_that_cannot_be_told_breaks_no_page(monkeypatch):
    def fail(ad):
        raise ValueError

    monkeypatch.setattr(Ad, "get_absolute_url", fail)
    assert link(ad()) == ""


@pytest.mark.parametrize("words", [(), ("sitemap",), ("canonical", "sitemap")])
def test_the_profile_switches_it(words):
    with with_seo(*words):
        assert bool(link(ad())) is ("canonical" in words)


def test_other_models():
    topic, reply = Topic.objects.create(text="a"), Reply.objects.create(text="a")
    rows.cluster(topic, reply)
    assert canonical_url(reply, [Topic.objects.all(), Reply.objects.all()]) == ""
    Topic.get_absolute_url = lambda topic: f"/topics/{topic.pk}/"
    Reply.get_absolute_url = lambda reply: f"/replies/{reply.pk}/"
    try:
        assert canonical_url(reply, [Topic.objects.all(), Reply.objects.all()]) == f"/topics/{topic.pk}/"
        assert canonical_url(reply, Reply.objects.all()) == f"/replies/{reply.pk}/"
    finally:
        del Topic.get_absolute_url, Reply.get_absolute_url


def test_unsaved_unregistered_and_without_address():
    slug = SlugPost.objects.create(slug="a/b", text="a")
    for post in (Ad(text="a"), Unregistered.objects.create(text="a"), slug):
        assert canonical_url(post, [type(post).objects.all()]) == ""


@pytest.mark.parametrize("portion", [1, 2, 500])
def test_of_a_large_cluster_only_what_is_needed_is_read(monkeypatch, portion):
    monkeypatch.setattr("django_neardup.seo.canonical.PORTION", portion)
    hidden, posts = [ad(published=False) for _ in range(3)], [ad() for _ in range(3)]
    rows.cluster(*hidden, *posts)
    assert {canonical_url(post, live()) for post in posts} == {f"/ads/{posts[0].pk}/"}
    Ad.objects.update(published=False)
    assert canonical_url(posts[0], live()) == ""


def test_queries(django_assert_num_queries):
    one, two, alone = ad(), ad(), ad()
    rows.cluster(one, two)
    link(two)
    for post, queries in ((one, 2), (two, 3), (alone, 2)):
        with django_assert_num_queries(queries):
            link(post)


@pytest.mark.parametrize(
    "tag", ["neardup_canonical", "neardup_canonical ad", "neardup_canonical ad ads limit=1"]
)
def test_misuse_is_told(tag):
    with pytest.raises(TemplateSyntaxError, match=r"Write {% neardup_canonical ad visible_ads %}"):
        Template("{% load neardup %}{% " + tag + " %}")
