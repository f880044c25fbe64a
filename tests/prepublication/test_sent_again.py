"""The browser's Back and the same form once more: what waits already is not saved a second time."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.models import Document, Hold
from django_neardup.pipeline import drain
from django_neardup.prepublication import hold, release
from django_neardup.prepublication.holds import hold_in_state
from tests.pipeline.helpers import CAT, SOFA, SOFA_EDITED
from tests.prepublication.test_forms import AuthoredForm, code, confirmed, page
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db
OWN_WARNED = [{"action": "warn", "own": True}, {"action": "hold", "verdict": "duplicate"}]


@pytest.fixture
def sent(people, submit, publish):
    """Ann's second post like one that is there, held as the rules say; and its form, to be sent again."""

    def send(like=None, text=SOFA_EDITED):
        publish(SOFA, like or people.ann)
        first = submit(people.ann, text=text)
        assert not first.is_valid()
        buttons = confirmed(first)
        second = submit(people.ann, *buttons, text=text)
        assert second.is_valid() and not second.save().published
        return lambda **more: submit(people.ann, *buttons, **{"text": text, **more})

    return send


def is_told_to_wait(form):
    return not form.is_valid() and code(form) == "near_duplicate" and "already sent this" in page(form)


class TestSentAgain:
    @pytest.mark.parametrize("indexed", [False, True])
    def test_it_is_told_that_it_waits(self, indexed, board, people, sent):
        again = sent()
        if indexed:
            drain()
        form = again()
        assert is_told_to_wait(form) and "it is waiting for review" in str(form.errors)
        assert "after a moderator&#x27;s review" in page(form) and "neardup_confirm" not in page(form)
        assert (Ad.objects.count(), Hold.objects.count()) == (2, 1)

    def test_the_check_is_waited_for_too(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        for _ in range(2):
            form = submit(people.ann, text=SOFA)
            if form.is_valid():
                form.save()
        assert is_told_to_wait(form) and "is checked" in page(form)
        assert Ad.objects.count() == 1

    def test_a_view_may_name_the_author_after_the_check(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        first = submit(people.ann, text=SOFA, instance=Ad())
        assert first.is_valid()
        first.instance.author = people.ann
        first.save()
        assert is_told_to_wait(submit(people.ann, text=SOFA, instance=Ad()))

    def test_the_earlier_one_may_be_renewed_still(self, board, people, submit, sent):
        form = sent()()
        assert is_told_to_wait(form)
        match, key = form.neardup.renewal
        assert match.object == Ad.objects.get(published=True)
        renewing = submit(people.ann, ("neardup_renew", key), text=SOFA_EDITED)
        assert renewing.is_valid() and renewing.save() == match.object

    def test_who_renews_again_what_waits_is_told(self, adapt, people, submit, publish):
        adapt(hold_until_checked=True)
        renew = ("neardup_renew", str(publish(SOFA, people.ann).pk))
        first = submit(people.ann, renew, text=SOFA_EDITED)
        assert first.is_valid() and not first.save().published
        assert is_told_to_wait(submit(people.ann, renew, text=SOFA_EDITED))

    @pytest.mark.parametrize("seen", [False, True])
    def test_it_is_linked_where_its_author_may_read_it(self, seen, adapt, people, sent):
        def visible(self, request):
            own = Ad.objects.filter(author=request.author)
            return self.live() | own if seen else self.live()

        adapt(visible=visible)
        again = sent()
        drain()
        form, ad = again(), Ad.objects.get(published=False)
        assert is_told_to_wait(form)
        assert [match.object for match in form.neardup.matches] == [ad]
        assert (f'<a href="/ads/{ad.pk}/">' in page(form)) == seen

    def test_who_looks_first_sees_it_too(self, board, people, submit, sent):
        sent()
        form = submit(people.ann, ("neardup_check", "1"), text=SOFA_EDITED)
        assert not form.is_valid() and code(form) == "neardup_check"
        assert "2 similar posts exist" in page(form) and "It is already waiting" in page(form)

    def test_one_query_more_tells_that_nothing_waits(self, board, people, submit, publish):
        publish(CAT, people.bob)
        form = submit(people.ann, text=SOFA)
        with CaptureQueriesContext(connection) as queries:
            assert form.is_valid()
        assert len([each for each in queries if "neardup_hold" in each["sql"]]) == 1


class TestWhatIsAnother:
    @pytest.mark.parametrize("change", [{"text": SOFA_EDITED + " Торг."}, {"phone": "555-12-34"}])
    def test_a_post_that_was_changed_is_another(self, change, board, people, sent):
        assert sent()(**change).is_valid()

    def test_what_others_wait_with_is_not_told(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        hold(Ad.objects.create(text=SOFA, author=people.ann))
        for author in (people.bob, None):
            claimed = Ad(author=people.ann)
            assert submit(author, text=SOFA, instance=claimed).is_valid()

    def test_what_does_not_wait_any_more(self, board, people, sent):
        again = sent()
        Ad.objects.get(published=False).delete()
        assert again().is_valid()

    def test_what_was_published_meanwhile_is_on_the_site(self, board, people, sent):
        again = sent()
        release(Ad.objects.get(published=False))
        drain()
        form = again()
        assert not form.is_valid() and "You have already published this" in page(form)

    def test_what_was_refused_is_judged_like_any_other(self, board, people, sent):
        again = sent()
        Hold.objects.update(state="refused")
        assert again().is_valid()

    def test_what_says_something_else_by_now(self, board, people, sent):
        again = sent()
        Ad.objects.filter(published=False).update(text=CAT)
        assert again().is_valid()

    def test_a_text_too_short_to_be_compared(self, adapt, people, submit):
        adapt(hold_until_checked=True)
        for _ in range(2):
            form = submit(people.ann, text="Спасибо!")
            assert form.is_valid()
            form.save()
        assert Hold.objects.count() == 2


class TestRules:
    @pytest.mark.parametrize(
        ("rules", "allowed"),
        [
            ([{"action": "hold"}], False),
            ([{"action": "hold", "own": False}], False),
            ([{"action": "ignore", "own": True}, {"action": "hold"}], True),
            (OWN_WARNED, False),
        ],
    )
    def test_what_would_wait_waits_already_unless_a_rule_allows_it(self, rules, allowed, adapt, people, sent):
        adapt(publication=rules)
        form = sent(like=people.bob)()
        assert form.is_valid() if allowed else is_told_to_wait(form)

    def test_where_the_rules_warn_it_is_shown_and_may_be_sent(self, adapt, people, submit):
        adapt(hold_until_checked=True, publication=OWN_WARNED)
        hold_in_state(Ad.objects.create(text=SOFA, author=people.ann), "checking")
        form = submit(people.ann, text=SOFA)
        assert not form.is_valid() and code(form) == "neardup_confirm"
        assert "It is already waiting" in page(form)
        assert submit(people.ann, *confirmed(form), text=SOFA).is_valid()

    def test_staff_may_send_what_they_like(self, board, people, submit):
        hold(Ad.objects.create(text=SOFA, author=people.ann))
        assert submit(people.ann, text=SOFA, trust="staff", kind=AuthoredForm).is_valid()


def test_it_is_recognised_before_the_worker_knows_the_author(board, people, sent):
    again = sent()
    assert not Document.objects.get(hold__isnull=False).author
    assert is_told_to_wait(again())
