"""``neardup.group()``: one entry a cluster, and nothing that the caller's queryset does not hold."""

import uuid

import pytest
from django.core.paginator import Paginator
from django.db import connection
from django.db.models import Count, Q, QuerySet
from django.test import override_settings
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

import django_neardup as neardup
from django_neardup.models import Cluster, Document, Membership, Scheme, Space
from tests.grouped_lists import rows
from tests.testapp.models import (
    Ad,
    Article,
    ArticleProxy,
    Author,
    Comment,
    LongArticle,
    Reply,
    SlugPost,
    Topic,
    Unregistered,
    UuidPost,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]


def ads(count, **values):
    return [
        Ad.objects.create(title=f"Сваи {number}", text="Сваи железобетонные", **values)
        for number in range(count)
    ]


def shown(groups):
    return [(entry.object, entry.count) for entry in groups]


@pytest.fixture
def visible():
    return Ad.objects.filter(published=True)


def test_one_entry_a_cluster_in_the_callers_order(visible):
    one, two, three, four = ads(4)
    rows.cluster(one, three)
    assert shown(neardup.group([four, three, two, one], visible)) == [(four, 0), (three, 1), (two, 0)]


def test_members_beyond_the_list_are_counted(visible):
    one, two, three = ads(3)
    rows.cluster(one, two, three)
    (entry,) = neardup.group([two], visible)
    assert entry.count == 2
    assert entry.others == [one, three]


def test_others_of_the_list_come_first_then_the_order_of_the_queryset(visible):
    posts = ads(5)
    rows.cluster(*posts)
    listed = [posts[1], posts[3]]
    (entry,) = neardup.group(listed, visible.order_by("-pk"))
    assert entry.others == [posts[3], posts[4], posts[2], posts[0]]


def test_without_an_order_others_stand_as_they_were_first_seen(visible):
    posts = ads(4)
    rows.cluster(*posts)
    for place, post in enumerate(posts):
        type(rows.document(post)).objects.filter(pk=rows.document(post).pk).update(
            first_seen=10 - place, text_since=0
        )
    (entry,) = neardup.group([posts[3]], visible.order_by())
    assert entry.others == [posts[2], posts[1], posts[0]]


def test_a_hidden_twin_changes_nothing(visible):
    one, two, hidden = ads(3)
    rows.cluster(one, two, hidden)
    Ad.objects.filter(pk=hidden.pk).update(published=False)
    with_twin = [
        (entry.object, entry.count, entry.others, entry.label, entry.url)
        for entry in neardup.group([one, two], visible)
    ]
    rows.document(hidden).memberships.get().delete()
    without = [
        (entry.object, entry.count, entry.others, entry.label, entry.url)
        for entry in neardup.group([one, two], visible)
    ]
    assert with_twin == without == [(one, 1, [two], "+ 1 similar", f"/similar/testapp.ad/{one.pk}/")]


def test_alone_with_a_hidden_twin_is_alone(visible):
    one, hidden = ads(2)
    rows.cluster(one, hidden)
    Ad.objects.filter(pk=hidden.pk).update(published=False)
    (entry,) = neardup.group([one], visible)
    assert (entry.count, entry.others, entry.label, entry.url) == (0, [], "", "")


def test_what_the_queryset_does_not_hold_is_left_out_of_the_list_too(visible):
    one, hidden, lonely = ads(3)
    rows.cluster(hidden, one)
    Ad.objects.filter(pk__in=[hidden.pk, lonely.pk]).update(published=False)
    assert shown(neardup.group([hidden, lonely, one], visible)) == [(one, 0)]


def test_objects_of_other_models_stand_alone(visible):
    one, two = ads(2)
    rows.cluster(one, two)
    strange, topic = Unregistered.objects.create(text="a"), Topic.objects.create(text="b")
    rows.cluster(topic, Reply.objects.create(text="b"))
    assert shown(neardup.group([strange, one, topic, two], visible)) == [(strange, 0), (one, 1), (topic, 0)]


def test_an_unregistered_model_is_cut_to_its_queryset():
    one, two = (Unregistered.objects.create(text="a") for _ in range(2))
    assert shown(neardup.group([one, two], Unregistered.objects.exclude(pk=two.pk))) == [(one, 0)]


def test_clusters_across_models_with_a_queryset_for_each():
    topic, reply, other = (
        Topic.objects.create(text="a"),
        Reply.objects.create(text="a"),
        Reply.objects.create(text="a"),
    )
    rows.cluster(topic, reply, other)
    (entry,) = neardup.group([reply, topic], [Topic.objects.all(), Reply.objects.all()])
    assert (entry.object, entry.others) == (reply, [topic, other])
    (entry,) = neardup.group([reply], Reply.objects.all())
    assert entry.others == [other]


@pytest.mark.parametrize(
    "slug",
    [
        "a/b",
        "сваи",
        "with space",
        "100%",
        "?a=b#c",
        "a//b/",
        "'quote\"",
        "back\\slash\\",
        "{a,b}",
        "NULL",
        ",",
    ],
)
def test_text_keys(slug):
    one, two = (
        SlugPost.objects.create(slug=slug, text="a"),
        SlugPost.objects.create(slug=slug + "2", text="a"),
    )
    rows.cluster(one, two)
    (entry,) = neardup.group([one, two], SlugPost.objects.all())
    assert entry.others == [two]
    assert entry.url


def test_uuid_keys():
    one, two = (UuidPost.objects.create(id=uuid.UUID(int=2**127 + number), text="a") for number in range(2))
    rows.cluster(one, two)
    (entry,) = neardup.group([two, one], UuidPost.objects.all())
    assert (entry.object, entry.others) == (two, [one])
    assert entry.url == f"/similar/testapp.uuidpost/{two.pk}/"


def test_children_of_a_registered_parent_and_proxies():
    one, two = (LongArticle.objects.create(text="a") for _ in range(2))
    plain = Article.objects.create(text="a")
    rows.cluster(one, two, plain)
    (entry,) = neardup.group([one, two], LongArticle.objects.all())
    assert (entry.count, entry.others) == (1, [two])
    (entry,) = neardup.group([one], Article.objects.all())
    assert entry.others == [two.article_ptr, plain]
    (entry,) = neardup.group(ArticleProxy.objects.all(), ArticleProxy.objects.all())
    assert entry.count == 2


@pytest.mark.django_db(databases=["default", "other"])
def test_objects_of_another_database():
    one, two = (Ad.objects.using("other").create(text="a") for _ in range(2))
    rows.cluster(one, two)
    here = Ad.objects.create(pk=one.pk, text="b")
    first, second = neardup.group([one, here, two], Ad.objects.all())
    assert (first.object, first.count) == (one, 1)
    assert first.others[0]._state.db == "other"
    assert (second.object._state.db, second.count) == ("default", 0)


def test_queries_do_not_grow_with_the_list(visible, django_assert_max_num_queries):
    posts = ads(60)
    for start in range(0, 60, 3):
        rows.cluster(*posts[start : start + 3])
    neardup.group(posts[:1], visible)
    for listed in (posts[:3], posts[::2], posts):
        with django_assert_max_num_queries(3):
            for entry in neardup.group(listed, visible):
                assert len(entry.others) == entry.count == 2


def test_a_list_costs_two_queries(visible, django_assert_num_queries):
    posts = ads(60)
    for start in range(0, 60, 3):
        rows.cluster(*posts[start : start + 3])
    neardup.group(posts[:1], visible)
    with django_assert_num_queries(2):
        assert [entry.count for entry in neardup.group(posts[:50], visible) if entry.label and entry.url] == [
            2
        ] * 17


def test_a_queryset_costs_its_own_query_once(visible, django_assert_max_num_queries):
    ads(3)
    neardup.group(visible, visible)
    with django_assert_max_num_queries(3):
        neardup.group(visible.all(), visible)


@pytest.mark.parametrize("slug", ["plain-1", "two words", "a/b", "100%", "имя", "//host", "0-sample-0"])
def test_an_address_is_what_django_makes_of_it(slug):
    posts = [SlugPost.objects.create(slug=slug + end, text="a") for end in ("", "2")]
    rows.cluster(*posts)
    (entry,) = neardup.group(posts, SlugPost.objects.all())
    assert entry.url == reverse("neardup:similar", args=["testapp.slugpost", slug])


def test_an_empty_list_costs_nothing(visible, django_assert_num_queries):
    with django_assert_num_queries(0):
        assert neardup.group([], visible) == []


def test_others_are_fetched_late_and_no_more_than_twenty(visible, django_assert_num_queries):
    posts = ads(26)
    rows.cluster(*posts)
    (entry,) = neardup.group(posts[:1], visible)
    assert entry.count == 25
    with django_assert_num_queries(1):
        assert len(entry.others) == 20
    assert entry.label == "+ 25 similar"


def test_others_in_the_list_need_no_query(visible, django_assert_num_queries):
    posts = ads(3)
    rows.cluster(*posts)
    (entry,) = neardup.group(posts, visible)
    with django_assert_num_queries(0):
        assert entry.others == posts[1:]


def test_others_come_as_the_queryset_gives_them(visible, django_assert_num_queries):
    author = Author.objects.create(name="Иван")
    posts = ads(2, author=author)
    rows.cluster(*posts)
    (entry,) = neardup.group(posts[:1], visible.select_related("author"))
    with django_assert_num_queries(1):
        assert entry.others[0].author == author


def test_a_queryset_with_repetitions_counts_each_once():
    one, two = ads(2)
    rows.cluster(one, two)
    for _ in range(3):
        Comment.objects.create(ad=two, text="a")
    commented = Ad.objects.filter(Q(comments__text="a") | Q(pk=one.pk))
    (entry,) = neardup.group([one], commented)
    assert (entry.count, entry.others) == (1, [two])


class Discreet(QuerySet):
    """As a site's own may be: hidden posts are left out when it is narrowed down, not before."""

    def filter(self, *args, **kwargs):
        return super().filter(*args, **kwargs, published=True)


@pytest.mark.parametrize(
    "allowed",
    [
        lambda: Ad.objects.filter(published=True) | Ad.objects.filter(title="b"),
        lambda: Ad.objects.exclude(published=False),
        lambda: Discreet(Ad),
        lambda: Ad.objects.filter(published=True).distinct(),
        lambda: Ad.objects.annotate(said=Count("comments")).filter(said__gt=0),
        lambda: Ad.objects.filter(comments__text="a").select_related("author"),
        lambda: Ad.objects.filter(pk__in=Ad.objects.filter(published=True).values("pk")),
    ],
    ids=["either", "without", "its own filter", "distinct", "having", "joined", "nested"],
)
def test_whatever_narrows_the_queryset_still_does(allowed):
    one, two, hidden = ads(3)
    rows.cluster(one, two, hidden)
    Ad.objects.filter(pk=hidden.pk).update(published=False)
    for post in (one, two):
        Comment.objects.create(ad=post, text="a")
    (entry,) = neardup.group([hidden, one], allowed())
    assert (entry.object, entry.others) == (one, [two])
    assert neardup.group([one], allowed().none()) == []


@pytest.mark.engines("postgresql")
@pytest.mark.parametrize("key", [2**63 - 1, 2**63, -(2**63), 2**80])
def test_a_key_that_no_row_can_have_is_not_there(visible, key):
    (one,) = ads(1)
    assert shown(neardup.group([Ad(pk=key), one], visible)) == [(one, 0)]


def test_pages_and_generators(visible):
    posts = ads(4)
    rows.cluster(*posts)
    page = Paginator(visible.order_by("pk"), 3).page(1)
    assert shown(neardup.group(page, visible)) == [(posts[0], 3)]
    assert shown(neardup.group((post for post in posts[2:]), visible)) == [(posts[2], 3)]


def test_deleted_objects_leave_no_trace(visible):
    one, two = ads(2)
    rows.cluster(one, two)
    Ad.objects.filter(pk=two.pk).delete()
    assert shown(neardup.group([one, two], visible)) == [(one, 0)]


def test_what_is_not_saved_or_not_any_more_is_left_out(visible):
    one, gone = ads(2)
    gone.delete()
    assert shown(neardup.group([Ad(), one, gone], visible)) == [(one, 0)]
    assert neardup.group([UuidPost()], UuidPost.objects.all()) == []
    strange = Unregistered()
    assert shown(neardup.group([strange, one], visible)) == [(strange, 0), (one, 0)]


class Replica:
    """What is read in "other" is written in "default"."""

    def db_for_write(self, model, **hints):
        return "default"


@pytest.mark.django_db(databases=["default", "other"])
def test_objects_read_by_several_aliases_of_one_database_are_one_list(visible, settings):
    one, two = ads(2)
    rows.cluster(one, two)
    for model in (Ad, Scheme, Space, Document, Cluster, Membership):
        model.objects.using("other").bulk_create(model.objects.order_by("pk"))
    two.refresh_from_db(using="other")
    assert len(neardup.group([one, two], visible)) == 2
    settings.DATABASE_ROUTERS = [Replica()]
    assert shown(neardup.group([one, two], visible)) == [(one, 1)]


@override_settings(ROOT_URLCONF="tests.grouped_lists.no_urls")
def test_without_urls_there_is_no_link(visible):
    one, two = ads(2)
    rows.cluster(one, two)
    (entry,) = neardup.group([one], visible)
    assert (entry.count, entry.url) == (1, "")


@pytest.mark.parametrize(
    ("objects", "says"),
    [
        ([{"pk": 1}], "model instances, not dict"),
        ([1], "model instances, not int"),
        ([("a", 1)], "not tuple"),
    ],
)
def test_objects_must_be_instances(objects, says, visible):
    with pytest.raises(TypeError, match=says):
        neardup.group(objects, visible)


@pytest.mark.parametrize(
    ("queryset", "says"),
    [
        (lambda: None, "not nothing"),
        (lambda: "", "not nothing"),
        (lambda: Ad.objects, "not Manager"),
        (lambda: Ad, "not ModelBase"),
        (lambda: [1], "must contain querysets, not int"),
        (lambda: Ad.objects.all()[:5], "sliced"),
        (lambda: Ad.objects.values(), "values"),
        (lambda: Ad.objects.values_list("pk"), "values"),
        (lambda: Ad.objects.all().union(Ad.objects.all()), "union"),
        (lambda: [Ad.objects.all(), Ad.objects.all()], "two querysets of testapp.Ad"),
    ],
)
def test_visible_must_be_a_queryset_that_can_be_narrowed(queryset, says):
    with pytest.raises(TypeError, match=says):
        neardup.group([], queryset())


@pytest.mark.engines("sqlite")
def test_members_are_read_by_their_cluster_and_not_all_documents():
    page = [Ad.objects.create(text=f"{number}") for number in range(3)]
    with CaptureQueriesContext(connection) as queries:
        neardup.group(page, Ad.objects.all())
    (statement,) = [each["sql"] for each in queries if "neardup_membership" in each["sql"]]
    with connection.cursor() as cursor:
        plan = [row[-1] for row in cursor.execute(f"EXPLAIN QUERY PLAN {statement}").fetchall()]
    assert [step for step in plan if step.startswith("SEARCH m ") and "cluster_id=?" in step], plan


LARGE_SITE = """
    INSERT INTO neardup_document (content_type_id, object_id, first_seen, text_since, live, state, created, author,
        reason, recheck, version, wanted, done, attempts)
    SELECT content_type_id, 'x' || number, 1, 0, true, state, created, '', '', false, 1, 1, 1, 0
    FROM (SELECT * FROM neardup_document LIMIT 1) one, generate_series(1, 20000) number;
    INSERT INTO neardup_membership (document_id, cluster_id, content_type_id, object_id, score, reason, exact,
        scheme_id, digest)
    SELECT id, -id / 2, content_type_id, object_id, 1, 'duplicate', false, 1, '' FROM neardup_document
    WHERE object_id LIKE 'x%%' LIMIT 8000;
    ANALYZE neardup_document, neardup_membership
"""


@pytest.mark.engines("postgresql")
def test_members_are_read_by_their_cluster_and_not_all_memberships():
    page = ads(50)
    rows.cluster(*page)
    with connection.cursor() as cursor, CaptureQueriesContext(connection) as queries:
        cursor.execute(LARGE_SITE)
        neardup.group(page, Ad.objects.all())
        (statement,) = [each["sql"] for each in queries if "WHERE +d" in each["sql"]]
        cursor.execute(f"EXPLAIN {statement}")
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "Seq Scan on neardup_membership" not in plan, plan
