"""Staff of one tenant see and decide nothing of another, and nobody decides on posts that they may not see.

Every address and every act: ``tests/permissions``.
"""

import re

import pytest
from django.contrib import admin
from django.contrib.auth import get_user_model
from django.contrib.auth.models import Permission
from django.core.exceptions import ImproperlyConfigured
from django.test import Client
from django.urls import reverse

import django_neardup as neardup
from django_neardup import registry
from django_neardup.admin.merge_record_admin import MergeRecordAdmin
from django_neardup.admin.moved_url_admin import MovedUrlAdmin
from django_neardup.models import (
    Cluster,
    Decision,
    DecisionMember,
    Document,
    Hold,
    Membership,
    MergeRecord,
    MovedUrl,
    Pair,
    Queue,
)
from django_neardup.moderation.undo import permission_check
from django_neardup.pipeline import decide
from django_neardup.pipeline.open_items import rebuild_open_items
from tests import builders
from tests.admin.tools import confirm, fields, list_of, look, page_of, url_of
from tests.pipeline.helpers import PIANO, PILES, SOFA, document, work
from tests.testapp.models import Ad, Comment, ScopedPost
from tests.testapp.neardup import AdNeardup

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]

WORDS = {1: "альфасайт", 2: "бетасайт"}
"""A word of the posts of each tenant."""
LISTS = (Queue, Cluster, Pair, Decision, Document, MergeRecord, MovedUrl)
PERMISSIONS = (
    "neardup.review", "neardup.merge_cluster", "testapp.change_scopedpost", "testapp.delete_scopedpost",
    "testapp.view_scopedpost", "testapp.view_ad",
)  # fmt: skip


class TenantNeardup(neardup.Adapter):
    """Posts of tenants. A user sees the tenants whose numbers stand in the user's name."""

    fields = ["text"]
    scope = ["site"]

    def visible(self, request):
        return ScopedPost.objects.filter(site__in=sites_of(request.user))

    def visible_spaces(self, user):
        return None if user.is_superuser else [(site,) for site in sites_of(user)]

    def url(self, post):
        return f"/posts/{WORDS[post.site]}/{post.pk}/"


class TenantAdmin(admin.ModelAdmin):
    def get_queryset(self, request):
        sites = WORDS if request.user.is_superuser else sites_of(request.user)
        return super().get_queryset(request).filter(site__in=sites)


def sites_of(user):
    return [int(digit) for digit in re.findall(r"\d", user.get_username())]


@pytest.fixture
def tenants(monkeypatch):
    """Two tenants with the same things: a group, a doubtful pair, a merge, a decision, a moved address."""
    monkeypatch.setitem(registry._registry, ScopedPost, TenantNeardup(ScopedPost))
    admin.site.register(ScopedPost, TenantAdmin)
    owner = get_user_model().objects.create_superuser("owner")
    boss = Client()
    boss.force_login(owner)
    for site, word in WORDS.items():
        made = [
            ScopedPost.objects.create(site=site, text=f"{text} {word}")
            for text in (SOFA, f"{SOFA} Торг.", PIANO, f"{PIANO} Торг.", f"{PIANO} Срочно.")
        ]
        made += [
            ScopedPost.objects.create(site=site, text=f"{PILES.format(model)} {word}")
            for model in ("С140.35", "С90.30", "С80.30")
        ]
        work()
        decide("different", [document(post) for post in made[5:7]], owner, "default")
        group = Cluster.objects.get(memberships__document=document(made[2]))
        confirm(boss, "merge", group)
        work()
    rebuild_open_items("default")
    yield
    admin.site.unregister(ScopedPost)


def person(name):
    """A client of a member of staff who may do everything with posts of their tenants."""
    user = get_user_model().objects.create_user(name, is_staff=True)
    for each in PERMISSIONS:
        label, codename = each.split(".")
        user.user_permissions.add(Permission.objects.get(content_type__app_label=label, codename=codename))
    client = Client()
    client.force_login(user)
    return client


@pytest.mark.parametrize("site", WORDS)
def test_numbers_count_what_is_seen(site, tenants):
    everything = person("both 1 2").get(list_of(Queue)).context["page"]
    page = person(f"tenant {site}").get(list_of(Queue)).context["page"]
    for number in ("unfiltered_count", "decision_count", "decisions_today_count"):
        assert 0 < 2 * getattr(page, number) == getattr(everything, number)
    assert [2 * tab.count for tab in page.tabs] == [tab.count for tab in everything.tabs]
    assert 2 * page.document_counts["posts"] == everything.document_counts["posts"]
    assert not [panel for panel in page.filter_panels if panel.title == "Scope"]


@pytest.mark.parametrize("site", WORDS)
def test_a_held_post_that_was_never_compared_is_seen_by_its_tenant(site, tenants):
    post = ScopedPost.objects.create(site=site, text=f"{SOFA} " * 6_000)
    work()
    held = document(post)
    assert (held.reason, held.space) == ("too long", None)
    Hold.objects.create(document=held, state=Hold.State.REVIEW)
    for tenant in WORDS:
        client = person(f"tenant {tenant}")
        for page in (list_of(Hold), list_of(Queue)):
            shown = client.get(page).content.decode()
            assert (str(post) in shown) == (tenant == site)


def test_who_may_see_no_space_sees_nothing(tenants):
    client = person("newcomer")
    shown = "".join(client.get(list_of(model)).content.decode() for model in LISTS)
    assert not [word for word in WORDS.values() if word in shown]
    assert client.get(list_of(Queue)).context["page"].unfiltered_count == 0


def test_a_scope_of_another_length_is_named(tenants, monkeypatch):
    monkeypatch.setattr(TenantNeardup, "visible_spaces", lambda adapter, user: [1])
    with pytest.raises(ImproperlyConfigured, match=r"visible_spaces\(\) returned 1: return tuples"):
        person("tenant 1").get(list_of(Queue))


def test_the_title_of_a_merged_post_is_read_by_those_who_may_see_the_keeper(root, ads):
    keeper, loser = ads("сегодня", "завтра")
    Ad.objects.filter(pk=loser.pk).update(title=WORDS[2])
    confirm(root, "merge", builders.cluster(keeper, loser))
    record = MergeRecord.objects.get()
    undo = reverse("admin:neardup_mergerecord_undo", args=[record.batch])
    pages = [list_of(MergeRecord), page_of(record), f"{list_of(Queue)}?tab=decided", undo]
    client = person("clerk")

    def readable():
        return {WORDS[2] in client.get(page).content.decode() for page in pages}

    assert readable() == {True}
    # The site and its admin do not show the keeper to the clerk any more.
    Ad.objects.update(published=False, sku="secret")
    assert readable() == {False}


TEXTS_OF_POSTS = {MergeRecord: ("loser_text", "keeper_text"), MovedUrl: ("path",)}
"""Columns that quote posts."""


def orders_of(client, model):
    """Return the rows of a list, sorted by each of its columns."""
    columns = range(1 + len(admin.site.get_model_admin(model).list_display))
    lists = (client.get(list_of(model), {"o": column}).context["cl"].result_list for column in columns)
    return [[row.pk for row in rows] for rows in lists]


class TestTitlesThatTheyMayNotRead:
    @pytest.fixture
    def hidden(self, root, ads):
        """Two merges of posts that nobody but the owner of the site sees."""
        keeper, first, second = ads("а", "б", "в")
        confirm(root, "merge", builders.cluster(keeper, first, second))
        Ad.objects.update(published=False, sku="secret")
        return [
            list(model.objects.filter(**{f"{columns[0]}__gt": ""}).order_by("pk"))
            for model, columns in TEXTS_OF_POSTS.items()
        ]

    def orders_change(self, hidden):
        """Return the lists whose order depends on the hidden words."""
        client, changed = person("clerk"), set()
        for rows in hidden:
            assert len(rows) == 2
            orders = []
            for words in (("ааа", "яяя"), ("яяя", "ааа")):
                for row, word in zip(rows, words):
                    for column in TEXTS_OF_POSTS[type(row)]:
                        setattr(row, column, f"/{word}/{row.pk}/" if column == "path" else word)
                    row.save()
                orders.append(orders_of(client, type(row)))
            if orders[0] != orders[1]:
                changed.add(type(rows[0]))
        return changed

    def test_no_list_can_be_sorted_by_them(self, hidden):
        assert self.orders_change(hidden) == set()

    def test_control_a_sorted_list_tells_their_order(self, hidden, monkeypatch):
        monkeypatch.setattr(MergeRecordAdmin.post, "admin_order_field", "loser_text", raising=False)
        monkeypatch.setattr(MovedUrlAdmin.old_address, "admin_order_field", "path", raising=False)
        assert self.orders_change(hidden) == {MergeRecord, MovedUrl}


class TestHiddenPosts:
    """The site hides a post, and a reviewer has no permission to see it."""

    @pytest.fixture
    def reviewer(self, db):
        user = get_user_model().objects.create_user("reviewer", is_staff=True)
        user.user_permissions.add(Permission.objects.get(codename="review"))
        client = Client()
        client.force_login(user)
        return client

    def test_a_decision_leaves_them_as_they_are(self, reviewer, ads):
        one, hidden, two = ads("а", "б", "в")
        Ad.objects.filter(pk=hidden.pk).update(published=False)
        cluster = builders.cluster(one, hidden, two)
        page = look(reviewer, "leave", cluster)
        assert "1 post that you cannot see stays unchanged" in page.content.decode()
        assert confirm(reviewer, "leave", cluster).status_code == 302
        members = {row.document for row in DecisionMember.objects.select_related("document")}
        assert members == {builders.document(one), builders.document(two)}

    def test_a_hidden_leader_stays_as_it_is_too(self, reviewer, ads):
        hidden, one, two = ads("а", "б", "в")
        Ad.objects.filter(pk=hidden.pk).update(published=False)
        cluster = builders.cluster(hidden, one, two)
        assert confirm(reviewer, "leave", cluster).status_code == 302
        members = set(DecisionMember.objects.values_list("document", flat=True))
        assert members == {builders.document(one).pk, builders.document(two).pk}

    def test_nothing_is_decided_on_one_visible_post(self, reviewer, ads, monkeypatch):
        # They are live: only some visitors see them.
        monkeypatch.setattr(AdNeardup, "visible", lambda adapter, request: Ad.objects.exclude(sku="secret"))
        one, hidden, other, concealed = ads("а", "б", "в", "г")
        Ad.objects.filter(pk__in=[hidden.pk, concealed.pk]).update(sku="secret")
        pair = builders.pair(one, hidden, "variant", doubtful=True)
        for source in (pair, builders.cluster(other, concealed)):
            page = look(reviewer, "leave", source)
            assert "see these posts" in page.content.decode()
            assert reviewer.post(url_of(source, "leave"), fields(page)).status_code == 403
        assert not Decision.objects.exists()

    def test_a_decision_on_them_is_not_taken_back(self, reviewer, root, ads):
        one, two = ads("а", "б")
        pair = builders.pair(one, two, "variant", doubtful=True)
        decision = decide("different", [pair.a, pair.b], root.user, "default")
        Ad.objects.filter(pk=two.pk).update(published=False)
        withdraw = reverse("admin:neardup_decision_withdraw", args=[decision.pk])
        assert reviewer.post(withdraw).status_code == 403
        action = {"action": "withdraw_selected", "_selected_action": [decision.pk]}
        answer = reviewer.post(list_of(Decision), action, follow=True)
        assert "1 decision was not withdrawn: you cannot see all its posts." in answer.content.decode()
        undo = reverse("admin:neardup_mergerecord_undo", args=[decision.batch])
        assert reviewer.post(undo, {"decision": [decision.pk]}).status_code == 403
        assert Decision.objects.get().withdrawn is None
        assert root.post(withdraw).status_code == 302 and Decision.objects.get().withdrawn is not None

    @pytest.mark.parametrize(
        "is_hidden, is_checked, status",
        [(True, True, 403), (False, True, 302), pytest.param(True, False, 302, id="control")],
    )
    def test_an_undo_takes_nothing_from_the_post_that_its_keeper_was_merged_into(
        self, is_hidden, is_checked, status, root, ads, monkeypatch
    ):
        if not is_checked:
            monkeypatch.setattr(permission_check, "_later_keeper", lambda plan: None)
        last, keeper, loser = ads("а", "б", "в")
        Comment.objects.create(ad=loser, text="к")
        confirm(root, "merge", builders.cluster(keeper, loser))
        record = MergeRecord.objects.get()
        Cluster.objects.all().delete()
        confirm(root, "merge", builders.cluster(last, keeper))
        comment = Comment.objects.get()
        assert comment.ad == last
        if is_hidden:
            Ad.objects.filter(pk=last.pk).update(sku="secret", published=False)
        user = get_user_model().objects.create_user("clerk", is_staff=True)
        names = ("review", "merge_cluster", "change_ad", "delete_ad", "change_comment", "delete_comment")
        user.user_permissions.set(Permission.objects.filter(codename__in=names))
        client = Client()
        client.force_login(user)
        undo = reverse("admin:neardup_mergerecord_undo", args=[record.batch])
        assert client.post(undo, {"record": [record.pk]}).status_code == status
        assert Ad.objects.filter(pk=loser.pk).exists() == (status == 302)
        comment.refresh_from_db()
        assert (comment.ad == last) == (status == 403)

    def test_the_rest_of_a_group_is_remembered_without_them(self, root, ads, monkeypatch):
        keeper, loser, rest, hidden = ads("а", "б", "в", "г")
        cluster = builders.cluster(keeper, loser, rest, hidden)
        user = get_user_model().objects.create_user("clerk", is_staff=True)
        for name in ("review", "merge_cluster", "change_ad", "delete_ad"):
            user.user_permissions.add(Permission.objects.get(codename=name))
        client = Client()
        client.force_login(user)
        conceal = {"sku": "secret", "published": False}
        Ad.objects.filter(pk=hidden.pk).update(**conceal)
        chosen = [builders.document(each).pk for each in (keeper, loser)]
        confirm(client, "hide", cluster, ticked=1, member=chosen, rest=1)
        members = set(DecisionMember.objects.values_list("document", flat=True))
        assert builders.document(rest).pk in members and builders.document(hidden).pk not in members
        assert Membership.objects.filter(document=builders.document(hidden)).exists()
        assert page_of(cluster)
