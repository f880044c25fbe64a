"""The site's own admin: column, filter, link and actions, for those who decide and for nobody else."""

from __future__ import annotations

import uuid
from urllib.parse import parse_qs, urlsplit

import django
import pytest
from django.contrib import admin
from django.contrib.admin import AdminSite
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import path, reverse

from django_neardup.admin import register_pages
from django_neardup.admin.mixins import NearDuplicatesFilter, NearDuplicatesMixin
from django_neardup.models import Document, MergeRecord, Pair
from tests import builders
from tests.admin.test_lists import counts, rows
from tests.admin.tools import page_of
from tests.test_layers import run
from tests.testapp.models import Ad, Article, LongArticle, ScopedPost, SlugPost, Unregistered, UuidPost

pytestmark = [pytest.mark.django_db, pytest.mark.urls(__name__)]

REVIEW, MERGE, VIEW = "neardup.review", "neardup.merge_cluster", "testapp.view_ad"
NAMES = ["neardup_leave", "neardup_hide", "neardup_merge", "neardup_delete"]


class AdAdmin(NearDuplicatesMixin, admin.ModelAdmin):
    list_display = ["title", "published"]
    list_editable = ["published"]
    list_filter = ["published"]
    ordering = ["pk"]
    show_facets = admin.ShowFacets.ALWAYS


class PlainAdmin(NearDuplicatesMixin, admin.ModelAdmin):
    show_facets = admin.ShowFacets.ALWAYS


class OwnPlaces(NearDuplicatesMixin, admin.ModelAdmin):
    list_display = ["neardup_similar", "text"]
    list_filter = [NearDuplicatesFilter]
    actions = None


class OwnPage(NearDuplicatesMixin, admin.ModelAdmin):
    change_form_template = "site/own_change_form.html"


site, bare = AdminSite("admin"), AdminSite("bare")
register_pages(site)
for each in (site, bare):
    each.register(Ad, AdAdmin)
for model in (UuidPost, SlugPost, LongArticle, Unregistered):
    site.register(model, PlainAdmin)
site.register(ScopedPost, OwnPlaces)
site.register(Article, OwnPage)
urlpatterns = [path("admin/", site.urls), path("bare/", bare.urls)]


def list_of(model):
    return reverse(f"admin:{model._meta.app_label}_{model._meta.model_name}_changelist")


def similar(client, **query):
    """The column of the list of adverts: title and number."""
    page = client.get(list_of(Ad), query)
    place = [each["text"] for each in headers(page)].index("Similar")
    return {row[1]: row[place] for row in rows(page)}


def headers(page):
    from django.contrib.admin.templatetags.admin_list import result_headers

    return [{**each, "text": str(each["text"]).capitalize()} for each in result_headers(page.context["cl"])]


def links(page):
    """Where the column leads."""
    found = [getattr(row, "neardup_pending", None) for row in page.context["cl"].result_list]
    return [waits and waits.decision_url("admin") for waits in found]


def actions(page):
    return [name for name, _words in page.context["action_form"].fields["action"].choices if name]


def do(client, name, *ads):
    """Choose an action for those adverts."""
    chosen = {"action": name, "_selected_action": [ad.pk for ad in ads]}
    return client.post(list_of(Ad), chosen)


def asked(response):
    """The path of the confirmation, and what it is asked for."""
    parts = urlsplit(response.headers["Location"])
    return parts.path, parse_qs(parts.query)


# The column -----------------------------------------------------------------------------------------------


def test_the_column_counts_what_waits_and_leads_there(root, ads):
    one, two, three, four, five, six, seven, eight = ads(*"абвгдежз")
    cluster = builders.cluster(one, two, three)
    both = builders.pair(two, four, "variant")
    only = builders.pair(five, six, "contained")
    last = builders.pair(four, seven, "related")
    builders.cluster(eight, *ads("и"), state="resolved")

    page = root.get(list_of(Ad))

    assert list(similar(root).values()) == ["2", "3", "2", "2", "1", "1", "1", "-", "-"]
    group, pair = page_of(cluster), page_of(only)
    pairs = f"{list_of(Pair)}?q={four.pk}&model=testapp.ad"
    assert links(page) == [group, group, group, pairs, pair, pair, page_of(last), None, None]
    assert f'<a href="{group}" aria-label="2 similar posts">2</a>' in page.content.decode()
    assert both.pk in [row.pk for row in root.get(pairs).context["cl"].result_list]


def test_a_page_costs_a_fixed_number_of_queries(root, ads):
    def queries():
        with CaptureQueriesContext(connection) as seen:
            root.get(list_of(Ad))
        return len(seen)

    builders.cluster(*ads("а", "б"))
    builders.pair(*ads("в", "г"), "variant")
    queries()
    few = queries()
    for word in range(5):
        builders.cluster(*ads(f"а{word}", f"б{word}", f"в{word}"))
        builders.pair(*ads(f"г{word}", f"д{word}"), "variant")
    assert queries() == few


def test_rows_can_still_be_edited_in_the_list(root, ads):
    one, two = ads("а", "б")
    builders.cluster(one, two)
    page = root.get(list_of(Ad))
    form = page.context["cl"].formset
    data = {f"form-{name}": value for name, value in form.management_form.initial.items()}
    data |= {f"form-{number}-id": ad.pk for number, ad in enumerate((one, two))}
    assert root.post(list_of(Ad), {**data, "form-0-published": "on", "_save": "Save"}).status_code == 302
    assert list(Ad.objects.order_by("pk").values_list("published", flat=True)) == [True, False]


# Who ------------------------------------------------------------------------------------------------------


@pytest.mark.engine_alike
@pytest.mark.parametrize(
    ("permissions", "expected"),
    [
        ([VIEW], []),
        ([VIEW, "neardup.view_cluster", "neardup.view_pair"], []),
        ([VIEW, REVIEW], ["neardup_leave", "neardup_hide", "neardup_delete"]),
        ([VIEW, MERGE], ["neardup_hide", "neardup_merge", "neardup_delete"]),
        ([VIEW, REVIEW, MERGE], NAMES),
    ],
)
def test_only_who_decides_sees_it(person, ads, permissions, expected):
    one, two = ads("а", "б")
    builders.cluster(one, two)
    client = person(*permissions)

    page, form = client.get(list_of(Ad)), client.get(reverse("admin:testapp_ad_change", args=[one.pk]))

    shown = bool(expected)
    assert (actions(page) if page.context["action_form"] else []) == expected
    assert any(each["text"] == "Similar" for each in headers(page)) is shown
    assert any(isinstance(each, NearDuplicatesFilter) for each in page.context["cl"].filter_specs) is shown
    assert ("1 similar post" in page.content.decode()) is shown
    assert ("1 similar post" in form.content.decode()) is shown
    if not shown:
        assert client.get(list_of(Ad), {"neardup": "waiting"}).status_code == 302
        assert "decide" not in do(client, "neardup_hide", one).headers.get("Location", "")
    assert Ad.objects.filter(published=True).count() == 2


def test_without_the_pages_to_decide_nothing_is_added(root, ads):
    builders.cluster(*ads("а", "б"))
    page = root.get("/bare/testapp/ad/")
    assert actions(page) == ["delete_selected"]
    assert "neardup" not in page.content.decode()


def test_of_a_model_that_is_not_registered_nothing_is_added(root):
    made = Unregistered.objects.create(text="t")
    page = root.get(list_of(Unregistered))
    assert actions(page) == ["delete_selected"]
    assert (len(headers(page)), page.context["cl"].filter_specs) == (2, [])
    assert root.get(reverse("admin:testapp_unregistered_change", args=[made.pk])).status_code == 200


def test_a_site_may_place_the_column_and_filter_itself_and_leave_the_actions_out(root, person):
    one, two = (ScopedPost.objects.create(site=1, text=text) for text in "аб")
    builders.cluster(one, two)
    page = root.get(list_of(ScopedPost))
    assert [row[0] for row in rows(page)] == ["1", "1"]
    assert len(page.context["cl"].filter_specs) == 1
    assert page.context["action_form"] is None
    other = person("testapp.view_scopedpost").get(list_of(ScopedPost))
    assert [each["text"] for each in headers(other)] == ["Text"]
    assert not other.context["cl"].filter_specs


# The filter -----------------------------------------------------------------------------------------------

MAKE = {
    Ad: lambda number: Ad.objects.create(text=f"t{number}"),
    UuidPost: lambda number: UuidPost.objects.create(pk=uuid.UUID(int=number + 1), text="t"),
    SlugPost: lambda number: SlugPost.objects.create(pk=f"slug-{number}", text="t"),
    LongArticle: lambda number: LongArticle.objects.create(text=f"t{number}"),
}


@pytest.mark.parametrize("model", MAKE, ids=lambda model: model.__name__)
def test_the_filter_on_every_kind_of_key(root, model):
    posts = [MAKE[model](number) for number in range(8)]
    for post in posts[:7]:
        builders.document(post)
    builders.cluster(posts[0], posts[1])
    builders.cluster(posts[2], posts[3], state="resolved")
    builders.pair(posts[4], posts[5], "variant")
    expected = {"waiting": [0, 1, 4, 5], "grouped": [0, 1, 2, 3], "none": [6, 7], "all": range(8)}

    for value, numbers in expected.items():
        page = root.get(list_of(model), {"neardup": value})
        assert {row.pk for row in page.context["cl"].result_list} == {posts[n].pk for n in numbers}, value
    page = root.get(list_of(model))
    assert list(counts(page, "near-duplicates").values()) == [4, 4, 2, 8]


# The actions ----------------------------------------------------------------------------------------------


def test_an_action_leads_to_the_confirmation_with_the_chosen_posts_ticked(root, ads):
    one, two, three, four, five, six = ads(*"абвгде")
    cluster = builders.cluster(one, two, three)
    across = builders.pair(two, four, "variant")
    apart = builders.pair(five, six, "contained")
    number = {ad: Document.objects.get(object_id=str(ad.pk)).pk for ad in (one, two, three, four, five, six)}

    def choice(*chosen):
        where, what = asked(do(root, "neardup_hide", *chosen))
        assert where == reverse("admin:neardup_queue_decide", args=["hide"])
        assert what["ticked"] == ["1"]
        return what["id"], [ad for ad in number if str(number[ad]) in what.get("member", [])]

    group, pair, other = f"c{cluster.pk}", f"p{across.pk}", f"p{apart.pk}"
    assert choice(two) == ([group], [two])
    assert choice(one, two) == ([group], [one, two])
    assert choice(one) == ([group], [one, two, three])
    assert choice(two, four) == ([group, pair], [two])
    assert choice(four) == ([pair], [])
    assert choice(five) == ([other], [])
    assert choice(two, five) == ([group, other], [two])
    assert choice(three, four) == ([group, pair], [three])


def test_of_a_pair_both_take_part_and_of_a_group_those_that_were_chosen(root, ads):
    one, two, three, four = ads(*"абвг")
    cluster, pair = builders.cluster(one, two, three), builders.pair(two, four, "variant")
    page = root.get(do(root, "neardup_hide", three, four).headers["Location"])
    number = {ad: Document.objects.get(object_id=str(ad.pk)).pk for ad in (one, two, three, four)}
    stays = {
        plan["preview"].item.item_key: plan["preview"].item.keeper_document.pk
        for plan in page.context["plans"]
    }
    goes = {
        plan["preview"].item.item_key: [each.pk for each in plan["preview"].item.selected_documents]
        for plan in page.context["plans"]
    }
    assert stays == {f"c{cluster.pk}": number[one], f"p{pair.pk}": number[two]}
    assert goes == {f"c{cluster.pk}": [number[three]], f"p{pair.pk}": [number[four]]}


@pytest.mark.parametrize("name", NAMES)
def test_the_confirmation_takes_it_and_nothing_is_done_before(root, ads, name):
    one, two = ads("а", "б")
    builders.cluster(one, two)
    response = do(root, name, two)
    assert root.get(response.headers["Location"]).status_code == 200
    assert not MergeRecord.objects.exists()
    assert Ad.objects.filter(published=True).count() == 2


def test_what_cannot_be_decided_is_said(root, ads):
    one, two, three = ads("а", "б", "в")
    builders.cluster(one, two, size=101)
    for chosen, words in ((three, "Nothing to review for"), (one, "101 were selected, but at most 100")):
        page = root.post(
            list_of(Ad), {"action": "neardup_hide", "_selected_action": [chosen.pk]}, follow=True
        )
        assert words in page.content.decode()


# The page of one post -------------------------------------------------------------------------------------


@pytest.mark.engine_alike
def test_the_link_on_the_page_of_a_post(root, ads):
    one, two, three = ads("а", "б", "в")
    cluster = builders.cluster(one, two)
    page = root.get(reverse("admin:testapp_ad_change", args=[one.pk])).content.decode()
    assert f'<li><a href="{page_of(cluster)}" class="neardup-link">1 similar post</a></li>' in page
    assert "historylink" in page
    assert (
        "neardup-link" not in root.get(reverse("admin:testapp_ad_change", args=[three.pk])).content.decode()
    )
    assert root.get(reverse("admin:testapp_ad_add")).status_code == 200


@pytest.mark.engine_alike
def test_the_link_on_a_page_of_the_site_s_own(root, settings, tmp_path):
    (tmp_path / "site").mkdir()
    own = '{% extends "admin/change_form.html" %}{% block form_top %}own words{% endblock %}'
    (tmp_path / "site" / "own_change_form.html").write_text(own)
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    one, two = (Article.objects.create(text=text) for text in "аб")
    builders.cluster(one, two)
    page = root.get(reverse("admin:testapp_article_change", args=[one.pk])).content.decode()
    assert "own words" in page
    assert "1 similar post" in page


@pytest.mark.skipif(django.VERSION < (6, 1), reason="actions stand on lists alone before Django 6.1")
def test_the_actions_on_the_page_of_a_post(root, ads):
    one, two = ads("а", "б")
    builders.cluster(one, two)
    url = reverse("admin:testapp_ad_change", args=[two.pk])
    form = root.get(url).context["action_form"]
    words = dict(form.fields["action"].choices)
    assert [name for name in words if name] == NAMES
    assert words["neardup_hide"] == "Similar: hide as a duplicate…"
    response = root.post(url, {form["action"].html_name: "neardup_hide", "_selected_action": [two.pk]})
    assert asked(response)[0] == reverse("admin:neardup_queue_decide", args=["hide"])


@pytest.mark.engine_alike
def test_the_checks_of_django_s_admin_are_content():
    for each in (site, bare):
        assert each.check(None) == []


@pytest.mark.engine_alike
def test_it_loads_nothing_heavy():
    run(
        """
import sys, django
django.setup()
import django_neardup.admin.mixins
heavy = {"numpy", "pymorphy3", "scipy", "pandas", "rapidfuzz"} & set(sys.modules)
assert not heavy, heavy
""",
        DJANGO_SETTINGS_MODULE="tests.settings",
        NEARDUP_TEST_DATABASE="sqlite",
    )
