"""Decisions from the queue: at once, in bulk, suggested; two people at once; one batch; another keeper."""

import re
import threading
from datetime import timedelta

import pytest
from django.db import connection, connections
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from django_neardup.admin.decision_request import SeenState, parse_seen_state
from django_neardup.models import Cluster, Decision, Document, MergeRecord, Pair
from django_neardup.pipeline import decide
from tests import builders
from tests.admin.tools import confirm, fields, links, look, page_of, told, url_of
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad, ScopedPost
from tests.testapp.neardup import AdNeardup

pytestmark = pytest.mark.django_db

QUEUE = "/admin/neardup/queue/"


def rows(client, path="", **query):
    """What the list's form would send with its button: the tokens of all rows."""
    pages = (client.get(QUEUE + path, {**query, **part}) for part in ({}, {"show": "families"}))
    text = "".join(page.content.decode() for page in pages)
    seen = dict(re.findall(r'name="(seen\.[cpfs]\d+)" value="([^"]+)"', text))
    return {"_list": "queue", **seen}


def press(client, outcome, seen, *sources, **data):
    """Press a button of the list with those rows ticked."""
    keys = [f"{'c' if isinstance(each, Cluster) else 'p'}{each.pk}" for each in sources]
    return client.post(f"{QUEUE}decide/{outcome}/", {**seen, "id": keys, **data})


@pytest.fixture
def pairs(ads):
    """Variants, each of two adverts."""

    def make(count=1, verdict="variant"):
        begin = Ad.objects.count()
        words = ads(*(f"слово{begin + number}" for number in range(2 * count)))
        return [
            builders.pair(*words[2 * n : 2 * n + 2], verdict, doubtful=verdict == "variant")
            for n in range(count)
        ]

    return make


class TestAtOnce:
    def test_leave(self, root, pairs):
        (pair,) = pairs()
        answer = press(root, "leave", rows(root), pair)

        assert (answer.status_code, answer.url) == (302, QUEUE)
        assert told(answer) == ["Marked as not duplicates: 1 group."]
        assert Decision.objects.get().members.count() == 2
        assert rows(root) == {"_list": "queue"}

    def test_hide(self, root, cluster):
        press(root, "hide", rows(root), cluster)

        assert Ad.objects.filter(published=False).count() == 2
        assert rows(root) == {"_list": "queue"}

    def test_a_button_of_a_row_takes_that_row_alone(self, root, pairs):
        one, other = pairs(2)
        press(root, "leave", rows(root), other, only=f"p{one.pk}")

        one.refresh_from_db()
        assert one.decision is not None
        assert Decision.objects.count() == 1

    @pytest.mark.parametrize("outcome", ["merge", "delete"])
    def test_what_needs_a_plan_leads_to_it(self, outcome, root, cluster, pairs):
        (pair,) = pairs()
        seen, before = rows(root), snapshot()
        answer = press(root, outcome, seen, cluster, pair, _changelist_filters="verdict=variant")

        assert answer.url == (
            f"{QUEUE}decide/{outcome}/?id=c{cluster.pk}&id=p{pair.pk}&_list=queue"
            "&_changelist_filters=verdict%3Dvariant"
        )
        assert snapshot() == before
        done = root.post(url_of(cluster, outcome), fields(root.get(answer.url)))
        assert done.url == f"{QUEUE}?verdict=variant"

    @pytest.mark.engine_alike
    @pytest.mark.parametrize("outcome", ["leave", "hide", "merge", "delete", "accept"])
    @pytest.mark.parametrize("cap", [100, 2])
    def test_nothing_ticked(self, outcome, cap, root, cluster, monkeypatch):
        monkeypatch.setattr("django_neardup.admin.review_queue.row_data.MAX_OBJECTS", cap)
        seen, before = rows(root), snapshot()
        answer = press(root, outcome, seen)

        assert (answer.status_code, answer.url) == (302, QUEUE)
        assert "select at least one" in told(answer)[0]
        assert snapshot() == before

    def test_it_returns_to_the_posts_of_an_author(self, root, pairs):
        (pair,) = pairs()
        Document.objects.update(author="а/б")
        seen = {**rows(root), "_list": "author:а/б"}

        assert press(root, "leave", seen, pair).url == reverse("admin:neardup_queue_author", args=["а/б"])

    @pytest.mark.engine_alike
    @pytest.mark.parametrize(
        "name",
        [
            "author",
            "author:x\ny",
            "contact:",
            "contact:a/b",
            "queue:x",
            "//evil.example",
            "http://evil.example",
        ],
    )
    def test_nobody_is_led_elsewhere(self, name, root, pairs):
        (pair,) = pairs()
        answer = press(root, "leave", {**rows(root), "_list": name}, pair)

        assert answer.url == reverse("admin:neardup_pair_changelist")

    @pytest.mark.engine_alike
    def test_a_get_changes_nothing(self, root, cluster):
        seen, before = rows(root), snapshot()
        for outcome in ("leave", "hide"):
            assert root.get(f"{QUEUE}decide/{outcome}/", {**seen, "id": f"c{cluster.pk}"}).status_code == 200
        assert root.get(f"{QUEUE}decide/accept/", {**seen, "id": f"c{cluster.pk}"}).status_code == 405
        assert snapshot() == before

    @pytest.mark.engine_alike
    def test_csrf(self, root, cluster):
        strict = Client(enforce_csrf_checks=True)
        strict.force_login(root.user)
        seen, before = rows(root), snapshot()

        assert press(strict, "accept", seen, cluster).status_code == 403
        assert snapshot() == before

    @pytest.mark.engine_alike
    @pytest.mark.parametrize(
        ("outcome", "names", "status"),
        [
            ("leave", ["neardup.merge_cluster"], 403), ("hide", ["neardup.review"], 403),
            ("hide", ["neardup.review", "testapp.change_ad"], 302), ("accept", ["neardup.review"], 403),
            ("accept", ["neardup.review", "testapp.change_ad"], 302), ("leave", ["neardup.view_pair"], 403),
            ("accept", ["testapp.change_ad"], 403),
        ],
    )  # fmt: skip
    def test_permissions(self, outcome, names, status, root, person, cluster):
        seen, before = rows(root), snapshot()

        assert press(person(*names), outcome, seen, cluster).status_code == status
        assert (Ad.objects.filter(published=False).exists() or Decision.objects.exists()) is (status == 302)
        assert status == 302 or {**snapshot(), "auth.User": 0, "auth.User_user_permissions": 0} == {
            **before, "auth.User": 0, "auth.User_user_permissions": 0,
        }  # fmt: skip


class TestAccept:
    def test_each_gets_what_is_suggested(self, root, cluster, pairs):
        quotes = pairs(2, "contained")
        answer = press(root, "accept", rows(root), cluster, *quotes)

        assert told(answer) == ["3 of 3 done: 1 hidden, 2 marked as not duplicates."]
        assert Ad.objects.filter(published=False).count() == 2
        assert Decision.objects.count() == 2

    def test_doubts_are_left_to_be_looked_at(self, root, pairs):
        (sure,), (doubtful,) = pairs(1, "contained"), pairs()
        answer = press(root, "accept", rows(root), sure, doubtful)

        assert told(answer) == [
            "1 row was not changed: its verdict is doubtful. Open it to decide.",
            "Marked as not duplicates: 1 group.",
        ]
        assert Decision.objects.get().members.count() == 2
        doubtful.refresh_from_db()
        assert doubtful.decision is None

    def test_only_doubts_change_nothing(self, root, pairs):
        (doubtful,) = pairs()
        answer = press(root, "accept", rows(root), doubtful)

        assert (answer.status_code, answer.url) == (302, QUEUE)
        assert told(answer) == ["1 row was not changed: its verdict is doubtful. Open it to decide."]
        assert not Decision.objects.exists()

    def test_the_row_of_a_doubt_leads_to_its_page(self, root, pairs):
        (doubtful,) = pairs()
        page = root.get(QUEUE).content.decode()

        assert re.search(
            rf'<a class="neardup-button" href="[^"]*/pair/{doubtful.pk}/change/[^"]*"[^>]*>View<', page
        )

    def test_merges_go_to_their_plan_and_the_rest_is_done(self, root, pairs):
        (variant,) = pairs(1, "contained")
        posts = [ScopedPost.objects.create(site=1, text=f"текст объявления о сваях {word}") for word in "аб"]
        cluster = builders.cluster(*posts)
        answer = press(root, "accept", rows(root), cluster, variant)

        assert answer.url == f"{QUEUE}decide/merge/?id=c{cluster.pk}&_list=queue"
        assert told(answer) == ["Marked as not duplicates: 1 group."]

    def test_one_confirmation_is_one_batch(self, root, cluster, pairs):
        (pair,) = pairs()
        answer = press(root, "accept", rows(root), cluster, pair)
        batches = {
            *Decision.objects.values_list("batch", flat=True),
            *MergeRecord.objects.values_list("batch", flat=True),
        }

        assert MergeRecord.objects.count() == 2
        assert len(batches) == 1
        assert links(answer) == [reverse("admin:neardup_mergerecord_undo", args=[*batches])]
        assert root.get(links(answer)[0]).status_code == 200

    def test_all_exact_copies_at_once(self, root, ads, pairs):
        exact = [builders.cluster(*ads(f"а{n}", f"б{n}"), exact=True, lowest=1.0) for n in range(4)]
        pairs(2)
        answer = press(root, "accept", rows(root, "", exact="yes", all="1"), *exact)

        assert told(answer) == ["Duplicates hidden in 4 groups."]
        assert MergeRecord.objects.values("batch").distinct().count() == 1
        assert Ad.objects.filter(published=False).count() == 4


class TestMany:
    def ticked(self, client, **query):
        return re.findall(r'value="([cpfs]\d+)" checked', client.get(QUEUE, query).content.decode())

    def test_all_of_a_filter(self, root, pairs, cluster):
        found = pairs(3)

        assert self.ticked(root) == []
        assert sorted(self.ticked(root, all="1", verdict="variant")) == sorted(
            f"p{pair.pk}" for pair in found
        )

    def test_no_more_than_one_decision_may_reach(self, root, pairs, monkeypatch):
        monkeypatch.setattr("django_neardup.admin.review_queue.queue_page.MAX_OBJECTS", 5)
        pairs(3)

        assert len(self.ticked(root, all="1")) == 2
        text = root.get(QUEUE, {"all": "1", "show": "others"}).content.decode()
        assert "3 match; at most 5 posts can be decided at once, so the first 2 are selected." in text

    def test_more_than_the_cap_is_refused(self, root, pairs, monkeypatch):
        monkeypatch.setattr("django_neardup.admin.review_queue.bulk_actions.MAX_OBJECTS", 5)
        found, seen, before = pairs(3), rows(root), snapshot()
        answer = press(root, "leave", seen, *found)

        assert (answer.status_code, answer.url) == (302, QUEUE)
        assert "6 were selected" in told(answer)[0]
        assert snapshot() == before

    def test_a_group_too_large_is_not_decided_at_once(self, root, cluster, monkeypatch):
        monkeypatch.setattr("django_neardup.admin.review_queue.row_data.MAX_OBJECTS", 2)
        text = root.get(QUEUE).content.decode()

        assert rows(root) == {"_list": "queue"}
        assert f'href="{QUEUE}decide/hide/?id=c{cluster.pk}&amp;_list=queue' in text

    def test_every_item_has_its_own_outcome(self, root, person, pairs, ads):
        """Three are done, one was decided by another, one cannot be done."""
        one, two, taken, edited, forbidden = pairs(5, "duplicate")
        seen = rows(root)
        other = person("neardup.review", name="sokolov")
        press(other, "leave", rows(other), taken)
        Ad.objects.filter(pk=int(edited.b.object_id)).update(text="совсем другой текст")
        Ad.objects.filter(pk=int(forbidden.b.object_id)).update(phone="house")
        Document.objects.filter(pk=forbidden.b_id).update(done=1)
        mine = person("neardup.review", "testapp.change_ad", name="irina")
        builders.document(Ad.objects.get(pk=int(forbidden.b.object_id)))
        Pair.objects.filter(pk=forbidden.pk).update(digest_b=forbidden.b.fingerprints.get().source_digest)
        seen |= {name: value for name, value in rows(root).items() if name == f"seen.p{forbidden.pk}"}

        answer = press(mine, "hide", seen, one, two, taken, edited, forbidden)
        said = told(answer)

        assert said[0] == "2 of 5 done: 2 hidden."
        assert any("you do not have the permission" in each for each in said)
        assert any(
            re.search("sokolov decided on .*: not duplicates. Your decision “Hide” was not saved", each)
            for each in said
        )
        assert any(
            "has changed since you opened it. Your decision “Hide” was not saved" in each for each in said
        )
        assert Ad.objects.filter(published=False).count() == 2


def edited(source):
    Ad.objects.filter(pk=int(Document.objects.latest("pk").object_id)).update(
        text="другой текст о сваях и ценах"
    )


def finished_turn(source):
    Document.objects.filter(pk=Document.objects.latest("pk").pk).update(version=99)


def decided(source):
    documents = Document.objects.all() if isinstance(source, Cluster) else [source.a, source.b]
    decide("different", list(documents), None, "default")


def gone(source):
    source.delete()


@pytest.mark.parametrize("change", [edited, finished_turn, decided, gone], ids=lambda change: change.__name__)
@pytest.mark.parametrize("outcome", ["leave", "hide", "accept"])
@pytest.mark.parametrize("kind", ["cluster", "pair"])
def test_what_has_changed_since_is_not_decided(kind, outcome, change, root, ads):
    words = ads("сегодня", "завтра")
    source = builders.cluster(*words) if kind == "cluster" else builders.pair(*words, "variant")
    key = type(source).objects.get()
    seen = rows(root)
    change(source)
    before = snapshot()

    assert press(root, outcome, seen, key).status_code == 409
    assert snapshot() == before


@pytest.mark.parametrize(
    "token", ["", "x", "0" * 32, "0" * 32 + ".1.1", "..", "a.b.c", "1." + "9" * 20 + ".1"]
)
def test_a_decision_needs_what_was_seen(token, root, cluster):
    before = snapshot()

    assert press(root, "hide", {f"seen.c{cluster.pk}": token}, cluster).status_code == 409
    assert snapshot() == before


def test_what_was_seen_survives_a_form():
    seen = SeenState("ab" * 16, timezone.now().replace(microsecond=5000), (1, 22, 333))

    assert parse_seen_state(str(seen)) == seen
    assert parse_seen_state(str(seen._replace(document_ids=()))) == seen._replace(document_ids=())


class TestTwoPeople:
    @pytest.mark.parametrize("first", ["leave", "hide", "merge"])
    @pytest.mark.parametrize("kind", ["cluster", "pair"])
    def test_the_second_is_told_who_was_first(self, kind, first, root, person, ads):
        words = ads("сегодня", "завтра")
        source = builders.cluster(*words) if kind == "cluster" else builders.pair(*words, "contained")
        key = type(source).objects.get()
        other = person(
            "neardup.review",
            "neardup.merge_cluster",
            "testapp.change_ad",
            "testapp.delete_ad",
            name="sokolov",
        )
        seen = rows(root)
        assert confirm(other, first, source).status_code == 302
        before = snapshot()

        answer = press(root, "hide", seen, key)

        assert answer.status_code == 409
        text = answer.content.decode()
        act = {"leave": "not duplicates", "hide": "hidden", "merge": "merged"}[first]
        assert "sokolov decided on" in text
        assert f"{act}. Your decision “Hide” was not saved." in text
        assert snapshot() == before

    @pytest.mark.parametrize("outcome", ["leave", "hide", "merge", "delete"])
    def test_and_on_a_confirmation(self, outcome, root, person, cluster):
        seen = fields(look(root, outcome, cluster))
        other = person("neardup.review", name="sokolov")
        press(other, "leave", rows(other), cluster)
        answer = root.post(url_of(Pair, outcome), seen)

        assert answer.status_code == 409
        assert "sokolov decided on" in answer.content.decode()
        assert Decision.objects.count() == 1

    @pytest.mark.parametrize("outcome", ["leave", "hide", "accept"])
    def test_a_second_click_is_told_of_the_first(self, outcome, root, ads):
        pair = builders.pair(*ads("сегодня", "завтра"))
        seen = rows(root)
        press(root, outcome, seen, pair)
        before = snapshot()
        answer = press(root, outcome, seen, pair)

        assert answer.status_code == 409
        assert "This group: you already decided this less than a minute ago" in answer.content.decode()
        assert "decided on" not in answer.content.decode()
        assert snapshot() == before

    @pytest.mark.engines("sqlite")
    def test_on_a_site_without_time_zones(self, root, person, cluster, settings):
        settings.USE_TZ = False
        seen, other = rows(root), person("neardup.review", name="sokolov")
        press(other, "leave", rows(other), cluster)

        assert "sokolov decided on" in press(root, "hide", seen, cluster).content.decode()

    def test_a_group_that_is_no_more_begins_its_sentence(self, root, pairs):
        one, other = pairs(2)
        seen = rows(root)
        Pair.objects.filter(pk=other.pk).delete()

        assert "This group has changed since" in told(press(root, "leave", seen, one, other))[1]

    def test_what_was_decided_before_one_looked_is_nobodys_fault(self, root, ads):
        words = ads("сегодня", "завтра")
        pair = builders.pair(*words, "variant")
        decision = decide("different", [pair.a, pair.b], root.user, "default")
        Decision.objects.filter(pk=decision.pk).update(
            created=timezone.now() - timedelta(days=1), withdrawn=timezone.now()
        )
        Pair.objects.update(decision=None)
        seen = rows(root)
        edited(pair)
        text = press(root, "hide", seen, pair).content.decode()

        assert "decided on" not in text
        assert "Another moderator has decided, a post was edited" in text

    def test_two_items_with_one_post_are_settled_together(self, root, ads):
        one, two, three = ads("сегодня", "завтра", "вечером")
        pairs = [builders.pair(one, three), builders.pair(two, three)]
        answer = press(root, "hide", rows(root), *pairs)

        assert told(answer)[0] == "1 of 2 done: 1 hidden."
        assert "was covered by another decision of yours" in told(answer)[1]
        assert MergeRecord.objects.count() == 1


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("outcome", ["leave", "hide"])
def test_at_the_same_moment(outcome, root, person, ads):
    """Two people, two threads, one item: one of them decides it, the other hears of it."""
    if connection.vendor == "sqlite":
        pytest.skip("one writer at a time")
    for attempt in range(4):
        builders.pair(*ads(f"а{attempt}", f"б{attempt}"), "variant", doubtful=True)
    second = person("neardup.review", "testapp.change_ad", name="sokolov")
    for pair in Pair.objects.all():
        sent = [(client, rows(client)) for client in (root, second)]
        statuses, barrier = [], threading.Barrier(2)

        def decide_one(client, seen, pair=pair, statuses=statuses, barrier=barrier):
            barrier.wait()
            statuses.append(press(client, outcome, seen, pair).status_code)
            connections.close_all()

        threads = [threading.Thread(target=decide_one, args=each) for each in sent]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(statuses) == [302, 409]
    assert (Decision if outcome == "leave" else MergeRecord).objects.count() == 4


class TestKeeper:
    def members(self, cluster):
        places = cluster.memberships.select_related("document").order_by("document")
        return [place.document for place in places]

    @pytest.mark.parametrize("outcome", ["hide", "merge", "delete"])
    def test_another_one_stays(self, outcome, root, cluster):
        first, second, third = self.members(cluster)
        answer = confirm(root, outcome, cluster, keeper=second.pk)

        assert answer.status_code == 302
        assert [str(ad.pk) for ad in Ad.objects.filter(published=True)] == [second.object_id]
        losers = MergeRecord.objects.values_list("loser_id", flat=True)
        assert sorted(losers) == sorted([first.object_id, third.object_id])

    def test_with_ticks_the_representative_takes_part_only_if_ticked(self, root, cluster):
        first, second, third = self.members(cluster)
        confirm(root, "hide", cluster, keeper=second.pk, ticked="1", member=[third.pk])

        assert [str(ad.pk) for ad in Ad.objects.filter(published=False)] == [third.object_id]
        assert first.pk

    def test_of_a_pair(self, root, pairs):
        (pair,) = pairs()
        confirm(root, "merge", pair, keeper=pair.b_id)

        assert [str(ad.pk) for ad in Ad.objects.all()] == [pair.b.object_id]

    def test_one_that_belongs_to_none_of_them(self, root, cluster, pairs):
        (pair,) = pairs()
        before = snapshot()

        assert look(root, "hide", cluster, keeper=pair.a_id).status_code == 409
        assert look(root, "hide", cluster, keeper="x").status_code == 404
        assert snapshot() == before

    def test_another_keeper_than_the_one_that_was_shown(self, root, cluster):
        first, second, _third = self.members(cluster)
        seen = fields(look(root, "hide", cluster, keeper=first.pk))
        before = snapshot()

        assert root.post(url_of(cluster, "hide"), {**seen, "keeper": second.pk}).status_code == 409
        assert snapshot() == before


def test_clusters_and_pairs_in_one_confirmation(root, cluster, pairs):
    (pair,) = pairs()
    answer = confirm(root, "leave", cluster, pair)

    assert told(answer) == ["Marked as not duplicates: 2 groups."]
    assert answer.url == QUEUE
    assert Decision.objects.values("batch").distinct().count() == 1
    assert page_of(pair)


class TestWhoStaysAtOnce:
    """The site's policy says, as on a confirmation."""

    @pytest.mark.parametrize("outcome", ["hide", "accept"])
    def test_the_pinned_one(self, outcome, root, cluster, monkeypatch):
        second = cluster.memberships.order_by("document")[1].document
        monkeypatch.setattr(AdNeardup, "pinned", lambda self, ad: str(ad.pk) == second.object_id)
        press(root, outcome, rows(root), cluster)

        assert [str(ad.pk) for ad in Ad.objects.filter(published=True)] == [second.object_id]

    def test_the_one_of_the_policy(self, root, cluster, settings):
        settings.NEARDUP = {"default": {"BACKEND": None, "KEEPER": "newest"}}
        last = cluster.memberships.order_by("document").last().document
        press(root, "hide", rows(root), cluster)

        assert [str(ad.pk) for ad in Ad.objects.filter(published=True)] == [last.object_id]


@pytest.mark.parametrize(("review", "decisions"), [([], 0), (["neardup.review"], 1)])
def test_to_remember_the_rest_is_a_decision_and_needs_its_permission(review, decisions, person, cluster):
    client = person("neardup.merge_cluster", "testapp.change_ad", "testapp.delete_ad", *review)
    second = cluster.memberships.order_by("document")[1].document_id
    page = client.get(page_of(cluster)).content.decode()
    confirm(client, "merge", cluster, ticked="1", member=[second], rest="1")

    assert ('name="rest"' in page) is bool(decisions)
    assert (MergeRecord.objects.count(), Decision.objects.count()) == (1, decisions)
