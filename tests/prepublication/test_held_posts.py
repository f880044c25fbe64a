"""The list of held posts in the admin: who may publish and refuse, what is shown, what is done."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.admin.models import LogEntry
from django.urls import reverse
from django.utils import timezone

from django_neardup.models import Hold, Pair
from django_neardup.pipeline import drain
from django_neardup.prepublication.holds import hold_in_state
from tests.admin.people import signed_in
from tests.admin.tools import fields, told
from tests.pipeline.helpers import CAT, PILES, SOFA, SOFA_EDITED, document
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db
LIST = reverse("admin:neardup_hold_changelist")


def url_of(act):
    return reverse("admin:neardup_hold_decide", args=[act])


@pytest.fixture
def held(board, people, publish):
    """A post that waits because it is like another."""
    publish(SOFA, people.bob, title="Диван")
    ad = publish(SOFA_EDITED, people.ann, title="Мой диван")
    hold_in_state(ad, "review", _Match())
    drain()
    return ad


class _Match:
    verdict, exact, own, deleted = "duplicate", False, True, None


def press(client, act, *ads):
    """Look at the confirmation, then press its button."""
    seen = client.get(url_of(act), {"id": [row_of(ad).pk for ad in ads]})
    assert seen.status_code == 200, seen.status_code
    return client.post(url_of(act), fields(seen))


def row_of(ad):
    return Hold.objects.get(document__object_id=str(ad.pk))


def test_the_queue_begins_with_it(held):
    queue = reverse("admin:neardup_queue_changelist")
    client = signed_in("super")
    page = client.get(queue).content.decode()
    assert "1 held post to review." in page and f'href="{LIST}"' in page
    assert "neardup-late" not in page
    Hold.objects.update(created=timezone.now() - timedelta(hours=2))
    assert "neardup-late" in client.get(queue).content.decode()
    Hold.objects.update(state="checking")
    assert "held post to review" not in client.get(queue).content.decode()


class TestList:
    def test_what_is_shown(self, held):
        page = signed_in("super").get(LIST).content.decode()
        assert "Мой диван" in page and "waiting for a moderator" in page and "of the same author" in page
        cluster = document(held).memberships.get().cluster
        assert f"/neardup/cluster/{cluster.pk}/change/?member={document(held).pk}" in page

    def test_a_pair_that_no_cluster_holds_has_a_page_too(self, board, people, publish):
        publish(PILES.format("С140.35"), people.bob)
        ad = publish(PILES.format("С90.30"), people.ann)
        client = signed_in("super")
        hold_in_state(ad, "checking")
        Hold.objects.update(state="review", verdict="variant")
        drain()
        url = reverse("admin:neardup_pair_change", args=[Pair.objects.get().pk])
        assert url in client.get(LIST).content.decode()
        assert client.get(url).status_code == 200

    @pytest.mark.parametrize(
        ("query", "count"),
        [("", 1), ("?state=review", 1), ("?state=checking", 1), ("?state=refused", 1), ("?state=all", 3)],
    )
    def test_those_first_that_wait_for_a_person(self, query, count, board, publish):
        for ad, state in [(publish(SOFA), "review"), (publish(CAT), "checking"), (publish(PILES), "refused")]:
            hold_in_state(ad, state)
        page = signed_in("super").get(LIST + query)
        assert page.context["cl"].result_count == count

    def test_what_could_not_be_checked_waits_for_a_person(self, board, publish):
        ad = publish(SOFA)
        hold_in_state(ad, "checking")
        row = document(ad)
        row.state = "quarantined"
        row.save()
        page = signed_in("super").get(LIST)
        assert page.context["cl"].result_count == 1
        assert "could not be checked" in page.content.decode()

    def test_queries_do_not_grow_with_the_list(self, board, people, publish, django_assert_max_num_queries):
        client = signed_in("super")
        for number in range(8):
            hold_in_state(publish(f"{SOFA} {number}", people.ann), "review")
        client.get(LIST)
        with django_assert_max_num_queries(24):
            client.get(LIST)

    def test_one_alone_has_no_page(self, held):
        page = reverse("admin:neardup_hold_change", args=[row_of(held).pk])
        assert signed_in("super").get(page).url == LIST

    @pytest.mark.parametrize(
        ("who", "title"), [("review", "no access"), ("change", "Мой диван"), ("super", "Мой диван")]
    )
    def test_titles_are_for_those_who_may_read_the_post(self, who, title, held):
        assert title in signed_in(who).get(LIST).content.decode()


class TestRights:
    TABLE = {
        "nobody": (302, 302), "author": (302, 302), "clerk": (403, 403), "merge": (403, 403), "review": (200, 403),
        "change": (200, 302), "super": (200, 302),
    }  # fmt: skip

    @pytest.mark.parametrize("who", TABLE)
    @pytest.mark.parametrize("act", ["publish", "refuse"])
    def test_who_may(self, who, act, held):
        look, deed = self.TABLE[who]
        client, row = signed_in(who), row_of(held)
        seen = client.get(url_of(act), {"id": row.pk})
        assert seen.status_code == look
        answer = client.post(url_of(act), {"id": row.pk, **as_seen(row)})
        assert answer.status_code == deed
        done = who in ("change", "super")
        assert Ad.objects.get(pk=held.pk).published == (done and act == "publish")
        assert Hold.objects.filter(state="refused").exists() == (done and act == "refuse")

    def test_the_rights_on_each_object_count(self, held):
        Ad.objects.filter(pk=held.pk).update(phone="house")
        client, row = signed_in("change"), row_of(held)
        page = client.get(url_of("publish"), {"id": row.pk})
        assert "You do not have the permission to:" in page.content.decode()
        assert client.post(url_of("publish"), {"id": row.pk, **as_seen(row)}).status_code == 403
        assert not Ad.objects.get(pk=held.pk).published

    @pytest.mark.parametrize("query", [{}, {"id": "x"}, {"id": "9" * 30}])
    def test_nothing_asked(self, query, held):
        assert signed_in("super").get(url_of("publish"), query).status_code == 404

    def test_another_act(self, held):
        assert signed_in("super").get(url_of("delete"), {"id": row_of(held).pk}).status_code == 404

    def test_looking_changes_nothing(self, held):
        signed_in("super").get(url_of("publish"), {"id": row_of(held).pk})
        assert row_of(held).state == "review" and not Ad.objects.get(pk=held.pk).published


def as_seen(row):
    """The field that says what the page showed."""
    from django_neardup.admin.hold_view import HoldItem

    row = Hold.objects.select_related("document").get(pk=row.pk)
    return {f"seen.{row.pk}": HoldItem(row, None, None, "", None, ()).state_digest}


class TestDeeds:
    @pytest.mark.parametrize("act", ["publish", "refuse"])
    def test_the_author_is_told_and_the_history_kept(
        self, act, held, board, django_capture_on_commit_callbacks
    ):
        client = signed_in("change")
        with django_capture_on_commit_callbacks(execute=True):
            answer = press(client, act, held)
        assert answer.url == LIST
        words = {"publish": "Published: 1 post.", "refuse": "Refused: 1 post."}
        assert told(answer) == [words[act]]
        assert board.told == [({"publish": "published", "refuse": "refused"}[act], held.pk)]
        (line,) = LogEntry.objects.filter(object_id=str(held.pk))
        assert "after it was held" in line.change_message

    def test_the_action_of_the_list_leads_to_the_confirmation(self, held):
        data = {"action": "publish_selected", "_selected_action": [row_of(held).pk]}
        answer = signed_in("review").post(LIST, data)
        assert answer.url == f"{url_of('publish')}?id={row_of(held).pk}"

    def test_who_may_not_decide_has_no_action(self, held):
        assert "publish_selected" not in signed_in("merge").get(LIST).content.decode()

    def test_what_was_decided_or_edited_meanwhile_is_left(self, held):
        client, row = signed_in("super"), row_of(held)
        seen = fields(client.get(url_of("refuse"), {"id": row.pk}))
        Ad.objects.get(pk=held.pk).save()
        answer = client.post(url_of("refuse"), seen)
        assert row_of(held).state == "review"
        assert told(answer) == ["Posts decided or edited since you opened them, left unchanged: 1"]
        Hold.objects.all().delete()
        assert told(client.post(url_of("refuse"), seen))[-1].endswith("left unchanged: 1")

    @pytest.mark.parametrize("hook", ["show", "hide"])
    def test_what_a_hook_raises_is_told_and_nothing_half_done(self, hook, held, adapt, publish):
        def fail(self, ad):
            Ad.objects.filter(pk=ad.pk).update(hits=99)
            raise RuntimeError("the shelf is full")

        adapt(**{hook: fail})
        answer = press(signed_in("super"), "publish", held)
        ad = Ad.objects.get(pk=held.pk)
        if hook == "show":
            assert told(answer) == [f"Failed for №\xa0{held.pk}: the shelf is full"]
            assert (ad.published, ad.hits, row_of(held).state) == (False, 0, "review")
            assert not LogEntry.objects.exists()
        else:
            assert ad.published

    def test_titles_of_strangers_are_escaped(self, board, people, publish):
        publish(SOFA, people.bob, title="<i>one</i>")
        ad = publish(SOFA_EDITED, people.ann, title="<script>two</script>")
        hold_in_state(ad, "review", _Match())
        drain()
        client = signed_in("super")
        for page in (client.get(LIST), client.get(url_of("publish"), {"id": row_of(ad).pk})):
            text = page.content.decode()
            assert "<script>two" not in text and "<i>one" not in text
            assert "&lt;script&gt;two" in text and "&lt;i&gt;one" in text
