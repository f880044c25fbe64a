"""The paginator and the mixin of class-based views."""

import pytest
from django.test import RequestFactory
from django.views.generic import ListView

from django_neardup.listing.views import CollapsedPaginator, SimilarListMixin
from django_neardup.visibility import GroupingError
from tests.grouped_lists import rows
from tests.testapp.models import Ad

pytestmark = [pytest.mark.django_db, pytest.mark.urls("tests.grouped_lists.urls")]


class Adverts(SimilarListMixin, ListView):
    queryset = Ad.objects.order_by("pk")
    template_name = "none.html"
    paginate_by = 2

    def get_queryset(self):
        return super().get_queryset().filter(title__contains=self.request.GET.get("q", ""))


class Whole(Adverts):
    paginate_by = None
    collapse_by = "-pk"

    def get_visible(self, queryset):
        return Ad.objects.filter(published=True)


@pytest.fixture
def posts():
    """Six adverts: 0, 2, 4 are twins and 3, 5 are; 1 stands alone."""
    made = Ad.objects.bulk_create(Ad(title=f"Сваи {number}", text="Сваи") for number in range(6))
    rows.cluster(made[0], made[2], made[4])
    rows.cluster(made[3], made[5])
    return made


def context(view, address=""):
    return view.as_view()(RequestFactory().get("/" + address)).context_data


def shown(posts, found):
    return [posts.index(each) for each in found["object_list"]]


@pytest.mark.parametrize(
    ("address", "separate", "total", "hidden", "pages", "listed"),
    [
        ("", False, 6, 3, 2, [0, 1]),
        ("?page=2", False, 6, 3, 2, [3]),
        ("?similar=all", True, 6, 3, 3, [0, 1]),
        ("?similar=all&page=3", True, 6, 3, 3, [4, 5]),
        ("?similar=yes", False, 6, 3, 2, [0, 1]),
        ("?q=1", False, 1, 0, 1, [1]),
        ("?q=none", False, 0, 0, 1, []),
    ],
)
def test_a_list_view(posts, address, separate, total, hidden, pages, listed):
    found = context(Adverts, address)
    assert (found["separate"], found["total"], found["hidden"]) == (separate, total, hidden)
    assert found["paginator"].num_pages == pages
    assert shown(posts, found) == shown(posts, {"object_list": found["ad_list"]}) == listed


def test_a_list_view_without_pages(posts):
    Ad.objects.filter(pk=posts[5].pk).update(published=False)
    found = context(Whole)
    assert (found["total"], found["hidden"], found["is_paginated"]) == (5, 2, False)
    assert shown(posts, found) == [1, 3, 4]
    assert [each.neardup.count for each in found["object_list"]] == [0, 0, 2]
    assert shown(posts, context(Whole, "?similar=all")) == [0, 1, 2, 3, 4]


def test_what_a_page_costs(posts, django_assert_num_queries):
    with django_assert_num_queries(3):
        list(context(Adverts)["object_list"])
    with django_assert_num_queries(2):
        list(context(Adverts, "?similar=all")["object_list"])


def test_a_paginator(posts):
    pages = CollapsedPaginator(Ad.objects.order_by("pk"), 2, visible=Ad.objects.exclude(pk=posts[0].pk))
    assert [[posts.index(each) for each in page] for page in pages] == [[1, 2], [3]]
    assert (pages.count, pages.total, pages.hidden) == (3, 5, 2)
    every = CollapsedPaginator(Ad.objects.order_by("pk"), 4, orphans=2, separate=True)
    assert [[posts.index(each) for each in page] for page in every] == [[0, 1, 2, 3, 4, 5]]


def test_a_ready_list_is_refused():
    with pytest.raises(GroupingError, match="queryset"):
        CollapsedPaginator([1, 2], 2)
