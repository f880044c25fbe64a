"""What is read of an object: as few queries as the adapter's querysets allow."""

import pytest
from django.db.models import Count, Exists, OuterRef, QuerySet

from django_neardup.adapters import Adapter, adapter_for
from tests.testapp.models import Ad, Article, Comment, LongArticle

pytestmark = pytest.mark.django_db


COMMENTED = Exists(Comment.objects.filter(ad=OuterRef("pk")))


class Own(QuerySet):
    """May do anything when it is filtered."""


QUERYSETS = {
    "all": (lambda: Ad.objects.all(), 1, [True, True]),
    "ordered": (lambda: Ad.objects.order_by("-pk"), 1, [True, True]),
    "related": (lambda: Ad.objects.select_related("author"), 1, [True, True]),
    "filtered": (lambda: Ad.objects.filter(published=True), 2, [True, False]),
    "excluded": (lambda: Ad.objects.exclude(published=True), 2, [False, True]),
    "none": (lambda: Ad.objects.none(), 1, [False, False]),
    "annotated": (lambda: Ad.objects.annotate(n=Count("comments")).filter(n=0), 2, [True, True]),
    "a class of its own": (lambda: Own(Ad), 2, [True, True]),
    "a subquery": (lambda: Ad.objects.filter(COMMENTED), 2, [False, False]),
}  # fmt: skip


@pytest.mark.parametrize("name", QUERYSETS)
def test_a_queryset_is_asked_only_where_it_may_leave_objects_out(name, django_assert_num_queries):
    queryset, queries, expected = QUERYSETS[name]
    keys = [Ad.objects.create(text="диван", published=published).pk for published in (True, False)]

    class Some(Adapter):
        fields = ("text",)

        def live(self):
            return queryset()

    with django_assert_num_queries(queries):
        sources = Some(Ad).sources(keys, "default")
    assert [sources[key].live for key in keys] == [sources[key].compared for key in keys] == expected


def test_compared_and_live_are_told_apart(django_assert_num_queries):
    keys = [Ad.objects.create(text="диван", published=published).pk for published in (True, False)]
    with django_assert_num_queries(2):
        sources = adapter_for(Ad).sources(keys, "default")
    assert [(sources[key].live, sources[key].compared) for key in keys] == [(True, True), (False, True)]


def test_a_queryset_of_children_holds_not_every_parent():
    plain, long = Article.objects.create(text="диван"), LongArticle.objects.create(text="диван")

    class Children(Adapter):
        fields = ("text",)

        def live(self):
            return LongArticle.objects.all()

    sources = Children(Article).sources([plain.pk, long.pk], "default")
    assert (sources[plain.pk].live, sources[long.pk].live) == (False, True)
