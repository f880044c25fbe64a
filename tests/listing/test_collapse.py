"""``collapse()``: one row a cluster, and still a queryset."""

import copy
import pickle
import uuid

import pytest
from asgiref.sync import async_to_sync, sync_to_async
from django.db import connection, models
from django.db.models import Count, F, Q, Sum, Value, Window
from django.db.models.functions import RowNumber
from django.test.utils import CaptureQueriesContext, isolate_apps

from django_neardup import collapse
from django_neardup.listing import collapse_query, representatives
from django_neardup.listing.collapse import load_totals, uncollapse
from django_neardup.listing.key_expressions import key_field_type
from django_neardup.visibility import GroupingError
from tests.builders import place_of
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
    Tag,
    Topic,
    Unregistered,
    UuidPost,
)

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]


def ads(count, **values):
    return Ad.objects.bulk_create(
        Ad(title=f"Сваи {number}", text="Сваи железобетонные", **values) for number in range(count)
    )


@pytest.fixture
def posts():
    """Six adverts: 0, 2, 4 are twins and 3, 5 are; 1 stands alone."""
    made = ads(6)
    rows.cluster(made[0], made[2], made[4])
    rows.cluster(made[3], made[5])
    return made


def places(posts, found):
    """Where in the list each of those stands."""
    return [posts.index(each) for each in found]


def test_the_first_of_each_cluster_in_the_order_of_the_list(posts):
    assert places(posts, collapse(Ad.objects.order_by("pk"))) == [0, 1, 3]
    assert places(posts, collapse(Ad.objects.order_by("-pk"))) == [5, 4, 1]


def test_the_best_by_another_order(posts):
    Ad.objects.filter(pk=posts[2].pk).update(hits=9)
    assert places(posts, collapse(Ad.objects.order_by("pk"), by="-hits")) == [1, 2, 3]
    assert places(posts, collapse(Ad.objects.order_by("pk"), by=["-hits", "-pk"])[:2]) == [1, 2]
    assert places(posts, collapse(Ad.objects.order_by("pk"), by=F("hits").desc())[1:]) == [2, 3]


def test_a_cluster_matches_if_a_member_does_and_its_best_matching_one_is_shown(posts):
    Ad.objects.filter(pk__in=[posts[2].pk, posts[4].pk]).update(sku="с140")
    (shown,) = collapse(Ad.objects.filter(sku="с140").order_by("pk"), Ad.objects.all())
    assert (shown, shown.neardup.count) == (posts[2], 2)
    assert places(posts, shown.neardup.others) == [0, 4]
    (shown,) = collapse(Ad.objects.filter(sku="с140").order_by("pk"))
    assert (shown, shown.neardup.count) == (posts[2], 1)


def test_what_is_filtered_afterwards_is_those_that_are_shown(posts):
    Ad.objects.filter(pk=posts[2].pk).update(sku="с140")
    assert not collapse(Ad.objects.order_by("pk")).filter(sku="с140")


def looks(queryset):
    """Everything that a page can tell of a list."""
    entries = [
        (each.pk, each.title, each.neardup.count, each.neardup.others, each.neardup.label, each.neardup.url)
        for each in queryset
    ]
    return repr((entries, queryset.count(), load_totals(queryset), list(queryset.values_list("pk", "title"))))


@pytest.mark.parametrize(
    "visible",
    [Ad.objects.filter(published=True), Ad.objects.filter(Q(author=None), published=True).distinct()],
)
@pytest.mark.parametrize("found", [Ad.objects.order_by("pk"), Ad.objects.order_by("-hits", "pk")])
def test_a_hidden_twin_changes_nothing(posts, visible, found):
    hidden = Ad.objects.create(title="Скрыто", text="Сваи", published=False, hits=100)
    without = looks(collapse(found, visible.all()))
    membership = rows.document(posts[0]).memberships.get()
    membership.pk = None
    for name, value in place_of(rows.document(hidden)).items():
        setattr(membership, name, value)
    membership.save(force_insert=True)
    assert looks(collapse(found, visible.all())) == without
    assert looks(collapse(found.filter(published=True))) == without
    assert "Скрыто" not in without


@pytest.mark.parametrize(
    ("visible", "wanted"),
    [
        (Ad.objects.filter(published=True), [1, 2]),
        (Ad.objects.filter(published=True) | Ad.objects.filter(sku="все"), [1, 2]),
        (Ad.objects.exclude(published=False), [1, 2]),
        (Ad.objects.filter(Q(author=None), published=True).filter(comments=None), [1, 2]),
        (Ad.objects.all(), [0, 1, 3]),
        (Ad.objects.none(), []),
    ],
)
def test_nothing_is_shown_that_is_not_visible_however_the_list_is_put_together(posts, visible, wanted):
    Ad.objects.filter(pk__in=[posts[0].pk, posts[3].pk, posts[5].pk]).update(published=False)
    either = Ad.objects.filter(published=True) | Ad.objects.filter(title__startswith="Сваи")
    for found in (either, Ad.objects.all(), Ad.objects.filter(published__in=[True, False])):
        listed = collapse(found.order_by("pk"), visible.all())
        assert places(posts, listed) == places(posts, listed[:9]) == wanted
        assert listed.count() == len(wanted)


def test_alone_with_a_hidden_twin_is_alone():
    one, hidden = ads(2)
    rows.cluster(one, hidden)
    Ad.objects.filter(pk=hidden.pk).update(published=False)
    (shown,) = collapse(Ad.objects.all(), Ad.objects.filter(published=True))
    assert (shown.neardup.count, shown.neardup.others, shown.neardup.url) == (0, [], "")


def test_labels_and_links(posts):
    shown = collapse(Ad.objects.order_by("pk"))
    assert [(each.neardup.label, each.neardup.url) for each in shown] == [
        ("+ 2 similar", f"/similar/testapp.ad/{posts[0].pk}/"),
        ("", ""),
        ("+ 1 similar", f"/similar/testapp.ad/{posts[3].pk}/"),
    ]


def test_the_numbers_of_a_page_take_two_queries(posts, django_assert_num_queries):
    page = list(collapse(Ad.objects.order_by("pk"))[:3])
    with django_assert_num_queries(2):
        assert [each.neardup.count for each in page] == [2, 0, 1]
    with django_assert_num_queries(1):
        assert [len(each.neardup.others) for each in page] == [2, 0, 1]


def test_nothing_is_read_for_numbers_that_nobody_asks_for(posts, django_assert_num_queries):
    listed = collapse(Ad.objects.order_by("pk"))
    with django_assert_num_queries(1):
        list(listed)
    with django_assert_num_queries(2):
        list(listed.all()[:2])
    with django_assert_num_queries(1):
        assert listed.all().count() == 3


def test_a_page_behind_many_twins():
    posts = ads(200)
    rows.cluster(*posts[20:])
    listed = collapse(Ad.objects.order_by("-pk"))
    assert places(posts, listed[:3]) == [199, 19, 18]
    assert places(posts, listed[18:40]) == [2, 1, 0]
    assert places(posts, listed.filter(pk__isnull=False)[:3]) == [199, 19, 18]


@pytest.mark.parametrize(
    ("made", "wanted"),
    [
        (lambda found: found.filter(title__in=["Сваи 1", "Сваи 3"]), [1, 3]),
        (lambda found: found.exclude(title="Сваи 1"), [0, 3]),
        (lambda found: found.order_by("-pk"), [3, 1, 0]),
        (lambda found: found.order_by("-pk")[:2], [3, 1]),
        (lambda found: found.reverse(), [3, 1, 0]),
        (lambda found: found.reverse()[1:], [1, 0]),
        (lambda found: found[1:2], [1]),
        (lambda found: [found.first(), found.last()], [0, 3]),
        (lambda found: found.iterator(chunk_size=1), [0, 1, 3]),
        (lambda found: sorted(found.in_bulk().values(), key=lambda post: post.pk), [0, 1, 3]),
        (lambda found: found.annotate(n=Count("comments")).filter(n=0), [0, 1, 3]),
        (lambda found: found.annotate(x=Value(1)).filter(x=1)[:2], [0, 1]),
        (lambda found: found.extra(order_by=["-id"])[:2], [3, 1]),
        (lambda found: found.distinct(), [0, 1, 3]),
        (lambda found: found.select_related("author").only("title", "author")[:2], [0, 1]),
        (lambda found: found.none(), []),
        (lambda found: (found.filter(pk__lt=0) | found.filter(pk__gt=0)).order_by("pk"), [0, 1, 3]),
        (lambda found: Ad.objects.filter(pk__in=found).order_by("pk"), [0, 1, 3]),
        (lambda found: Ad.objects.filter(pk__in=found.values("pk")).order_by("pk"), [0, 1, 3]),
        (lambda found: found.order_by().union(found.order_by().filter(pk__gt=0)).order_by("pk"), [0, 1, 3]),
    ],
)
def test_it_is_still_a_queryset(posts, made, wanted):
    assert places(posts, made(collapse(Ad.objects.order_by("pk")))) == wanted


def test_pages_that_lie_far_are_found_by_the_database(monkeypatch, django_assert_num_queries):
    posts = ads(30)
    rows.cluster(*posts[4:9])
    rows.cluster(posts[1], posts[20])
    listed = collapse(Ad.objects.order_by("-pk"))
    wanted = list(listed)
    for most, statements in ((30, [2, 2, 1, 1]), (100, [2, 2, 2, 2])):
        monkeypatch.setattr(collapse_query, "MAX_ROWS_READ", most)
        monkeypatch.setattr(representatives, "MAX_ROW_BY_ROW", 5)
        for page, number in zip((slice(3), slice(2, 5), slice(6, 8), slice(20, 30)), statements, strict=True):
            with django_assert_num_queries(number):
                assert list(listed.all()[page]) == wanted[page]


@pytest.mark.engines("postgresql", "mariadb")
def test_a_lock_is_of_the_rows_that_are_shown(posts):
    locked = collapse(Ad.objects.select_for_update().order_by("pk"))
    with CaptureQueriesContext(connection) as asked:
        assert places(posts, locked.all()) == places(posts, locked[:9]) == [0, 1, 3]
        assert places(posts, locked.filter(pk__gt=0)[1:]) == [1, 3]
        assert load_totals(locked) == (6, 3) and locked.count() == 3
    assert [each["sql"].count("FOR UPDATE") for each in asked] == [1, 1, 1, 0, 0]


@pytest.mark.parametrize("window", [RowNumber(), Count("pk")], ids=["number", "count"])
def test_windows_on_a_page_are_those_of_the_list(posts, window):
    numbered = Ad.objects.annotate(place=Window(window, order_by="pk")).order_by("pk")
    listed = collapse(numbered)
    assert places(posts, listed[1:3]) == [1, 3]
    assert [each.place for each in listed[1:3]] == [each.place for each in listed][1:3]
    assert places(posts, collapse(numbered.annotate(far=F("place") + 9))[1:3]) == [1, 3]


@pytest.mark.parametrize("order", [F("place"), "place", Window(RowNumber(), order_by="pk")])
def test_lists_in_the_order_of_a_window(posts, order):
    listed = collapse(Ad.objects.annotate(place=Window(RowNumber(), order_by="pk")).order_by(order))
    whole = places(posts, listed)
    assert whole == [0, 1, 3]
    assert places(posts, listed[:2]) == whole[:2]


def test_pages_in_the_order_of_a_window_are_those_of_the_list(posts):
    late = Window(RowNumber(), order_by="pk")
    listed = collapse(Ad.objects.order_by(late.desc() if hasattr(late, "desc") else late))
    assert places(posts, listed[:2]) == places(posts, listed)[:2]


def test_facets_and_sums(posts):
    for post, town in zip(posts, "ААБББА"):
        Ad.objects.filter(pk=post.pk).update(sku=town, hits=1)
    found = collapse(Ad.objects.order_by("pk"))
    facets = found.order_by("sku").values_list("sku").annotate(Count("pk"))
    assert list(facets) == [("А", 2), ("Б", 1)]
    assert found.aggregate(Sum("hits")) == {"hits__sum": 3}
    assert found.exists()


def test_prefetched_once(posts, django_assert_num_queries):
    Comment.objects.create(ad=posts[0], text="да")
    with django_assert_num_queries(3):
        page = list(collapse(Ad.objects.order_by("pk")).prefetch_related("comments")[:2])
        assert [len(each.comments.all()) for each in page] == [1, 0]


def test_numbers_of_an_iterator(posts):
    listed = collapse(Ad.objects.order_by("pk"))
    assert [each.neardup.count for each in listed.iterator(chunk_size=2)] == [2, 0, 1]


def test_in_asynchronous_code(posts):
    async def read():
        page = [each async for each in collapse(Ad.objects.order_by("pk"))[:2]]
        return await collapse(Ad.objects.all()).acount(), await sync_to_async(
            lambda: [each.neardup.count for each in page]
        )()

    assert async_to_sync(read)() == (3, [2, 0])


def test_an_instance_is_copied_and_pickled_with_what_is_behind_it(posts, django_assert_num_queries):
    (shown,) = collapse(Ad.objects.order_by("pk"))[:1]
    for other in (pickle.loads(pickle.dumps(shown)), copy.deepcopy(shown)):
        with django_assert_num_queries(0):
            assert (other.neardup.object, other.neardup.others) == (posts[0], [posts[2], posts[4]])
            assert (other.neardup.label, other.neardup.url) == ("+ 2 similar", shown.neardup.url)


@pytest.mark.parametrize(
    "order", [["pk"], ["author", "-pk"], ["-hits", "pk"]], ids=["page by page", "row by row", "whole"]
)
def test_a_list_is_pickled_with_what_was_read_of_it(posts, order, django_assert_num_queries):
    visible = Ad.objects.exclude(pk=posts[5].pk)
    listed = collapse(Ad.objects.exclude(pk=posts[1].pk).order_by(*order), visible)
    for found in (listed, listed[:2]):
        with CaptureQueriesContext(connection) as asked:
            kept = pickle.dumps(found)
        with CaptureQueriesContext(connection) as needed:
            assert [each.neardup.others and each.neardup.url for each in found.all()]
        assert len(asked) == len(needed)
        assert posts[5].title.encode() not in kept and posts[1].title.encode() not in kept
        again = pickle.loads(kept)
        with django_assert_num_queries(0):
            assert [(each, each.neardup.count) for each in again] == [
                (each, each.neardup.count) for each in found
            ]
    again = pickle.loads(pickle.dumps(listed))
    assert looks(again.all()) == looks(listed.all()) and load_totals(again) == load_totals(listed) == (4, 2)
    assert [*again.filter(pk=posts[3].pk)] == [posts[3]] and [*uncollapse(again)] == [*uncollapse(listed)]
    assert places(posts, again.query.collapse.visible.queryset_for(Ad).order_by("pk")) == [0, 1, 2, 3, 4]


def test_rows_that_a_join_repeats_stay_as_they_were(posts):
    for post in posts[:3]:
        post.tags.set([Tag.objects.get_or_create(name=name)[0] for name in "аб"])
    joined = Ad.objects.filter(tags__name__in="аб").order_by("pk")
    assert places(posts, collapse(joined)) == [0, 0, 1, 1]
    assert collapse(joined).count() == 4
    assert load_totals(collapse(joined)) == (6, 4)
    assert places(posts, collapse(joined.distinct())) == [0, 1]
    assert collapse(joined.distinct()).count() == 2


def test_rows_that_a_table_of_extra_repeats_are_counted_as_often(posts):
    for name in "аб":
        Author.objects.create(name=name)
    listed = collapse(Ad.objects.order_by("pk")).extra(tables=["testapp_author"])
    assert places(posts, listed) == [0, 0, 1, 1, 3, 3]
    assert (listed.all().count(), places(posts, listed.all()[:3])) == (6, [0, 0, 1])


def test_order_by_a_total(posts):
    for _ in range(3):
        Comment.objects.create(ad=posts[4], text="да")
    talked = Ad.objects.annotate(talk=Count("comments")).order_by("-talk", "pk")
    assert places(posts, collapse(talked)) == [4, 1, 3]
    assert places(posts, collapse(talked.filter(talk__gt=0))) == [4]
    assert collapse(talked).count() == 3


def test_a_related_order_as_the_list_has_it():
    authors = [Author.objects.create(name=name) for name in ("б", "а")]
    posts = [Ad.objects.create(text="a", author=author) for author in (None, *authors)]
    rows.cluster(*posts)
    for order in ("author__name", "-author__name", F("author__name").asc(nulls_last=True)):
        listed = Ad.objects.order_by(order)
        assert list(collapse(listed)) == [listed[0]]


@pytest.mark.parametrize("slug", ["a/b", "Сваи", "with space", "100%", "'quote\""])
def test_text_keys(slug):
    posts = [SlugPost.objects.create(slug=slug + end, text="a") for end in ("", "2", "3")]
    rows.cluster(posts[0], posts[2])
    listed = collapse(SlugPost.objects.order_by("slug"))
    assert list(listed) == list(listed[:5]) == posts[:2]
    assert listed.count() == 2


def test_uuid_keys():
    posts = [UuidPost.objects.create(id=uuid.UUID(int=2**127 + each), text="a") for each in range(3)]
    rows.cluster(posts[0], posts[2])
    listed = collapse(UuidPost.objects.order_by("-id"))
    assert list(listed) == list(listed[:5]) == [posts[2], posts[1]]
    assert listed.count() == 2
    assert listed[0].neardup.others == [posts[0]]


def test_other_models_with_the_same_keys_are_left_alone(posts):
    for post in posts:
        Topic.objects.create(pk=post.pk, text="a")
    assert collapse(Topic.objects.all()).count() == 6


def test_members_of_other_models_are_counted_where_visible_holds_them():
    topics, reply = [Topic.objects.create(text="a") for _ in range(2)], Reply.objects.create(text="a")
    rows.cluster(*topics, reply)
    (shown,) = collapse(Topic.objects.order_by("pk"), [Topic.objects.all(), Reply.objects.all()])
    assert (shown, shown.neardup.others) == (topics[0], [topics[1], reply])
    (shown,) = collapse(Topic.objects.order_by("pk"))
    assert shown.neardup.others == [topics[1]]


def test_children_of_a_registered_parent_and_proxies():
    first, second = (LongArticle.objects.create(text="a", source=source) for source in "ба")
    between = Article.objects.create(text="a")
    rows.cluster(between, first, second)
    (shown,) = collapse(LongArticle.objects.order_by("source"))
    assert (shown, shown.neardup.others) == (second, [first])
    for listed in (collapse(LongArticle.objects.order_by("pk"))[:5], collapse(LongArticle.objects.all())):
        assert list(listed) == [first]
    assert collapse(LongArticle.objects.all()).count() == 1
    (shown,) = collapse(LongArticle.objects.order_by("pk"), Article.objects.exclude(pk=first.pk))
    assert (shown, shown.neardup.count) == (second, 1)
    (shown,) = collapse(ArticleProxy.objects.order_by("-pk"))
    assert (shown.pk, shown.neardup.count) == (between.pk, 2)


@pytest.mark.django_db(databases=["default", "other"])
def test_objects_of_another_database():
    made = [Ad.objects.using("other").create(text="a") for _ in range(3)]
    rows.cluster(*made[:2])
    here = Ad.objects.create(pk=made[0].pk, text="b")
    listed = collapse(Ad.objects.order_by("pk"))
    assert list(listed) == [here]
    assert list(listed.using("other")) == list(listed.using("other")[:5]) == [made[0], made[2]]
    assert listed.using("other").count() == 2
    assert [each.neardup.count for each in listed.using("other")] == [1, 0]


def test_models_without_an_adapter_stand_alone():
    made = [Unregistered.objects.create(text="a") for _ in range(2)]
    listed = collapse(Unregistered.objects.order_by("pk"), Unregistered.objects.exclude(pk=made[1].pk))
    assert [(each, each.neardup.count) for each in listed] == [(made[0], 0)]


def test_a_list_as_it_was_before(posts):
    listed = collapse(Ad.objects.order_by("pk"), Ad.objects.exclude(pk=posts[5].pk))
    assert places(posts, uncollapse(listed)) == [0, 1, 2, 3, 4]
    assert load_totals(listed) == (5, 3)
    assert load_totals(listed).hidden == 2
    with pytest.raises(GroupingError, match="filtered after"):
        uncollapse(listed.filter(title=""))


@pytest.mark.parametrize(
    ("made", "said"),
    [
        (lambda: Ad.objects.all()[:3], "sliced"),
        (lambda: Ad.objects.union(Ad.objects.all()), "union"),
        (lambda: Ad.objects.values("pk"), "values"),
        (lambda: Ad.objects.values_list("pk"), "values"),
        (lambda: Ad.objects.extra(where=["1 = 1"]), "extra"),
        (lambda: Ad.objects.extra(select={"x": "1"}), "extra"),
        (lambda: Ad.objects.extra(order_by=["pk"]), "extra"),
        (lambda: Ad.objects.distinct("sku"), "distinct"),
        (lambda: collapse(Ad.objects.all()), "already collapsed"),
        (lambda: [1, 2], "list"),
    ],
)
def test_what_cannot_be_collapsed_is_refused(made, said):
    with pytest.raises(GroupingError, match=said):
        collapse(made())


@pytest.mark.parametrize(
    ("visible", "said"),
    [
        (lambda: Ad.objects.all()[:3], "sliced"),
        (lambda: [Topic.objects.all()], "testapp.Ad"),
        (lambda: "ads", "queryset"),
    ],
)
def test_what_cannot_be_visible_is_refused(visible, said):
    with pytest.raises(GroupingError, match=said):
        collapse(Ad.objects.all(), visible())


@isolate_apps("tests.testapp")
def test_a_key_of_another_kind_is_refused():
    class Priced(models.Model):
        price = models.DecimalField(max_digits=5, decimal_places=2, primary_key=True)

        class Meta:
            app_label = "testapp"

    with pytest.raises(GroupingError, match="DecimalField"):
        key_field_type(Priced)
