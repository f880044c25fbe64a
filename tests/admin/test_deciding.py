"""From a list or a page to the deed: nothing without a confirmation, nothing on what has changed since."""

from urllib.parse import urlencode

import pytest
from django.contrib.admin.models import CHANGE, DELETION
from django.db import connections
from django.test import Client
from django.urls import resolve, reverse

from django_neardup.models import Cluster, Decision, Document, MergeRecord, MovedUrl, Pair
from django_neardup.pipeline import drain
from tests import builders
from tests.admin.tools import OUTCOMES, confirm, fields, list_of, look, page_of, told, url_of
from tests.moderation.tools import history, snapshot
from tests.testapp.models import Ad, Author, Comment, Favourite, Invoice, ScopedPost, Statistics

pytestmark = pytest.mark.django_db


@pytest.mark.engine_alike
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_looking_changes_nothing(outcome, root, cluster):
    before = snapshot()

    assert look(root, outcome, cluster).status_code == 200
    assert snapshot() == before


def members(cluster):
    """The adverts of the cluster, its representative first."""
    keys = cluster.memberships.order_by("document").values_list("document__object_id", flat=True)
    return list(Ad.objects.filter(pk__in=[int(key) for key in keys]).order_by("pk"))


class TestWholeCluster:
    def test_merge(self, root, cluster):
        keeper, *losers = members(cluster)
        for loser in losers:
            Comment.objects.create(ad=loser, text="c")

        answer = confirm(root, "merge", cluster)

        assert (answer.status_code, answer.url) == (302, list_of(Cluster))
        assert list(Ad.objects.all()) == [keeper]
        assert Comment.objects.filter(ad=keeper).count() == 2
        assert told(answer) == ["Merged: 1 group."]
        assert sorted(history()) == sorted(
            [(str(keeper), CHANGE), *((str(loser), DELETION) for loser in losers)]
        )
        records = MergeRecord.objects.all()
        assert {
            (each.cluster, each.keeper_id, each.score, each.verdict, each.by_name) for each in records
        } == {(cluster.pk, str(keeper.pk), 0.9167, "duplicate", "root")}

    def test_hide(self, root, cluster):
        keeper, *losers = members(cluster)

        confirm(root, "hide", cluster)

        assert list(Ad.objects.filter(published=True)) == [keeper]
        assert sorted(history()) == sorted((str(loser), CHANGE) for loser in losers)

    def test_delete(self, root, cluster):
        keeper, *losers = members(cluster)

        confirm(root, "delete", cluster)

        assert list(Ad.objects.all()) == [keeper]
        assert sorted(history()) == sorted((str(loser), DELETION) for loser in losers)
        assert set(MovedUrl.objects.values_list("object_id", flat=True)) == {str(keeper.pk)}

    def test_delete_without_a_redirect(self, root, cluster):
        seen = fields(look(root, "delete", cluster))
        assert root.post(url_of(cluster, "delete"), {**seen, "gone": "1"}).status_code == 302
        assert set(MovedUrl.objects.values_list("object_id", flat=True)) == {""}

    def test_leave(self, root, cluster):
        ads = members(cluster)

        confirm(root, "leave", cluster)

        decision = Decision.objects.get()
        assert (decision.kind, decision.by_name, decision.members.count()) == ("different", "root", 3)
        assert not Cluster.objects.exists()
        assert sorted(history()) == sorted((str(ad), CHANGE) for ad in ads)
        assert Ad.objects.filter(published=True).count() == 3

    @pytest.mark.parametrize("outcome", ["hide", "merge", "delete"])
    def test_it_leaves_the_list_at_once(self, outcome, root, cluster):
        confirm(root, outcome, cluster)

        assert not root.get(list_of(Cluster)).context["cl"].result_list
        assert Cluster.objects.get().state == Cluster.State.RESOLVED

    @pytest.mark.parametrize("outcome", ["hide", "merge", "delete"])
    def test_the_documents_are_marked(self, outcome, root, cluster):
        losers = members(cluster)[1:]

        confirm(root, outcome, cluster)

        for loser in losers:
            document = Document.objects.get(object_id=str(loser.pk))
            assert document.wanted > document.done


class TestTicks:
    def test_only_the_ticked_take_part(self, root, cluster):
        keeper, one, two = members(cluster)

        confirm(root, "hide", cluster, ticked="1", member=[document(one).pk])

        assert list(Ad.objects.filter(published=False)) == [one]
        cluster.refresh_from_db()
        assert cluster.state == Cluster.State.OPEN

    def test_those_left_are_set_against_the_rest(self, root, cluster):
        keeper, one, two = members(cluster)

        confirm(root, "leave", cluster, ticked="1", member=[document(one).pk])

        sides = dict(Decision.objects.get().members.values_list("document__object_id", "side"))
        assert sides == {str(keeper.pk): 2, str(one.pk): 1, str(two.pk): 2}

    def test_without_the_first_the_others_leave_it_together(self, root, cluster):
        keeper, one, two = members(cluster)

        confirm(root, "leave", cluster, ticked="1", member=[document(one).pk, document(two).pk])

        sides = dict(Decision.objects.get().members.values_list("document__object_id", "side"))
        assert sides == {str(keeper.pk): 2, str(one.pk): 1, str(two.pk): 1}

    def test_none_ticked_is_not_all(self, root, cluster):
        before = snapshot()

        came = {"_list": "queue", "_changelist_filters": "o=age"}
        answer = look(root, "delete", cluster, ticked="1", **came)

        assert (answer.status_code, answer.url) == (302, f"{page_of(cluster)}?{urlencode(came)}")
        assert "select at least one" in told(answer)[0]
        assert snapshot() == before

    def test_members_of_other_clusters_are_not_reached(self, root, cluster, ads):
        other = builders.cluster(*ads("а", "б"))
        alien = other.memberships.exclude(document=other.leader).get().document_id
        before = snapshot()

        assert look(root, "delete", cluster, ticked="1", member=[alien]).status_code == 409
        seen = fields(look(root, "delete", cluster))
        answer = root.post(url_of(cluster, "delete"), {**seen, "ticked": "1", "member": [alien]})
        assert answer.status_code == 409
        assert snapshot() == before

    def test_the_page_of_a_cluster_leads_to_the_confirmations(self, root, cluster):
        page = root.get(page_of(cluster))

        assert fields(page)["id"] == [f"c{cluster.pk}"]
        assert fields(page)["ticked"] == ["1"]
        for outcome in OUTCOMES:
            assert f'formaction="{url_of(cluster, outcome)}"' in page.content.decode()
        assert page.content.decode().count('name="member"') == 3


def document(ad):
    return Document.objects.get(object_id=str(ad.pk), content_type__model="ad")


class TestActions:
    def choose(self, client, action, model, keys, **data):
        return client.post(list_of(model), {"action": action, "_selected_action": keys, **data})

    @pytest.mark.engine_alike
    @pytest.mark.parametrize(
        ("action", "outcome"),
        [
            ("leave_selected", "leave"), ("hide_selected", "hide"), ("merge_selected", "merge"),
            ("delete_selected_duplicates", "delete"),
        ],
    )  # fmt: skip
    def test_an_action_leads_to_a_confirmation_and_changes_nothing(self, action, outcome, root, cluster):
        before = snapshot()

        answer = self.choose(root, action, Cluster, [cluster.pk])

        assert (answer.status_code, answer.url) == (
            302,
            f"{url_of(cluster, outcome)}?id=c{cluster.pk}&_list=cluster",
        )
        assert snapshot() == before

    def test_several_clusters_at_once(self, root, cluster, ads):
        second = builders.cluster(*ads("а", "б"))

        answer = confirm(root, "hide", cluster, second)

        assert told(answer) == ["Duplicates hidden in 2 groups."]
        assert Ad.objects.filter(published=False).count() == 3

    @pytest.mark.engine_alike
    def test_the_filters_of_the_list_are_kept(self, root, cluster):
        answer = root.post(
            f"{list_of(Cluster)}?size=3-5", {"action": "hide_selected", "_selected_action": [cluster.pk]}
        )
        seen = root.get(answer.url)
        done = root.post(url_of(cluster, "hide"), fields(seen))

        assert done.url == f"{list_of(Cluster)}?size=3-5"

    def test_nobody_is_led_elsewhere(self, root, cluster):
        answer = confirm(root, "hide", cluster, _changelist_filters="//evil.example/\\evil")

        assert answer.url.startswith(f"{list_of(Cluster)}?")

    def test_too_many_clusters(self, root, cluster, monkeypatch):
        monkeypatch.setattr("django_neardup.admin.selection_limits.MAX_OBJECTS", 0)

        answer = self.choose(root, "hide_selected", Cluster, [cluster.pk])

        assert told(answer) == ["Nothing was changed: 1 were selected, but at most 0 can be decided at once."]

    def test_too_many_objects(self, root, cluster, monkeypatch):
        before = snapshot()
        seen = fields(look(root, "hide", cluster))
        monkeypatch.setattr("django_neardup.admin.decision_view.MAX_OBJECTS", 2)

        for answer in (look(root, "hide", cluster), root.post(url_of(cluster, "hide"), seen)):
            assert (answer.status_code, answer.url) == (302, f"{page_of(cluster)}?_list=cluster")
            assert "3 were selected" in told(answer)[0]
        assert snapshot() == before

    @pytest.mark.engine_alike
    def test_actions_are_offered_to_those_who_may_begin_them(self, person, cluster):
        reviewer, merger = person("neardup.review"), person("neardup.merge_cluster", name="m")

        def offered(client):
            choices = client.get(list_of(Cluster)).context["action_form"].fields["action"].choices
            return {value for value, _words in choices if value}

        assert offered(reviewer) == {"leave_selected", "hide_selected", "delete_selected_duplicates"}
        assert offered(merger) == {"merge_selected", "hide_selected", "delete_selected_duplicates"}


def edited(cluster):
    ad = members(cluster)[1]
    Ad.objects.filter(pk=ad.pk).update(text="совсем другой текст о сваях и ценах на них")


def finished_turn(cluster):
    Document.objects.filter(pk=cluster.memberships.last().document_id).update(version=99)


def grown(cluster):
    (ad,) = [Ad.objects.create(text="ещё одно объявление о сваях железобетонных")]
    cluster.memberships.create(
        **builders.place_of(builders.document(ad)), scheme=builders.scheme(), reason="duplicate"
    )


def shrunk(cluster):
    cluster.memberships.last().delete()


def resolved(cluster):
    Cluster.objects.update(state=Cluster.State.RESOLVED)


def dissolved(cluster):
    cluster.memberships.all().delete()
    cluster.delete()


def deleted(cluster):
    members(cluster)[1].delete()


CHANGES = [edited, finished_turn, grown, shrunk, resolved, dissolved, deleted]


@pytest.mark.parametrize("change", CHANGES, ids=lambda change: change.__name__)
@pytest.mark.parametrize("outcome", OUTCOMES)
def test_what_has_changed_since_is_not_decided(change, outcome, root, cluster):
    seen = fields(look(root, outcome, cluster))
    url = url_of(cluster, outcome)
    change(cluster)
    before = snapshot()

    answer = root.post(url, seen)

    assert answer.status_code == 409
    assert "Nothing was changed" in answer.content.decode()
    assert snapshot() == before


@pytest.mark.engine_alike
@pytest.mark.parametrize("token", [None, "", "0" * 32])
def test_a_post_needs_what_was_seen(token, root, cluster):
    before = snapshot()
    data = {"id": f"c{cluster.pk}"} if token is None else {"id": f"c{cluster.pk}", "token": token}

    assert root.post(url_of(cluster, "delete"), data).status_code == 409
    assert snapshot() == before


def test_the_back_button_decides_nothing_twice(root, cluster):
    seen = fields(look(root, "hide", cluster))
    assert root.post(url_of(cluster, "hide"), seen).status_code == 302
    before, batch = snapshot(), MergeRecord.objects.values_list("batch", flat=True)[0]

    answer = root.post(url_of(cluster, "hide"), seen)
    assert answer.status_code == 409
    assert "You already decided this" in answer.content.decode()
    assert reverse("admin:neardup_mergerecord_undo", args=[batch]) in answer.content.decode()
    assert "decided on" in root.post(url_of(cluster, "delete"), seen).content.decode()
    assert snapshot() == before


def test_what_was_remembered_of_the_rest_is_not_the_deed(root, cluster):
    seen = fields(
        look(root, "hide", cluster, ticked="1", member=[document(members(cluster)[1]).pk], rest="1")
    )
    root.post(url_of(cluster, "hide"), seen)

    assert Decision.objects.count() == 1
    assert "ago: hidden." in root.post(url_of(cluster, "hide"), seen).content.decode()


def test_a_change_between_the_click_and_the_lock_is_noticed(root, cluster, monkeypatch):
    from django_neardup import moderation

    hide = moderation.hide

    def late(*args):
        edited(cluster)
        return hide(*args)

    seen = fields(look(root, "hide", cluster))
    monkeypatch.setattr("django_neardup.moderation.hide", late)

    assert root.post(url_of(cluster, "hide"), seen).status_code == 409
    assert Ad.objects.filter(published=True).count() == 3


def test_one_changed_group_stops_all_that_were_shown_together(root, cluster, ads):
    second = builders.cluster(*ads("а", "б"))
    seen = fields(look(root, "hide", cluster, second))
    edited(second)
    before = snapshot()

    assert root.post(url_of(cluster, "hide"), seen).status_code == 409
    assert snapshot() == before


class TestRefusals:
    def test_a_clash_is_shown_before_and_after_the_click(self, root, cluster):
        keeper, loser, _third = members(cluster)
        for ad in (keeper, loser):
            Statistics.objects.create(ad=ad)
        seen = look(root, "merge", cluster)

        assert "the keeper has one with the same ad already" in seen.content.decode()
        assert "1 choice is needed." in seen.content.decode()
        before = snapshot()
        answer = root.post(url_of(cluster, "merge"), fields(seen))
        assert answer.status_code == 422
        assert "the keeper has one with the same ad already" in answer.content.decode()
        assert snapshot() == before

    def test_what_can_be_done_is_done_and_the_rest_is_told(self, root, cluster, ads):
        second = builders.cluster(*ads("а", "б"))
        Invoice.objects.create(ad=members(second)[1])

        answer = confirm(root, "delete", cluster, second)

        assert told(answer)[0] == "1 of 2 done: 1 deleted."
        assert "protects it from deletion" in told(answer)[1]
        assert Ad.objects.count() == 3

    def test_a_model_that_cannot_be_hidden(self, root):
        posts = [ScopedPost.objects.create(site=1, text=f"текст объявления о сваях {word}") for word in "аб"]
        cluster = builders.cluster(*posts)
        before = snapshot()

        seen = look(root, "hide", cluster)
        assert "does not define how to hide" in seen.content.decode()
        assert root.post(url_of(cluster, "hide"), fields(seen)).status_code == 422
        assert snapshot() == before

    def test_the_one_that_stays_is_never_deleted(self, root, cluster, monkeypatch):
        keeper, *losers = members(cluster)
        monkeypatch.setattr("django_neardup.admin.outcomes.cascaded_rows", lambda *args: [keeper])

        assert "would be deleted with its duplicates" in look(root, "delete", cluster).content.decode()

    def test_deletion_lists_what_falls(self, root, cluster):
        loser = members(cluster)[1]
        Comment.objects.create(ad=loser, text="c")
        Favourite.objects.create(ad=loser, author=Author.objects.create(name="a"))

        page = look(root, "delete", cluster).content.decode()

        for words in ("Ads: 2", "Comments: 1", "Favourites: 1"):
            assert words in page

    def test_a_plan_counts_what_moves(self, root, cluster):
        for _number in range(3):
            Comment.objects.create(ad=members(cluster)[1], text="c")

        page = look(root, "merge", cluster)

        (plan,) = page.context["plans"]
        assert (plan["total"], plan["moves"], plan["drops"]) == (3, 3, 0)


class TestPairs:
    @pytest.fixture
    def pair(self, ads):
        return builders.pair(*ads("сегодня", "завтра"), "variant")

    @pytest.mark.parametrize("outcome", OUTCOMES)
    def test_every_outcome_takes_it_from_the_list_at_once(self, outcome, root, pair):
        keeper, loser = Ad.objects.order_by("pk")

        answer = confirm(root, outcome, pair)

        assert answer.status_code == 302
        assert not root.get(list_of(Pair)).context["cl"].result_list
        assert {name for name, _flag in history()} == {
            "leave": {str(keeper), str(loser)}, "hide": {str(loser)}, "merge": {str(keeper), str(loser)},
            "delete": {str(loser)},
        }[outcome]  # fmt: skip
        assert Ad.objects.filter(published=True).count() == (2 if outcome == "leave" else 1)

    @pytest.mark.parametrize("outcome", ["hide", "merge", "delete"])
    def test_it_does_not_come_back_after_the_turn(self, outcome, root, pair):
        confirm(root, outcome, pair)
        drain()

        assert not root.get(list_of(Pair)).context["cl"].result_list

    def test_the_earlier_one_stays(self, root, ads):
        one, two = ads("сегодня", "завтра")
        builders.document(two, first_seen=1)
        pair = builders.pair(one, two, "variant")
        Document.objects.filter(object_id=str(two.pk)).update(first_seen=1, text_since=0)

        confirm(root, "merge", pair)

        assert list(Ad.objects.all()) == [two]

    @pytest.mark.parametrize("outcome", OUTCOMES)
    def test_a_pair_that_waits_no_more_is_not_decided(self, outcome, root, pair):
        seen = fields(look(root, outcome, pair))
        builders.document(Ad.objects.first(), live=False)
        before = snapshot()

        assert root.post(url_of(pair, outcome), seen).status_code == 409
        assert look(root, outcome, pair).status_code == 409
        assert root.get(page_of(pair)).url == list_of(Pair)
        assert snapshot() == before


class TestRequests:
    @pytest.mark.engine_alike
    @pytest.mark.parametrize("outcome", OUTCOMES)
    def test_csrf(self, outcome, root, cluster):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(root.user)
        before = snapshot()

        assert strict.post(url_of(cluster, outcome), fields(look(root, outcome, cluster))).status_code == 403
        assert snapshot() == before

    @pytest.mark.parametrize(
        "value", ["x", "-1", "1 OR 1=1", "9" * 30, "١", "", "c", "c-1", "c1 OR 1=1", "x1", "c١"]
    )
    def test_strange_keys(self, value, root, cluster):
        assert root.get(url_of(cluster, "hide"), {"id": value}).status_code == 404
        assert (
            root.get(
                url_of(cluster, "hide"), {"id": f"c{cluster.pk}", "ticked": 1, "member": value}
            ).status_code
            == 404
        )

    @pytest.mark.engine_alike
    def test_other_outcomes_and_methods(self, root, cluster):
        assert root.get(url_of(cluster, "burn"), {"id": f"c{cluster.pk}"}).status_code == 404
        assert root.put(url_of(cluster, "hide")).status_code == 405
        assert root.get(url_of(cluster, "hide")).status_code == 404

    def test_views_open_their_own_transactions(self, root, cluster):
        for url in (url_of(cluster, "hide"), "/admin/neardup/decision/"):
            assert resolve(url).func._non_atomic_requests == set(connections)

    def test_requests_in_a_transaction(self, root, cluster, monkeypatch):
        monkeypatch.setitem(connections["default"].settings_dict, "ATOMIC_REQUESTS", True)

        assert confirm(root, "hide", cluster).status_code == 302
