"""Posts that have moved to another tenant: who reads their titles, decisions and records, and who may decide."""

from __future__ import annotations

import pytest
from django.contrib.auth import get_user_model
from django.db import OperationalError
from django.test import Client
from django.urls import reverse

from django_neardup import registry
from django_neardup.admin.history import MAX_EVENTS_PER_KIND
from django_neardup.models import Cluster, Decision, Document, Hold, MergeRecord, Pair, Queue
from django_neardup.moderation import actions
from django_neardup.pipeline import decide
from django_neardup.pipeline.open_items import rebuild_open_items
from tests.admin.tools import confirm, fields, list_of, look, page_of, url_of
from tests.permissions.people import Person
from tests.permissions.site import TenantNeardup
from tests.pipeline.helpers import CAT, SOFA, SOFA_EDITED, cluster, document, pair, work
from tests.testapp.models import Ad, Author

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default"]),
    pytest.mark.engine_alike,
    pytest.mark.urls("tests.permissions.site"),
]

SECRET = "тайнабета"
TEXTS = (SOFA, SOFA_EDITED, f"{SOFA} Торг.")


@pytest.fixture(autouse=True)
def _tenants(monkeypatch):
    monkeypatch.setitem(registry._registry, Ad, TenantNeardup(Ad))


def adverts(count=2, tenant="1"):
    made = [advert(text, tenant, title=text[:20]) for text in TEXTS[:count]]
    settle()
    return made


def advert(text, tenant, **fields):
    return Ad.objects.create(text=text, sku=tenant, phone="plain", **fields)


def settle():
    work()
    rebuild_open_items("default")


def move(*posts, **values):
    """Let posts move to tenant 2. No worker has run yet."""
    for one in posts:
        one.sku = "2"
        for name, value in values.items():
            setattr(one, name, value)
        one.save()


def body(response):
    return response.content.decode()


def sign_in(kind, tenants):
    """Return a client of a person, who may have been there before."""
    known = get_user_model().objects.filter(username=f"{kind} {tenants}").first()
    if known is None:
        return Person(kind, tenants).signed_in()
    client = Client()
    client.force_login(known)
    return client


def user(name):
    return get_user_model().objects.get(username=name)


class TestConflicts:
    """The answer to a decision that comes too late names who decided, but not across tenants."""

    def test_after_a_move(self):
        posts = adverts(3)
        first, second = sign_in("delete", "1"), sign_in("delete", "2")
        page = look(first, "leave", cluster(posts[0]))
        move(*posts)
        settle()
        assert confirm(second, "leave", cluster(posts[0])).status_code == 302
        assert Decision.objects.get().by_name == "delete 2"
        answer = first.post(url_of(None, "leave"), fields(page))
        assert answer.status_code == 409 and "delete 2" not in body(answer)

    @pytest.mark.parametrize("outcome", ["merge", "leave", "hide", "delete"])
    def test_documents_that_a_request_invents(self, outcome):
        one, _two = adverts(tenant="2")
        group = cluster(one)
        assert confirm(sign_in("delete", "2"), outcome, group).status_code == 302
        settle()
        first = sign_in("review", "1")
        for key in ("c999999", f"c{group.pk}", f"p{document(one).pk}"):
            invented = {"id": key, "token": f"x.0.{document(one).pk}"}
            assert "delete 2" not in body(first.post(url_of(None, "leave"), invented))

    def test_within_a_tenant(self):
        """The control: here the name helps."""
        one, _two = adverts()
        first, colleague = sign_in("delete", "1"), sign_in("move", "1")
        page = look(first, "hide", cluster(one))
        assert confirm(colleague, "leave", cluster(one)).status_code == 302
        assert "move 1" in body(first.post(url_of(None, "hide"), fields(page)))


class TestHistory:
    def test_decisions(self):
        posts = adverts(3)
        sign_in("delete", "1")
        decide("different", [document(one) for one in posts[:2]], user("delete 1"), "default", note=SECRET)
        shown = self._pages_of("1")
        assert any(SECRET in page and "delete 1" in page for page in shown)  # the control
        move(*posts)
        settle()
        shown = self._pages_of("2")
        assert shown and not any(SECRET in page or "delete 1" in page for page in shown)
        # The decision stays in force, so it is named.
        assert any("Decided: not duplicates." in page for page in shown)

    def test_records(self):
        one, _two = adverts()
        assert confirm(sign_in("delete", "1"), "merge", cluster(one)).status_code == 302
        settle()
        kept = Ad.objects.get()
        advert(f"{SOFA} Торг.", "2")
        move(kept)
        settle()
        shown = self._pages_of("2")
        assert shown and not any("delete 1" in page for page in shown)

    @pytest.mark.parametrize("foreign", [MAX_EVENTS_PER_KIND - 1, MAX_EVENTS_PER_KIND])
    def test_many_decisions_of_another_tenant_displace_no_own_one(self, foreign):
        mine = [advert(f"{SOFA} {word}", "2") for word in ("Торг.", "Срочно.")]
        guest, stays = (advert(f"{SOFA} {word}", "1") for word in ("Вчера.", "Утром."))
        settle()
        sign_in("delete", "1"), sign_in("delete", "2")
        decide("same", [document(one) for one in mine], user("delete 2"), "default", note="наша заметка")
        for _ in range(foreign):
            sides = [document(guest), document(stays)]
            decide("different", sides, user("delete 1"), "default", note=SECRET)
        settle()
        move(guest)
        settle()
        assert cluster(mine[0]) == cluster(guest)
        page = body(sign_in("delete", "2").get(page_of(cluster(guest))))
        assert SECRET not in page and "наша заметка" in page

    def test_a_reopened_row_of_the_queue(self):
        posts = [advert(f"{SOFA} Размер {size} см.", "1") for size in (240, 160)]
        settle()
        sign_in("delete", "1")
        decide("different", [document(one) for one in posts], user("delete 1"), "default", note=SECRET)
        settle()
        move(posts[0])
        move(posts[1], text=f"{SOFA} Размер 240 см. Торг.")
        settle()
        page = body(sign_in("delete", "2").get(list_of(Queue)))
        assert "A text has changed since the decision" in page
        assert "delete 1" not in page and SECRET not in page

    def _pages_of(self, tenant):
        client = sign_in("delete", tenant)
        rows = [*Pair.objects.all(), *Cluster.objects.all()]
        return [body(client.get(page_of(row))) for row in rows]


class TestWithdrawal:
    """A decision follows its posts. Then only people who see all of them can withdraw it."""

    def decide(self, *posts):
        sign_in("delete", "1")
        return decide("different", [document(one) for one in posts], user("delete 1"), "default")

    def withdraw(self, decision, tenant, kind="delete"):
        address = reverse("admin:neardup_decision_withdraw", args=[decision.pk])
        status = sign_in(kind, tenant).post(address).status_code
        decision.refresh_from_db()
        return status, decision.withdrawn is not None

    def test_of_posts_that_have_all_moved(self):
        one, two = adverts()
        decision = self.decide(one, two)
        move(one, two)
        settle()
        assert cluster(one) is None and pair(one, two).decision == decision
        assert self.withdraw(decision, "2", "clerk") == (403, False)
        assert self.withdraw(decision, "2") == (302, True)
        settle()
        assert cluster(one) == cluster(two) is not None
        # The decision stays in the list of its tenant, who reads no name of the other one.
        former = sign_in("delete", "1")
        for page in (list_of(Decision), page_of(decision)):
            assert "delete 1" in body(former.get(page)) and "delete 2" not in body(former.get(page))

    def test_of_posts_that_nothing_is_known_of(self):
        one, two = adverts()
        decision = self.decide(one, two)
        Ad.objects.all().delete()
        settle()
        Document.objects.all().delete()
        assert self.withdraw(decision, "2") == (404, False)

    @pytest.mark.parametrize("moved", [0, 1])
    def test_of_other_posts(self, moved):
        posts = adverts()
        decision = self.decide(*posts)
        move(*posts[:moved])
        settle()
        assert self.withdraw(decision, "2") == (404, False)
        assert self.withdraw(decision, "1")[1] == (moved == 0)


class TestRecords:
    def test_the_space_of_a_record_is_that_of_its_title(self):
        """Merged by a person of both tenants, after the move and before the worker."""
        one, two = adverts()
        both = sign_in("move", "12")
        move(one, two, title=SECRET)
        assert confirm(both, "merge", cluster(one)).status_code == 302
        record = MergeRecord.objects.get()
        assert SECRET in record.loser_text and '"2"' in record.space.scope
        settle()
        # Without the keeper the space decides.
        Ad.objects.get().delete()
        settle()
        undo = reverse("admin:neardup_mergerecord_undo", args=[record.batch])
        pages = [list_of(MergeRecord), page_of(record), f"{list_of(Queue)}?tab=decided", undo]
        shown = {
            tenant: [
                SECRET in body(client.get(page)) for client in [sign_in("delete", tenant)] for page in pages
            ]
            for tenant in "12"
        }
        assert not any(shown["1"]) and any(shown["2"])
        sign_in("delete", "1").post(undo, {"record": [record.pk]})
        assert not Ad.objects.exists()

    @pytest.mark.parametrize("moved", ["keeper", "loser"])
    def test_of_two_that_have_parted_only_one_title_is_kept(self, moved):
        posts = adverts()
        group = cluster(posts[0])
        keeper, loser = sorted(posts, key=lambda one: document(one).pk != group.leader_id)
        Ad.objects.filter(pk=keeper.pk).update(title="первыйсекрет")
        Ad.objects.filter(pk=loser.pk).update(title="второйсекрет")
        both = sign_in("move", "12")
        moving = Ad.objects.get(pk={"keeper": keeper, "loser": loser}[moved].pk)
        move(moving)
        assert confirm(both, "merge", group).status_code == 302
        record = MergeRecord.objects.get()
        assert (record.keeper_text, record.loser_text) == ("", "второйсекрет")
        assert f'"{2 if moved == "loser" else 1}"' in record.space.scope

    @pytest.mark.parametrize("outcome", ["hide", "delete", "merge"])
    def test_a_scope_that_cannot_be_read(self, monkeypatch, outcome):
        class Scoped(TenantNeardup):
            scope = ("tenant",)

        monkeypatch.setattr(Ad, "tenant", property(lambda ad: ad.author.name), raising=False)
        monkeypatch.setitem(registry._registry, Ad, Scoped(Ad))
        author = Author.objects.create(name="1")
        one, _two = (advert(f"{SOFA} {word}", "1", author=author) for word in ("Торг.", "Срочно."))
        settle()
        Ad.objects.update(author=None)
        assert confirm(sign_in("super", "12"), outcome, cluster(one)).status_code == 302
        assert MergeRecord.objects.get().space.scope == '["1"]'

    def test_an_action_that_was_rolled_back_and_tried_again(self, monkeypatch):
        """The first attempt creates the space of a tenant without posts."""
        one, two = adverts()
        for post in (one, two):
            post.sku = "3"
            post.save()
        watch, calls = actions.watch_statements, []

        def fail_once(*arguments):
            calls.append(1)
            if len(calls) == 1:
                raise OperationalError("database is locked")
            return watch(*arguments)

        monkeypatch.setattr(actions, "watch_statements", fail_once)
        assert confirm(sign_in("move", "123"), "merge", cluster(one)).status_code == 302
        assert len(calls) == 2
        advert(CAT, "4")
        settle()
        assert MergeRecord.objects.get().space.scope == '["3"]'


class TestSkippedPosts:
    def test_a_post_that_is_no_longer_compared_is_of_its_new_tenant(self):
        one, _two = adverts()
        move(one, text=SOFA * 6000)
        settle()
        row = document(one)
        assert row.state == Document.State.SKIPPED
        Hold.objects.create(document=row, state=Hold.State.REVIEW)
        for tenant, count in (("1", 0), ("2", 1)):
            listed = sign_in("lists", tenant).get(list_of(Document)).context["cl"].result_list
            assert [int(each.object_id) for each in listed].count(one.pk) == count
            holds = sign_in("delete", tenant).get(list_of(Hold)).context["cl"]
            assert holds.result_count == count
