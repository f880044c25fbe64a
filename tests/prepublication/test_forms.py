"""Forms with real posts and a real worker: shown, confirmed, held, refused, renewed, and never in the way."""

from __future__ import annotations

import logging
import re
import time

import pytest
from django import forms
from django.core import signing
from django.db import DatabaseError, connection, transaction
from django.test import RequestFactory
from django.test.utils import CaptureQueriesContext
from django.utils.translation import override

from django_neardup.adapters import Adapter, adapter_for
from django_neardup.forms import NearDuplicateFormMixin
from django_neardup.models import Cluster, Document, Fingerprint, Hold, Pair, Scheme, Space
from django_neardup.pipeline import drain
from django_neardup.prepublication import check, hold, release
from django_neardup.prepublication.confirmation_tokens import MAX_AGE_SECONDS
from django_neardup.prepublication.holds import hold_in_state
from django_neardup.prepublication.receivers import HeldPostMatch
from tests.pipeline.helpers import CAT, PIANO, PILES, SOFA, SOFA_EDITED
from tests.prepublication.conftest import AdForm, BoardNeardup
from tests.testapp.models import Ad, ScopedPost
from tests.testapp.neardup import AdNeardup

pytestmark = pytest.mark.django_db
CONFIRM = ("neardup_confirm", "1")


def confirmed(form, *more):
    """The buttons of somebody who was shown this and goes on."""
    return [CONFIRM, ("neardup_token", form.neardup.token), *more]


def code(form):
    (error,) = form.errors.as_data()["__all__"]
    return error.code


def page(form):
    """What the visitor is told, without what is signed anew every second."""
    return re.sub(r'value="\.?[\w:-]{40,}"', "", str(form.neardup))


class TestWarning:
    def test_nothing_similar_is_published(self, board, people, submit, publish):
        publish(CAT, people.bob)
        form = submit(people.ann, text=SOFA)
        assert form.is_valid()
        assert str(form.neardup) == ""
        assert form.save().published
        assert form.neardup.outcome == "published"

    def test_it_is_shown_first_and_published_after(self, board, people, submit, publish):
        publish(SOFA, people.bob, title="Диван")
        first = submit(people.ann, text=SOFA_EDITED)
        assert not first.is_valid()
        assert code(first) == "neardup_confirm"
        assert '<a href="/ads/' in page(first) and "Publish anyway" in page(first)
        assert "yours" not in page(first) and "Renew" not in page(first)
        assert Ad.objects.count() == 1

        second = submit(people.ann, *confirmed(first), text=SOFA_EDITED)
        assert second.is_valid(), second.errors
        assert second.save().published
        assert second.neardup.outcome == "published"
        drain()
        assert Cluster.objects.get().size == 2
        assert not Hold.objects.exists()

    def test_staff_are_let_through(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        assert submit(people.ann, text=SOFA, trust="staff").is_valid()

    def test_another_item_is_no_matter(self, board, people, submit, publish):
        publish(PILES.format("С140.35"), people.bob)
        assert submit(people.ann, text=PILES.format("С90.30")).is_valid()

    def test_other_faults_come_first(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        form = submit(people.ann, text=SOFA, title="x" * 201)
        assert list(form.errors) == ["title"]
        assert str(form.neardup) == ""

    def test_what_may_not_be_seen_changes_nothing(self, adapt, people, submit, publish):
        adapt(visible=lambda self, request: Ad.objects.filter(published=True).exclude(sku="closed"))
        publish(CAT, people.bob)
        alone = submit(people.ann, text=SOFA)
        assert alone.is_valid()
        publish(SOFA, people.bob, sku="closed")
        publish(SOFA, people.ann, published=False)
        assert submit(people.ann, text=SOFA).is_valid()
        shown = publish(SOFA_EDITED, people.bob)
        beside = submit(people.ann, text=SOFA)
        told = page(beside)
        Ad.objects.exclude(pk=shown.pk).delete()
        drain()
        assert page(submit(people.ann, text=SOFA)) == told
        assert [match.object for match in beside.neardup.matches] == [shown]

    def test_a_post_that_cannot_name_itself_is_no_way_past_the_rules(
        self, board, people, submit, publish, monkeypatch, caplog
    ):
        old = publish(SOFA, people.ann)
        monkeypatch.setattr(Ad, "__str__", lambda ad: ad.parent.title)
        form = submit(people.ann, text=SOFA)
        assert not form.is_valid() and code(form) == "near_duplicate"
        assert f"Ad {old.pk}" in page(form) and "AttributeError" in caplog.text


class TestToken:
    @pytest.fixture
    def shown(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        form = submit(people.ann, text=SOFA_EDITED)
        assert not form.is_valid()
        return form

    def asks_again(self, submit, author, token, button=CONFIRM, **more):
        form = submit(author, button, ("neardup_token", token), text=SOFA_EDITED, **more)
        return not form.is_valid() and code(form) == "neardup_confirm"

    @pytest.mark.parametrize("token", ["", "x", "W10:1:x", ".eJw:1xV3Uh:sCKiCe"])
    def test_a_made_up_one_is_none(self, shown, people, submit, token):
        assert self.asks_again(submit, people.ann, token)

    def test_a_changed_one_is_none(self, shown, people, submit):
        payload, rest = shown.neardup.token.split(":", 1)
        other = "y" if payload[-1] == "x" else "x"
        assert self.asks_again(submit, people.ann, f"{payload[:-1]}{other}:{rest}")

    def test_it_is_nothing_without_its_button(self, shown, people, submit):
        assert self.asks_again(submit, people.ann, shown.neardup.token, button=("other", "1"))

    def test_it_is_nobody_elses(self, shown, people, submit):
        assert self.asks_again(submit, None, shown.neardup.token)
        assert self.asks_again(submit, people.ann, shown.neardup.token, trust="guest")

    def test_it_is_of_no_other_post(self, shown, people, submit, publish):
        mine = publish(CAT, people.ann)
        assert self.asks_again(submit, people.ann, shown.neardup.token, instance=mine)

    def test_it_ends(self, shown, people, submit, monkeypatch):
        token, later = shown.neardup.token, time.time() + MAX_AGE_SECONDS + 9
        assert not self.asks_again(submit, people.ann, token)
        monkeypatch.setattr(signing.time, "time", lambda: later)
        assert self.asks_again(submit, people.ann, token)

    def test_it_serves_again_while_nothing_new_is_there(self, shown, people, submit):
        buttons = confirmed(shown)
        for text in (SOFA_EDITED, SOFA_EDITED + " Торг."):
            assert submit(people.ann, *buttons, text=text).is_valid()

    def test_new_similar_posts_are_shown_first(self, shown, people, submit, publish):
        publish(SOFA_EDITED, people.bob)
        again = submit(people.ann, *confirmed(shown), text=SOFA_EDITED)
        assert not again.is_valid()
        assert len(again.neardup.matches) == 2
        assert submit(people.ann, *confirmed(again), text=SOFA_EDITED).is_valid()

    def test_fewer_posts_than_were_shown_are_no_matter(self, shown, people, submit):
        Ad.objects.all().delete()
        drain()
        assert submit(people.ann, *confirmed(shown), text=SOFA_EDITED).is_valid()

    def test_a_confirmed_warning_confirms_no_holding(self, shown, adapt, people, submit):
        adapt(publication=[{"action": "hold", "verdict": "duplicate"}])
        assert self.asks_again(submit, people.ann, shown.neardup.token)


class TestHolding:
    def test_it_is_told_and_then_saved_unseen(self, board, people, submit, publish):
        old = publish(SOFA, people.ann)
        first = submit(people.ann, text=SOFA_EDITED)
        assert not first.is_valid()
        assert "Send it to a moderator" in page(first) and "yours" in page(first)
        second = submit(people.ann, *confirmed(first), text=SOFA_EDITED)
        assert second.is_valid()
        ad = second.save()
        assert not Ad.objects.get(pk=ad.pk).published
        hold = Hold.objects.get()
        assert (hold.state, hold.verdict, hold.exact, hold.own, hold.trust) == (
            "review", "duplicate", False, True, "member",
        )  # fmt: skip
        assert hold.document.object_id == str(ad.pk)
        assert second.neardup.outcome == "review"
        drain()
        assert Hold.objects.get().state == "review"
        assert Ad.objects.get(pk=old.pk).published

    def test_saved_by_the_view_it_is_held_too(self, board, people, submit, publish):
        publish(SOFA, people.ann)
        first = submit(people.ann, text=SOFA_EDITED)
        ad = submit(people.ann, *confirmed(first), text=SOFA_EDITED)
        assert ad.is_valid()
        instance = ad.save(commit=False)
        assert instance.pk is None
        instance.phone = "1"
        instance.save()
        assert not Ad.objects.get(phone="1").published
        assert ad.neardup.outcome == "review"
        instance.published = True
        instance.save()
        assert Ad.objects.get(phone="1").published

    def test_a_draft_is_left_as_it_is(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        form = submit(people.ann, text=SOFA, instance=Ad(author=people.ann, published=False))
        assert form.is_valid()
        assert not form.save().published
        assert not Hold.objects.exists()
        assert form.neardup.outcome == "published"

    def test_what_cannot_be_hidden_is_warned_of(self, adapt, people, submit, publish):
        publish(SOFA, people.ann)
        adapt(hide=Adapter.hide)
        form = submit(people.ann, text=SOFA_EDITED)
        assert not form.is_valid()
        assert form.neardup.action == "warn"

    def test_where_holding_fails_the_post_is_published(self, adapt, people, submit, publish, caplog):
        def hide(self, ad):
            ad.published = False
            raise RuntimeError("no")

        publish(SOFA, people.ann)
        adapt(hide=hide)
        first = submit(people.ann, text=SOFA_EDITED)
        second = submit(people.ann, *confirmed(first), text=SOFA_EDITED)
        assert second.is_valid()
        with caplog.at_level(logging.ERROR):
            ad = second.save()
        assert ad.published and Ad.objects.get(pk=ad.pk).published
        assert "published unchecked" in caplog.text
        assert not Hold.objects.exists()

    def test_whether_it_is_live_is_asked_once_before_it_is_hidden(self, adapt, people, submit):
        def live(self):
            asked.append("live")
            return AdNeardup.live(self)

        def hide(self, ad):
            asked.append("hide")
            AdNeardup.hide(self, ad)

        asked = []
        adapt(hold_until_checked=True, live=live, hide=hide)
        form = submit(people.ann, text=SOFA)
        assert form.is_valid()
        asked.clear()
        form.save()
        assert form.neardup.outcome == "checking"
        assert asked[: asked.index("hide") + 1] == ["live", "hide"]


class TestBlocking:
    def test_no_button_leads_past_it(self, board, people, submit, publish):
        publish(SOFA, people.ann)
        first = submit(people.ann, text=SOFA)
        assert not first.is_valid()
        assert code(first) == "near_duplicate"
        told = page(first)
        assert 'role="alert"' in told and "/appeal/" in told and 'href="#id_text"' in told
        assert "neardup_confirm" not in told
        assert not submit(people.ann, *confirmed(first), text=SOFA).is_valid()
        assert not submit(people.ann, *confirmed(first, ("neardup_renew", "x")), text=SOFA).is_valid()

    def test_an_address_of_the_sites_that_is_none_is_left_out(self, adapt, people, submit, publish):
        adapt(appeal_url=lambda self, ad: "javascript:alert(1)")
        publish(SOFA, people.ann)
        form = submit(people.ann, text=SOFA)
        assert not form.is_valid()
        assert "javascript" not in page(form)

    @pytest.mark.parametrize(
        "text",
        [
            "Прогноз на выходные: днём -5, без осадков, ветер слабый, дороги сухие",
            "Прогноз на выходные: днём +5, без осадков, ветер слабый, дороги сухие, метеоролог Белов",
        ],
    )
    def test_another_sign_or_surname_is_never_refused(self, adapt, people, submit, publish, text):
        adapt(publication=[{"action": "block", "verdict": "duplicate"}])
        other = text.replace("-5", "+5").replace("Белов", "Белова")
        publish(other, people.bob)
        form = submit(people.ann, text=text)
        assert "neardup_block" not in {error.code for error in form.errors.as_data().get("__all__", ())}
        publish(text, people.bob)
        assert not submit(people.ann, text=text).is_valid(), "an exact copy is refused"

    def test_another_accent_is_never_refused(self, adapt, people, submit, publish):
        adapt(publication=[{"action": "block", "verdict": "duplicate"}])
        publish("Frische Küchen zu verkaufen, Lieferung am Wochenende, Anfrage per Nachricht", people.bob)
        form = submit(
            people.ann, text="Frische Kuchen zu verkaufen, Lieferung am Wochenende, Anfrage per Nachricht"
        )
        assert form.is_valid()


class TestRenewal:
    def renewed(self, submit, author, pk, text=SOFA_EDITED, **more):
        return submit(author, ("neardup_renew", str(pk)), text=text, **more)

    @pytest.mark.parametrize("text", [SOFA, SOFA_EDITED])
    def test_the_old_post_is_saved_in_place_of_a_new_one(self, board, people, submit, publish, text):
        old = publish(SOFA, people.ann)
        first = submit(people.ann, text=text)
        assert not first.is_valid()
        assert f'name="neardup_renew" value="{old.pk}"' in page(first)
        form = self.renewed(submit, people.ann, old.pk, text)
        assert form.is_valid(), form.errors
        assert form.save() == old
        assert form.neardup.outcome == "renewed"
        ad = Ad.objects.get()
        assert (ad.text, ad.hits) == (text, 1)

    def test_commit_or_not_the_old_one_is_saved(self, board, people, submit, publish):
        old = publish(SOFA, people.ann)
        form = self.renewed(submit, people.ann, old.pk)
        assert form.is_valid()
        assert form.save(commit=False) == old
        assert Ad.objects.get().hits == 1

    @pytest.mark.parametrize("likest", [0, 1])
    def test_of_two_the_likest_is_offered_by_name_and_renewed(self, likest, adapt, people, submit, publish):
        adapt(publication=[{"action": "hold"}])
        titles = ["Диван", "Диван, срочно"]
        old = [publish(text, people.ann, title=title) for text, title in zip((SOFA, SOFA_EDITED), titles)]
        title, text = titles[likest], old[likest].text + " Торг."
        first = submit(people.ann, text=text, title=title)
        assert not first.is_valid()
        assert [match.object for match in first.neardup.matches] == [old[likest], old[1 - likest]]
        pk = old[likest].pk
        assert f'Your earlier post: <a href="/ads/{pk}/">{title}</a></p>' in page(first)
        assert f'name="neardup_renew" value="{pk}"' in page(first)
        (marked,) = [item for item in page(first).split("<li>")[1:] if "can be renewed" in item]
        assert f'href="/ads/{pk}/"' in marked.split("</li>")[0]
        form = self.renewed(submit, people.ann, pk, text, title=title)
        assert form.is_valid() and form.save() == old[likest]

    def test_what_has_no_address_is_named_without_a_link(self, adapt, people, submit, publish):
        adapt(url=lambda self, ad: "")
        publish(SOFA, people.ann, title="Диван")
        form = submit(people.ann, text=SOFA, title="Диван")
        assert not form.is_valid()
        assert "Your earlier post: Диван</p>" in page(form) and "can be renewed" not in page(form)

    @pytest.mark.parametrize("until_checked", [False, True])
    def test_saved_by_the_view_too_the_old_one_is_renewed_once(
        self, until_checked, adapt, people, submit, publish
    ):
        adapt(hold_until_checked=until_checked)
        old = publish(SOFA, people.ann)
        form = self.renewed(submit, people.ann, old.pk)
        assert form.is_valid()
        ad = form.save(commit=False)
        ad.save()
        form.save_m2m()
        assert form.save() == form.publish(form.instance) == old
        assert Ad.objects.get().hits == 1
        assert form.neardup.outcome == ("checking" if until_checked else "renewed")

    def test_a_formset_saves_it_too(self, board, people, submit, publish):
        old = publish(SOFA, people.ann)
        first = self.renewed(submit, people.ann, old.pk)
        data = {f"form-0-{name}": value for name, value in first.data.items()}
        data |= {"form-TOTAL_FORMS": "1", "form-INITIAL_FORMS": "0"}
        forms_of = forms.modelformset_factory(Ad, form=AuthoredForm, extra=1)
        formset = forms_of(data, queryset=Ad.objects.none(), form_kwargs={"request": first.request})
        assert formset.is_valid(), formset.errors
        assert formset.save(commit=False) == [old]
        formset.save_m2m()

    def test_nobody_renews_anothers(self, board, people, submit, publish):
        strange, own = publish(SOFA, people.bob), publish(CAT, people.ann)
        for author, pk in ((people.ann, strange.pk), (None, strange.pk), (people.ann, own.pk)):
            form = self.renewed(submit, author, pk)
            assert not form.is_valid()
            assert form.neardup.renewal is None
        assert set(Ad.objects.values_list("hits", flat=True)) == {0}

    def test_a_form_that_claims_an_author_renews_nothing(self, board, people, submit, publish):
        strange = publish(SOFA, people.bob)
        form = self.renewed(submit, people.ann, strange.pk, instance=Ad(author=people.bob))
        assert not form.is_valid()
        assert form.neardup.renewal is None

    def test_what_a_moderator_has_before_him_is_not_renewed(self, adapt, people, submit, publish):
        adapt(visible=lambda self, request: Ad.objects.all())
        old = publish(SOFA, people.ann)
        hold(old)
        form = self.renewed(submit, people.ann, old.pk)
        assert not form.is_valid()
        assert form.neardup.renewal is None

    def test_a_text_that_anothers_post_stops_is_not_brought_in_by_renewal(
        self, adapt, people, submit, publish
    ):
        adapt(publication=[{"action": "block", "own": False}, {"action": "hold"}])
        old = publish(SOFA, people.ann)
        publish(SOFA_EDITED, people.bob)
        form = self.renewed(submit, people.ann, old.pk)
        assert not form.is_valid()
        assert code(form) == "near_duplicate"
        assert form.neardup.renewal is None

    def test_an_edited_post_is_not_replaced_by_another(self, board, people, submit, publish):
        old, other = publish(SOFA, people.ann), publish(CAT, people.ann)
        form = self.renewed(submit, people.ann, old.pk, instance=other)
        assert not form.is_valid()
        assert form.neardup.renewal is None

    def test_nothing_is_offered_where_the_site_does_not_say_how(self, adapt, people, submit, publish):
        adapt(AdNeardup, request_author=BoardNeardup.request_author, trust=BoardNeardup.trust)
        old = publish(SOFA, people.ann)
        form = self.renewed(submit, people.ann, old.pk)
        assert not form.is_valid()
        assert form.neardup.renewal is None

    def test_where_it_is_gone_meanwhile_the_new_one_waits(self, board, people, submit, publish):
        old = publish(SOFA, people.ann)
        form = self.renewed(submit, people.ann, old.pk)
        assert form.is_valid()
        old.delete()
        new = form.save()
        assert not Ad.objects.get(pk=new.pk).published
        assert form.neardup.outcome == "review"


class TestRenewalUntilChecked:
    RULES = [{"action": "warn", "own": True}, {"action": "hold"}]

    def renewed(self, submit, people, publish, old_text=SOFA, **more):
        old = publish(old_text, people.ann)
        form = submit(people.ann, ("neardup_renew", str(old.pk)), text=SOFA_EDITED, **more)
        assert form.is_valid(), form.errors
        assert form.save() == old
        return form.neardup, Ad.objects.get(pk=old.pk)

    def visible(self, request):
        return Ad.objects.exclude(sku="closed")

    def test_it_waits_like_any_other(self, adapt, people, submit, publish):
        adapt(hold_until_checked=True, publication=self.RULES, visible=TestRenewalUntilChecked.visible)
        publish(SOFA_EDITED, people.bob, sku="closed")
        policy, ad = self.renewed(submit, people, publish)
        assert (policy.outcome, ad.published, ad.text) == ("checking", False, SOFA_EDITED)
        assert "is checked" in str(policy.message)
        drain()
        assert Hold.objects.get().state == "review"
        assert not Ad.objects.get(pk=ad.pk).published

    def test_what_is_like_nothing_is_published(self, adapt, people, submit, publish):
        adapt(hold_until_checked=True, publication=self.RULES)
        _policy, ad = self.renewed(submit, people, publish)
        drain()
        assert Ad.objects.get(pk=ad.pk).published
        assert not Hold.objects.exists()

    def test_a_draft_is_left_as_it_is(self, adapt, people, submit, publish):
        def renew(self, old, new):
            old.text, old.published = new.text, False
            old.save()

        adapt(hold_until_checked=True, publication=self.RULES, renew=renew)
        policy, ad = self.renewed(submit, people, publish)
        assert (policy.outcome, ad.published) == ("renewed", False)
        assert not Hold.objects.exists()

    def test_where_holding_fails_it_is_published(self, adapt, people, submit, publish, caplog):
        def hide(self, ad):
            raise RuntimeError("no")

        adapt(hold_until_checked=True, publication=self.RULES, hide=hide)
        policy, ad = self.renewed(submit, people, publish)
        assert (policy.outcome, ad.published, ad.text) == ("renewed", True, SOFA_EDITED)
        assert "published unchecked" in caplog.text


class TestOutcome:
    """What the author of a held post reads who edits it."""

    def edited(self, submit, author, text, **more):
        form = submit(author, text=text, instance=Ad.objects.get(), **more)
        assert form.is_valid(), form.errors
        form.save()
        return form.neardup

    def test_it_is_checked_still(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        first = submit(people.ann, text=SOFA)
        assert first.is_valid()
        first.save()
        policy = self.edited(submit, people.ann, CAT)
        assert (policy.outcome, Ad.objects.get().published) == ("checking", False)
        assert self.edited(submit, people.ann, CAT).outcome == "checking"

    @pytest.mark.parametrize("state", ["checking", "review", "refused"])
    def test_it_is_what_it_was(self, state, board, people, submit, publish):
        hold_in_state(publish(SOFA, people.ann), state)
        policy = self.edited(submit, people.ann, CAT)
        assert policy.outcome == state
        assert "Saved" in str(policy.message)

    @pytest.mark.parametrize("kind", [{}, {"hold_until_checked": True}, {"publication": []}])
    @pytest.mark.parametrize("state", ["review", "refused"])
    def test_an_author_publishes_nothing_that_waits_for_a_person(
        self, state, kind, adapt, people, submit, publish
    ):
        adapt(**kind)
        hold_in_state(publish(SOFA, people.ann), state)
        policy = self.edited(submit, people.ann, CAT, kind=PublishingForm)
        assert (policy.outcome, Ad.objects.get().published) == (state, False)
        drain()
        assert (Hold.objects.get().state, Ad.objects.get().published) == (state, False)

    @pytest.mark.parametrize(("text", "published"), [(SOFA, False), (CAT, True)])
    def test_an_edit_of_what_the_rules_have_refused_is_judged_before_it_is_published(
        self, text, published, board, people, submit, publish
    ):
        hold_in_state(publish(SOFA, people.ann), "refused", HeldPostMatch("duplicate", False, False))
        drain()
        policy = self.edited(submit, people.ann, text, kind=PublishingForm)
        assert (policy.outcome, Ad.objects.get().published) == ("refused", False)
        drain()
        assert (Ad.objects.get().published, Hold.objects.exists()) == (published, not published)

    def test_what_a_moderator_releases_meanwhile_is_published(self, board, people, submit, publish):
        hold(publish(SOFA, people.ann))
        form = submit(people.ann, text=CAT, instance=Ad.objects.get(), kind=PublishingForm)
        assert form.is_valid()
        ad = form.save(commit=False)
        release(Ad.objects.get())
        ad.save()
        assert form.neardup.outcome == "published" and Ad.objects.get().published

    def test_nobody_waits_for_what_staff_have_published(self, board, people, submit, publish):
        hold_in_state(publish(SOFA, people.ann), "review")
        assert self.edited(submit, people.bob, CAT, trust="staff", kind=PublishingForm).outcome == "published"

    def test_a_post_of_nobody_is_published(self, board, people):
        request = RequestFactory().post("/", {"words": SOFA, "draft": "on"})
        request.author, request.trust = people.ann, "member"
        form = PlainForm(request.POST, request=request)
        assert form.is_valid()
        assert form.neardup.outcome == "published"


class PublishingForm(AdForm):
    """Publishes whatever it saves, as a button under a draft does."""

    def save(self, commit=True):
        self.instance.published = True
        return super().save(commit)


class AuthoredForm(AdForm):
    """Its new posts are of whoever sends it."""

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.instance.author = self.request.author


class TestEditing:
    def test_a_post_never_meets_itself(self, board, people, submit, publish):
        ad = publish(SOFA, people.ann)
        assert submit(people.ann, text=SOFA_EDITED, instance=ad).is_valid()

    def test_it_meets_others(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        ad = publish(CAT, people.ann)
        assert not submit(people.ann, text=SOFA_EDITED, instance=ad).is_valid()

    def test_nothing_is_asked_where_the_words_are_the_same(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        ad = publish(SOFA, people.ann, title="Диван")
        assert submit(people.ann, text=SOFA, title="Диван", instance=ad).is_valid()

    def test_without_fields_every_edit_is_looked_at(self, adapt, people, submit, publish):
        adapt(text=lambda self, ad: ad.text, fields=[])
        publish(SOFA, people.bob)
        ad = publish(SOFA, people.ann)
        assert not submit(people.ann, text=SOFA, title="Диван", instance=ad).is_valid()

    def test_a_draft_that_is_published_unchanged_is_looked_at(self, board, people, submit, publish):
        draft = Ad.objects.create(text=SOFA, author=people.ann, published=False)
        assert submit(people.ann, text=SOFA, instance=draft, kind=PublishingForm).is_valid()
        publish(SOFA, people.ann)
        form = submit(people.ann, text=SOFA, instance=draft, kind=PublishingForm)
        assert not form.is_valid()
        assert code(form) == "near_duplicate"

    def test_a_draft_that_is_published_unchanged_waits_for_its_check(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        draft = Ad.objects.create(text=SOFA, author=people.ann, published=False)
        form = submit(people.ann, text=SOFA, instance=draft, kind=PublishingForm)
        assert form.is_valid()
        assert not form.save().published
        assert form.neardup.outcome == "checking"

    def test_one_query_tells_that_nothing_is_asked(self, board, people, submit, publish):
        form = submit(people.ann, text=SOFA, instance=publish(SOFA, people.ann))
        with CaptureQueriesContext(connection) as queries:
            assert form.is_valid()
        assert [each["sql"].split()[0] for each in queries] == ["SAVEPOINT", "SELECT", "RELEASE"]

    def test_where_it_is_not_known_what_is_published_the_post_is_looked_at(
        self, adapt, people, submit, publish, caplog
    ):
        def fail(self):
            raise LookupError("live")

        publish(SOFA, people.bob)
        ad = publish(SOFA, people.ann)
        adapt(live=fail, visible=lambda self, request: Ad.objects.all())
        assert not submit(people.ann, text=SOFA, instance=ad).is_valid()
        assert "nobody knows whether a post is published" in caplog.text

    def test_with_a_property_every_edit_is_looked_at(self, adapt, people, submit, publish, monkeypatch):
        monkeypatch.setattr(Ad, "words", property(lambda ad: f"{ad.title}\n{ad.text}"), raising=False)
        adapt(fields=["words"])
        publish(SOFA, people.bob)
        ad = publish(CAT, people.ann)
        assert not submit(people.ann, text=SOFA, instance=ad).is_valid()

    def test_an_edit_of_staff_is_the_authors_post_still(self, board, people, submit, publish):
        publish(SOFA, people.ann)
        ad = publish(CAT, people.ann)
        form = submit(people.bob, text=SOFA_EDITED, instance=ad)
        assert not form.is_valid()
        assert [match.own for match in form.neardup.matches] == [True]


class TestLooking:
    def test_the_list_without_publishing(self, board, people, submit, publish):
        publish(SOFA, people.bob, title="Диван")
        publish(SOFA_EDITED, people.ann, title="Мой диван")
        form = submit(people.ann, ("neardup_check", "1"), text=SOFA_EDITED)
        assert not form.is_valid()
        assert code(form) == "neardup_check"
        assert "2 similar posts exist" in page(form) and "Мой диван" in page(form)
        assert "<button name" not in page(form)

    def test_nothing_found_is_said(self, board, people, submit):
        form = submit(people.ann, ("neardup_check", "1"), text=SOFA)
        assert not form.is_valid()
        assert "Nothing similar was found" in page(form)

    def test_a_form_with_faults_can_be_looked_at(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        form = submit(people.ann, ("neardup_check", "1"), text=SOFA, title="x" * 201)
        assert not form.is_valid()
        assert "1 similar post exists" in page(form)

    def test_it_wins_over_a_confirmation(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        first = submit(people.ann, text=SOFA)
        assert not submit(people.ann, *confirmed(first, ("neardup_check", "1")), text=SOFA).is_valid()


class TestFaults:
    @pytest.mark.parametrize("where", ["find_for_request", "apply_rules"])
    def test_a_check_that_fails_stops_nobody(
        self, where, board, people, submit, publish, monkeypatch, caplog
    ):
        def fail(*args, **kwargs):
            with connection.cursor() as cursor:
                cursor.execute("SELECT nothing FROM neardup_nowhere")

        publish(SOFA, people.ann)
        monkeypatch.setattr(check, where, fail)
        with transaction.atomic():
            form = submit(people.ann, text=SOFA)
            assert form.is_valid()
            form.save()
        assert Ad.objects.count() == 2
        assert "published unchecked" in caplog.text

    @pytest.mark.parametrize("hook", ["visible", "request_author", "trust", "renew"])
    def test_a_hook_that_fails_stops_nobody(self, hook, adapt, people, submit, publish, caplog):
        def fail(self, *args):
            raise LookupError(hook)

        publish(CAT, people.ann)
        adapt(**{hook: fail})
        form = submit(people.ann, text=SOFA)
        assert form.is_valid()
        assert form.save().published

    def test_rules_that_cannot_be_read_stop_nobody(self, adapt, people, submit, publish, caplog):
        publish(SOFA, people.ann)
        adapt(publication=[{"action": "stop"}])
        assert submit(people.ann, text=SOFA).is_valid()
        assert "the action 'stop' is unknown" in caplog.text

    @pytest.mark.parametrize("error", [DatabaseError, ValueError])
    def test_a_save_that_fails_fails_and_may_be_repeated(self, error, adapt, people, submit, monkeypatch):
        adapt(hold_until_checked=True)
        form = submit(people.ann, text=SOFA)
        assert form.is_valid()
        monkeypatch.setattr(Ad, "save_base", lambda self, **kwargs: (_ for _ in ()).throw(error()))
        with pytest.raises(error):
            form.save()
        monkeypatch.undo()
        adapt(hold_until_checked=True)
        form.instance.save()
        assert not Ad.objects.get().published
        assert form.neardup.outcome == "checking"

    def test_looking_writes_nothing(self, board, people, submit, publish):
        publish(SOFA, people.bob)
        tables = (Ad, Document, Fingerprint, Pair, Scheme, Space, Hold)
        before = [list(table.objects.order_by("pk").values()) for table in tables]
        for buttons in ((), (("neardup_check", "1"),), (CONFIRM, ("neardup_token", "x"))):
            submit(people.ann, *buttons, text=SOFA_EDITED).is_valid()
        assert [list(table.objects.order_by("pk").values()) for table in tables] == before


class PlainForm(NearDuplicateFormMixin, forms.Form):
    """A form that makes its post by itself."""

    words = forms.CharField()
    draft = forms.BooleanField(required=False)

    def get_neardup_instance(self):
        if self.cleaned_data.get("draft"):
            return None
        return Ad(text=self.cleaned_data.get("words", ""), author=self.request.author)


class TestPlainForms:
    @pytest.fixture
    def plain(self, board):
        def send(author, *buttons, **data):
            request = RequestFactory().post("/", {**data, **dict(buttons)})
            request.author, request.trust = author, "member"
            return PlainForm(request.POST, request=request)

        return send

    def test_it_publishes_what_it_makes(self, people, plain, publish):
        old = publish(SOFA, people.ann)
        first = plain(people.ann, words=SOFA_EDITED)
        assert not first.is_valid()
        second = plain(people.ann, *confirmed(first), words=SOFA_EDITED)
        assert second.is_valid()
        made = second.publish(Ad(text=SOFA_EDITED, author=people.ann))
        assert not Ad.objects.get(pk=made.pk).published
        renewing = plain(people.ann, ("neardup_renew", str(old.pk)), words=SOFA_EDITED)
        assert renewing.is_valid()
        assert renewing.publish(Ad(text=SOFA_EDITED, author=people.ann)) == old

    def test_a_draft_is_not_looked_at(self, people, plain, publish):
        publish(SOFA, people.ann)
        form = plain(people.ann, words=SOFA, draft="on")
        assert form.is_valid()
        assert str(form.neardup) == ""

    def test_an_empty_form_says_nothing(self, board, people):
        request = RequestFactory().get("/")
        request.author, request.trust = people.ann, "member"
        assert str(PlainForm(request=request).neardup) == ""
        assert str(AdForm(request=request).neardup) == ""

    def test_two_forms_on_a_page_have_buttons_of_their_own(self, board, people, publish):
        publish(SOFA, people.bob)
        request = RequestFactory().post(
            "/", {"b-text": SOFA, "b-title": "", "b-phone": "", "neardup_confirm": "1"}
        )
        request.author, request.trust = people.ann, "member"
        form = AdForm(request.POST, request=request, prefix="b", instance=Ad(author=people.ann))
        assert not form.is_valid()
        assert 'name="b-neardup_confirm"' in page(form) and 'id="b-neardup-policy"' in page(form)


class ScopedForm(NearDuplicateFormMixin, forms.ModelForm):
    class Meta:
        model = ScopedPost
        fields = ["site", "text"]


def test_rules_of_one_scope(monkeypatch, submit, db):
    ours = adapter_for(ScopedPost)
    monkeypatch.setattr(type(ours), "publication", [{"action": "block", "scope": 2}], raising=False)
    monkeypatch.setattr(type(ours), "request_author", lambda self, request: None)
    for site in (1, 2):
        ScopedPost.objects.create(site=site, text=PIANO)
    drain()
    sent = {
        site: submit(None, kind=ScopedForm, instance=ScopedPost(), text=PIANO, site=str(site))
        for site in (1, 2, 3)
    }
    assert {site: form.is_valid() for site, form in sent.items()} == {1: True, 2: False, 3: True}


class TestWords:
    FORBIDDEN = re.compile(r"dup(?!_)|дубл|\d\s*%|score|variant|вариант|близнец", re.IGNORECASE)

    @pytest.mark.parametrize("language", ["en", "ru"])
    @pytest.mark.parametrize("action", ["warn", "hold", "block", "look"])
    def test_no_score_and_no_verdict(self, language, action, adapt, people, submit, publish):
        rule = {"action": "warn" if action == "look" else action}
        adapt(publication=[rule])
        publish(SOFA, people.ann, title="Диван")
        publish(SOFA_EDITED, people.bob)
        buttons = [("neardup_check", "1")] if action == "look" else []
        with override(language):
            form = submit(people.ann, *buttons, text=SOFA_EDITED)
            assert not form.is_valid()
            told = str(form.neardup) + str(form.errors) + str(form.neardup.message)
        words = re.sub(r"<[^>]*>", " ", told)
        assert not self.FORBIDDEN.search(words), words
        assert "<script" not in told and "style=" not in told and "onclick" not in told

    def test_titles_of_strangers_are_escaped(self, board, people, submit, publish):
        publish(SOFA, people.bob, title="<script>alert(1)</script>")
        form = submit(people.ann, text=SOFA)
        assert not form.is_valid()
        assert "&lt;script&gt;" in page(form) and "<script" not in page(form)


def test_the_models_own_template_is_taken(board, people, submit, publish, settings, tmp_path):
    place = tmp_path / "neardup" / "testapp" / "ad"
    place.mkdir(parents=True)
    (place / "policy.html").write_text("Ours: {{ neardup.action }}")
    settings.TEMPLATES = [{**settings.TEMPLATES[0], "DIRS": [tmp_path]}]
    publish(SOFA, people.bob)
    form = submit(people.ann, text=SOFA)
    assert not form.is_valid()
    assert str(form.neardup) == "Ours: warn"
