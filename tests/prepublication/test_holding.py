"""Posts that wait: held, released and refused by hand, and by the worker once it has compared them."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.db import connection, connections
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from django_neardup import hold, registry, release
from django_neardup.models import Cluster, Document, Fingerprint, Hold, Pair
from django_neardup.moderation import ActionContext, delete, hide, merge
from django_neardup.pipeline import decide, drain, mark, withdraw
from django_neardup.prepublication import receivers, refuse
from django_neardup.prepublication.check import Visitor
from django_neardup.prepublication.holds import hold_in_state, is_live
from django_neardup.prepublication.save import renew_post
from django_neardup.signals import (
    decision_made,
    document_checked,
    post_held,
    post_refused,
    post_released,
)
from tests.moderation.tools import undone
from tests.pipeline.helpers import CAT, PILES, SOFA, SOFA_EDITED, document
from tests.testapp.models import Ad, UuidPost
from tests.testapp.neardup import NoticeNeardup
from tests.testapp.zoo import Bulletin, Notice

pytestmark = pytest.mark.django_db


@pytest.fixture
def heard():
    """Signals of held posts as they are heard."""
    told = []

    def listen(signal, sender, instance, **kwargs):
        told.append((signal, instance.pk))

    for signal in (post_held, post_released, post_refused):
        signal.connect(listen, weak=False, dispatch_uid="heard")
    yield told
    for signal in (post_held, post_released, post_refused):
        signal.disconnect(dispatch_uid="heard")


@pytest.fixture
def notices(monkeypatch):
    """An adapter of posts of which some are children with keys of their own."""

    class RenewedNeardup(NoticeNeardup):
        def author(self, notice):
            return "ann"

        def renew(self, old, new):
            old.text = new.text
            old.save()

    monkeypatch.setitem(registry._registry, Notice, RenewedNeardup(Notice))
    return registry._registry[Notice]


def merged_away(ads, case):
    """Merge them into the first advert that there is."""
    return merge(Ad.objects.order_by("pk").first(), ads, case)


def is_shown(ad):
    return Ad.objects.get(pk=ad.pk).published


def state_of(ad):
    """The state of its hold; None where it is not held."""
    return Hold.objects.filter(document__object_id=str(ad.pk)).values_list("state", flat=True).first()


def edited(ad, text):
    """Its author edits it, and the worker comes."""
    fresh = Ad.objects.get(pk=ad.pk)
    fresh.text = text
    fresh.save()
    drain()


class _Match:
    verdict, exact, own, deleted = "duplicate", False, True, None


@pytest.fixture
def checked(django_capture_on_commit_callbacks):
    """Save an advert that waits for its check, and let the worker come."""

    def make(text, author=None, trust="member", work=True, **fields):
        ad = Ad.objects.create(text=text, author=author, **fields)
        hold_in_state(ad, "checking", trust=trust)
        if work:
            with django_capture_on_commit_callbacks(execute=True):
                drain()
        return ad

    return make


class TestByHand:
    def test_held_and_released(self, board, publish, heard, django_capture_on_commit_callbacks):
        ad = publish(SOFA)
        with django_capture_on_commit_callbacks(execute=True):
            row = hold(ad)
        assert (row.state, row.verdict, is_shown(ad)) == ("review", "", False)
        with django_capture_on_commit_callbacks(execute=True):
            assert release(ad)
        assert is_shown(ad) and state_of(ad) is None
        assert board.told == [("published", ad.pk)]
        assert heard == [(post_held, ad.pk), (post_released, ad.pk)]

    def test_refused_and_published_all_the_same(
        self, board, publish, heard, django_capture_on_commit_callbacks
    ):
        ad = publish(SOFA)
        hold(ad)
        with django_capture_on_commit_callbacks(execute=True):
            assert refuse(ad)
            assert not refuse(ad)
        assert (state_of(ad), is_shown(ad)) == ("refused", False)
        with django_capture_on_commit_callbacks(execute=True):
            assert release(ad)
        assert is_shown(ad)
        assert board.told == [("refused", ad.pk), ("published", ad.pk)]

    @pytest.mark.parametrize("act", [release, refuse])
    def test_what_is_not_held_or_gone_is_left(self, act, board, publish, django_capture_on_commit_callbacks):
        ad = publish(SOFA)
        with django_capture_on_commit_callbacks(execute=True):
            assert not act(ad)
            hold(ad)
            Ad.objects.filter(pk=ad.pk).delete()
            assert not act(ad)
        assert board.told == []

    def test_released_twice_is_told_once(self, board, publish, django_capture_on_commit_callbacks):
        ad = publish(SOFA)
        hold(ad)
        with django_capture_on_commit_callbacks(execute=True):
            assert [release(ad), release(ad)] == [True, False]
        assert board.told == [("published", ad.pk)]

    def test_a_post_that_is_not_marked_yet(self, board):
        Ad.objects.bulk_create([Ad(text=SOFA)])
        row = hold(Ad.objects.get())
        assert row.document.wanted > row.document.done

    def test_held_again_by_hand_it_waits_for_a_person(self, board, checked):
        ad = checked(SOFA, work=False)
        hold(ad)
        drain()
        assert (state_of(ad), Hold.objects.count()) == ("review", 1)

    def test_a_child_is_held_and_released_by_its_parents_key(self, notices):
        other = Notice.objects.create(text=CAT, published=False)
        child = Bulletin.objects.create(number=other.pk, text=SOFA)
        assert is_live(child, "default") and hold(child).digest
        assert not is_live(child, "default") and release(child)
        assert list(Notice.objects.order_by("pk").values_list("published", flat=True)) == [False, True]

    def test_a_child_is_renewed_by_its_parents_key(self, notices):
        other = Notice.objects.create(text=CAT)
        child = Bulletin.objects.create(number=other.pk, text=SOFA)
        assert renew_post(child, Notice(text=SOFA_EDITED), notices, Visitor("ann")) == child.notice
        assert [each.text for each in Notice.objects.order_by("pk")] == [CAT, SOFA_EDITED]

    @pytest.mark.parametrize(("hook", "act"), [("hide", hold), ("show", release)])
    def test_a_hook_that_fails_leaves_all_as_it_was(self, hook, act, adapt, board, publish):
        def fail(self, ad):
            Ad.objects.filter(pk=ad.pk).update(hits=99)
            raise RuntimeError(hook)

        ad = publish(SOFA)
        if hook == "show":
            hold(ad)
        before = state_of(ad)
        adapt(**{hook: fail})
        with pytest.raises(RuntimeError):
            act(ad)
        assert (state_of(ad), Ad.objects.get().hits) == (before, 0)

    def test_where_the_adapter_does_not_say_how(self, db):
        post = UuidPost.objects.create(text=SOFA)
        with pytest.raises(ImproperlyConfigured):
            hold(post)
        assert not Hold.objects.exists()


CHECKED = [
    (None, "member", "shown"),
    ([], "member", "shown"),
    ([{"action": "warn"}], "member", "shown"),
    ([{"action": "hold"}], "member", "review"),
    ([{"action": "block"}], "member", "review"),
    ([{"action": "hold", "trust": "guest"}], "member", "shown"),
    ([{"action": "hold", "trust": "guest"}], "guest", "review"),
    ([{"action": "hold", "own": True}], "member", "shown"),
    ([{"action": "hold", "verdict": "variant"}], "member", "shown"),
    ([{"action": "block", "exact": False}, {"action": "hold"}], "member", "review"),
]


class TestUntilChecked:
    @pytest.mark.parametrize(("table", "trust", "end"), CHECKED)
    def test_the_rules_say_what_becomes_of_it(self, table, trust, end, adapt, people, publish, checked):
        board = adapt(publication=table)
        publish(SOFA, people.bob)
        ad = checked(SOFA_EDITED, people.ann, trust)
        assert is_shown(ad) == (end == "shown")
        assert state_of(ad) == (None if end == "shown" else end)
        told = {"shown": [("published", ad.pk)], "review": [], "refused": [("refused", ad.pk)]}
        assert board.told == told[end]
        if end != "shown":
            row = Hold.objects.get()
            assert (row.verdict, row.exact, row.own) == ("duplicate", False, False)

    @pytest.mark.parametrize("text", [CAT, "два слова", ""])
    def test_what_is_like_nothing_is_published(self, text, adapt, people, publish, checked):
        adapt(publication=[{"action": "block"}])
        publish(SOFA, people.bob)
        assert is_shown(checked(text, people.ann))

    def test_ones_own_exact_copy_is_refused_by_the_rules_of_ours(self, board, people, publish, checked):
        publish(SOFA, people.ann)
        assert state_of(checked(SOFA, people.ann)) == "refused"
        assert state_of(checked(SOFA_EDITED, people.ann)) == "review"

    def test_posts_that_nobody_sees_do_not_count(self, adapt, people, publish, checked):
        adapt(publication=[{"action": "block"}])
        publish(SOFA, people.bob, published=False)
        assert is_shown(checked(SOFA_EDITED, people.ann))

    def test_of_two_that_come_together_the_first_is_published(self, adapt, people, checked):
        adapt(publication=[{"action": "hold"}])
        one, two = checked(SOFA, people.ann, work=False), checked(SOFA_EDITED, people.bob, work=False)
        drain()
        assert [is_shown(one), is_shown(two)] == [True, False]
        assert state_of(two) == "review"

    def test_saved_by_a_form_it_waits_and_is_published(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        form = submit(people.ann, text=SOFA)
        assert form.is_valid()
        ad = form.save()
        assert (is_shown(ad), state_of(ad), form.neardup.outcome) == (False, "checking", "checking")
        assert not Fingerprint.objects.exists()
        drain()
        assert is_shown(ad) and state_of(ad) is None

    def test_staff_do_not_wait(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        form = submit(people.ann, text=SOFA, trust="staff")
        assert form.is_valid()
        assert form.save().published
        assert not Hold.objects.exists()

    def test_an_edit_of_a_shown_post_waits_too(self, adapt, people, submit, publish):
        adapt(hold_until_checked=True)
        ad = publish(CAT, people.ann)
        form = submit(people.ann, text=SOFA, instance=ad)
        assert form.is_valid()
        form.save()
        assert (is_shown(ad), state_of(ad)) == (False, "checking")
        drain()
        assert is_shown(ad)
        same = submit(people.ann, text=SOFA, instance=Ad.objects.get(pk=ad.pk))
        assert same.is_valid()
        assert same.save().published

    @pytest.mark.parametrize(
        ("days", "exact", "found"),
        [(-1, True, []), (1, False, [("related", False)]), (1, True, [("duplicate", True)])],
    )
    def test_a_deleted_post_that_is_said_again(self, days, exact, found, board, people, publish):
        lost, row = document(publish(CAT, people.ann)), document(publish(SOFA, people.ann))
        Ad.objects.filter(text=CAT).delete()
        lost.forget_at = timezone.now() + timedelta(days=days)
        row.repeats, row.repeats_exactly = lost, exact
        facts = receivers.find_held_post_matches(row, board, "default")
        assert facts == [
            receivers.HeldPostMatch(verdict, exact, own=True, deleted=True) for verdict, exact in found
        ]


class TestAgain:
    """Signals that come twice, too late, or for a post that is another by now."""

    def test_a_signal_that_comes_twice(self, adapt, people, checked, django_capture_on_commit_callbacks):
        board = adapt()
        ad = checked(SOFA, people.ann)
        with django_capture_on_commit_callbacks(execute=True):
            for _ in range(2):
                document_checked.send_robust(sender=Ad, document=document(ad), using="default")
        assert board.told == [("published", ad.pk)]

    def test_a_post_that_is_edited_while_it_waits_for_a_person(self, adapt, people, publish, checked):
        adapt(publication=[{"action": "hold"}])
        publish(SOFA, people.bob)
        ad = checked(SOFA_EDITED, people.ann)
        assert state_of(ad) == "review"
        mark(ad, recheck=True)
        drain()
        assert state_of(ad) == "review"
        Ad.objects.get(pk=ad.pk).save()
        drain()
        assert state_of(ad) == "review"
        edited = Ad.objects.get(pk=ad.pk)
        edited.text = CAT
        edited.save()
        drain()
        assert is_shown(ad) and state_of(ad) is None

    def test_a_refused_post_that_is_edited_is_judged_anew(self, adapt, people, publish, checked):
        adapt(publication=[{"action": "block", "exact": True}, {"action": "hold"}])
        publish(SOFA, people.bob)
        ad = checked(SOFA, people.ann)
        assert state_of(ad) == "refused"
        Ad.objects.get(pk=ad.pk).save()
        drain()
        assert state_of(ad) == "refused"
        for text, end in ((SOFA_EDITED, "review"), (CAT, None)):
            edited = Ad.objects.get(pk=ad.pk)
            edited.text = text
            edited.save()
            drain()
            assert state_of(ad) == end
        assert is_shown(ad)

    def test_what_a_site_holds_for_its_own_reasons_waits_for_a_person(self, board, publish):
        ad = publish(SOFA)
        hold(ad)
        edited = Ad.objects.get(pk=ad.pk)
        edited.text = CAT
        edited.save()
        drain()
        assert (is_shown(ad), state_of(ad)) == (False, "review")

    def test_an_edit_after_the_comparison_is_not_published_unchecked(self, adapt, people, publish, checked):
        adapt(publication=[{"action": "hold"}])
        publish(SOFA, people.bob)
        ad = checked(CAT, people.ann, work=False)
        said = []

        def edit(sender, document, using, **kwargs):
            if not said and document.object_id == str(ad.pk):
                said.append(Ad.objects.filter(pk=ad.pk).update(text=SOFA_EDITED))
                mark(ad)

        document_checked.disconnect(dispatch_uid="neardup.publishing")
        document_checked.connect(edit)
        receivers.connect_receivers()
        try:
            drain()
        finally:
            document_checked.disconnect(edit)
        assert said == [1]
        assert state_of(ad) == "review"

    @pytest.mark.parametrize("state", ["checking", "review", "refused"])
    def test_a_post_that_is_deleted_while_it_waits(self, state, board, people, publish):
        ad = publish(SOFA, people.ann)
        hold_in_state(ad, state)
        ad.delete()
        drain()
        assert not Hold.objects.exists()

    @pytest.mark.parametrize("state", ["review", "refused"])
    @pytest.mark.parametrize("deed", [merged_away, delete])
    def test_a_post_that_staff_take_while_it_waits_comes_back_held(self, deed, state, board, people, publish):
        publish(SOFA, people.bob)
        ad = publish(SOFA_EDITED, people.ann)
        hold_in_state(ad, state, trust="member")
        Hold.objects.update(created=timezone.now() - timedelta(days=3))
        drain()
        (before,) = Hold.objects.values()
        records = deed([ad], ActionContext())
        drain()
        assert not Hold.objects.exists()
        undone(*records)
        drain()
        (after,) = Hold.objects.values()
        assert {**after, "id": before["id"]} == before
        assert not is_shown(ad)
        assert release(Ad.objects.get(pk=ad.pk)) and is_shown(ad)

    @pytest.mark.parametrize("state", ["review", "refused"])
    def test_a_post_that_staff_hide_while_it_waits_goes_on_waiting_after_the_undo(
        self, state, board, people, publish, django_capture_on_commit_callbacks
    ):
        publish(SOFA, people.bob)
        ad = publish(SOFA_EDITED, people.ann)
        with django_capture_on_commit_callbacks(execute=True):
            hold_in_state(ad, state, trust="member")
            drain()
            before = list(Hold.objects.values())
            records = hide([ad], ActionContext())
            drain()
            undone(*records)
            drain()
        assert list(Hold.objects.values()) == before
        assert not is_shown(ad) and board.told == []
        assert release(Ad.objects.get(pk=ad.pk)) and is_shown(ad)

    def test_a_post_that_waits_by_the_rules_is_not_published_by_an_undo(
        self, adapt, people, publish, checked, django_capture_on_commit_callbacks
    ):
        board = adapt(publication=[{"action": "hold"}])
        publish(SOFA, people.bob)
        ad = checked(SOFA_EDITED, people.ann)
        (before,) = Hold.objects.values()
        with django_capture_on_commit_callbacks(execute=True):
            undone(*hide([ad], ActionContext()))
            drain()
        assert list(Hold.objects.values()) == [before]
        assert not is_shown(ad) and board.told == []

    def test_a_post_that_staff_hide_before_it_is_checked_waits_for_a_person(self, board, publish):
        ad = publish(SOFA)
        hold_in_state(ad, "checking")
        (record,) = hide([ad], ActionContext())
        drain()
        assert (Hold.objects.get().state, is_shown(ad)) == ("review", False)
        undone(record)
        drain()
        assert not is_shown(ad)

    @pytest.mark.parametrize("show", [release, lambda ad: Ad.objects.update(published=True)])
    def test_one_that_was_hidden_and_shown_again_is_published_when_it_is_checked(
        self, show, adapt, people, submit, publish
    ):
        adapt(hold_until_checked=True)
        ad = publish(CAT, people.ann)
        hold_in_state(ad, "checking")
        hide([ad], ActionContext())
        show(ad)
        form = submit(people.ann, text=SOFA, instance=Ad.objects.get())
        assert form.is_valid()
        form.save()
        assert (is_shown(ad), state_of(ad)) == (False, "checking")
        drain()
        assert is_shown(ad) and state_of(ad) is None

    @pytest.mark.parametrize("again", [False, True])
    def test_one_that_staff_had_hidden_before_it_was_held_waits_for_a_person(self, again, board, publish):
        ad = publish(SOFA)
        (record,) = hide([ad], ActionContext())
        for _ in range(1 + again):
            hold(Ad.objects.get(), _Match())
        edited(ad, CAT)
        assert (state_of(ad), is_shown(ad)) == ("review", False)
        assert Hold.objects.get().created == record.created

    @pytest.mark.parametrize("before", [False, True])
    def test_one_that_was_hidden_and_shown_again_before_it_was_held_is_published(
        self, before, board, publish
    ):
        ad = publish(SOFA)
        if before:
            hold(ad)
        hide([ad], ActionContext())
        Ad.objects.update(published=True)
        for _ in range(2):
            hold(Ad.objects.get(), _Match())
        edited(ad, CAT)
        assert (state_of(ad), is_shown(ad)) == (None, True)

    def test_a_draft_that_nobody_hid_is_published_when_it_is_edited(self, board, publish):
        ad = publish(SOFA, published=False)
        hold(ad, _Match())
        edited(ad, CAT)
        assert is_shown(ad)

    @pytest.mark.parametrize("by", [0, 7])
    def test_one_that_staff_hide_as_a_child_waits_for_a_person(self, by, notices):
        notice = Notice.objects.create(text=SOFA)
        Bulletin(number=notice.pk + by, notice=notice).save_base(raw=True)
        hold_in_state(notice, "checking")
        hide([Bulletin.objects.get()], ActionContext())
        drain()
        assert (Hold.objects.get().state, Notice.objects.get().published) == ("review", False)

    def test_a_post_that_takes_the_key_of_a_held_one_is_not_held(
        self, board, people, publish, django_capture_on_commit_callbacks
    ):
        ad = publish(SOFA, people.ann)
        with django_capture_on_commit_callbacks(execute=True):
            hold_in_state(ad, "review")
            delete([ad], ActionContext())
            drain()
            Ad.objects.create(pk=ad.pk, text=PILES, author=people.bob, published=False)
            drain()
        assert not Hold.objects.exists() and not is_shown(ad)
        assert board.told == []

    def test_a_post_that_somebody_has_published_by_hand(
        self, board, people, publish, django_capture_on_commit_callbacks
    ):
        ad = publish(SOFA, people.ann)
        with django_capture_on_commit_callbacks(execute=True):
            hold(ad)
            again = Ad.objects.get(pk=ad.pk)
            again.published = True
            again.save()
            drain()
        assert is_shown(ad) and state_of(ad) is None
        assert board.told == []

    def test_where_showing_fails_a_person_sees_to_it(self, adapt, people, checked, caplog):
        def fail(self, ad):
            Ad.objects.filter(pk=ad.pk).update(hits=99)
            raise RuntimeError("no")

        adapt(show=fail)
        ad = checked(SOFA, people.ann)
        assert (is_shown(ad), state_of(ad), Ad.objects.get().hits) == (False, "review", 0)
        assert "waits for a moderator" in caplog.text

    def test_what_the_adapter_raises_afterwards_changes_nothing(self, adapt, people, checked, caplog):
        def fail(self, ad):
            raise RuntimeError("no")

        adapt(published=fail)
        assert is_shown(checked(SOFA, people.ann))
        assert "failed after a commit" in caplog.text and "RuntimeError" in caplog.text


class TestDecisions:
    @pytest.fixture
    def waiting(self, adapt, people, publish, checked):
        """A post that waits because it is like two others."""
        adapt(publication=[{"action": "hold"}])
        one, two = publish(PILES.format("С140.35"), people.bob), publish(PILES.format("С90.30"), people.bob)
        return checked(PILES.format("С120.40"), people.ann), one, two

    def test_the_last_word_that_they_differ_publishes_it(self, waiting, people):
        ad, one, two = waiting
        assert state_of(ad) == "review"
        decide("different", [document(ad), document(one)], None, "default")
        assert state_of(ad) == "review"
        decide("different", [document(two), document(one)], None, "default")
        assert state_of(ad) == "review"
        decide("different", [document(ad), document(two)], None, "default")
        assert is_shown(ad) and state_of(ad) is None

    def test_that_they_are_the_same_publishes_nothing(self, waiting):
        ad, one, two = waiting
        decide("same", [document(ad), document(one), document(two)], None, "default")
        assert state_of(ad) == "review"

    def test_a_decision_that_was_taken_back_is_none(self, waiting):
        ad, one, two = waiting
        withdraw(decide("different", [document(ad), document(one)], None, "default"), None, "default")
        decide("different", [document(ad), document(two)], None, "default")
        assert state_of(ad) == "review"

    def test_a_group_that_is_left(self, adapt, people, publish, checked):
        adapt(publication=[{"action": "hold"}])
        publish(SOFA, people.bob)
        ad = checked(SOFA_EDITED, people.ann)
        members = Document.objects.filter(membership__cluster=Cluster.objects.get())
        decide("different", list(members), None, "default")
        assert is_shown(ad)

    def test_what_a_site_holds_for_its_own_reasons_is_left(self, adapt, people, publish):
        adapt(publication=[{"action": "hold"}])
        one, two = publish(SOFA, people.bob), publish(SOFA_EDITED, people.ann)
        hold(two)
        decide("different", [document(one), document(two)], None, "default")
        assert state_of(two) == "review"

    @pytest.mark.django_db(transaction=True)
    def test_it_is_told_after_the_commit(self, waiting):
        ad, one, _two = waiting
        heard = []

        def listen(sender, decision, using, **kwargs):
            heard.append((decision.kind, using, connections[using].in_atomic_block))

        decision_made.connect(listen)
        try:
            with pytest.raises(ZeroDivisionError):
                decide("same", [document(ad), document(one)], None, "default", check=lambda: 1 / 0)
            decide("different", [document(ad), document(one)], None, "default")
        finally:
            decision_made.disconnect(listen)
        assert heard == [("different", "default", False)]


def test_a_post_that_was_published_a_moment_ago_counts(board, people, publish):
    old = publish(SOFA, people.bob)
    row = document(publish(SOFA_EDITED, people.ann))
    Fingerprint.objects.filter(document=document(old)).update(source_digest="0" * 32)
    assert receivers.find_held_post_matches(row, board, "default") == []
    mark(old)
    assert [fact.verdict for fact in receivers.find_held_post_matches(row, board, "default")] == ["duplicate"]
    Fingerprint.objects.filter(document=row).update(source_digest="1" * 32)
    assert receivers.find_held_post_matches(row, board, "default") == []


def test_posts_that_are_not_held_cost_the_worker_nothing(board, people, publish, django_assert_num_queries):
    row = document(publish(SOFA, people.ann))
    with django_assert_num_queries(0):
        receivers.on_document_checked(Ad, row, "default")
        row.done, row.live = 0, False
        receivers.on_document_checked(Ad, row, "default")


def test_the_pairs_that_count_are_fetched_whole(adapt, people, publish, django_assert_max_num_queries):
    adapter = adapt()
    publish(SOFA, people.bob)
    ad = publish(SOFA_EDITED, people.ann)
    row = document(ad)
    with django_assert_max_num_queries(8):
        (pair,) = receivers.live_pairs(row, adapter, "default")
    assert pair == Pair.objects.get() and row in (pair.a, pair.b)


@pytest.mark.engines("sqlite")
@pytest.mark.parametrize(
    "act",
    [release, refuse, lambda ad: renew_post(ad, Ad(text=SOFA_EDITED), registry.adapter_for(ad), Visitor(ad.author_id))],
    ids=["release", "refuse", "renew"],
)  # fmt: skip
def test_a_transaction_begins_with_a_write(act, board, people, publish):
    ad = publish(SOFA, people.ann)
    hold(ad)
    with CaptureQueriesContext(connection) as queries:
        act(ad)
    words = [each["sql"].split()[0] for each in queries]
    assert words[words.index("SAVEPOINT") + 1] == "UPDATE"
