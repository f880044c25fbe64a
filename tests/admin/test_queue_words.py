"""What is suggested and why, and what changed since a decision."""

import pytest

from django_neardup.admin.reopened_pairs import PairState, find_reopened_pairs
from django_neardup.admin.review_queue.suggestions import suggest_action
from django_neardup.models import Decision, Pair, Verdict
from django_neardup.pipeline import decide
from tests import builders
from tests.testapp.models import Ad, ScopedPost

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]


@pytest.mark.parametrize(
    ("verdict", "exact", "outcome", "button"),
    [
        ("duplicate", False, "hide", "Hide 1"), ("duplicate", True, "hide", "Hide 1"),
        ("variant", False, "leave", "Not duplicates"),
        ("variant", True, "leave", "Not duplicates"), ("contained", False, "leave", "Not duplicates"),
        ("related", False, "leave", "Not duplicates"),
    ],
)  # fmt: skip
def test_what_is_suggested_for_a_pair(verdict, exact, outcome, button, ads):
    pair = builders.pair(*ads("а", "б"), verdict, exact=exact)
    found = suggest_action(pair, pair.a)

    assert (found.action_name, found.button_label, found.is_immediate) == (outcome, button, True)
    assert str(found.reason).endswith(".")


@pytest.mark.parametrize("verdict", ["variant", "related"])
def test_a_doubt_is_to_be_looked_at(verdict, ads):
    pair = builders.pair(*ads("а", "б"), verdict, doubtful=True)
    found = suggest_action(pair, pair.a)

    assert (found.action_name, found.button_label, found.is_immediate) == ("look", "View", False)
    assert "may " in str(found.reason)


def test_a_group_is_merged_where_the_site_cannot_hide():
    posts = [ScopedPost.objects.create(site=1, text=f"текст объявления о сваях {word}") for word in "абв"]
    cluster = builders.cluster(*posts)
    found = suggest_action(cluster, cluster.leader)

    assert (found.action_name, found.button_label, found.is_immediate) == ("merge", "Merge 2…", False)


class TestReopened:
    @pytest.fixture
    def pair(self, ads):
        one, other = ads("сегодня", "завтра")
        pair = builders.pair(one, other, "variant", score=0.8, classes="code")
        decide("different", [pair.a, pair.b], None, "default")
        return pair

    def edit(self, pair, **values):
        Ad.objects.filter(pk=int(pair.b.object_id)).update(text="другой текст")
        Pair.objects.filter(pk=pair.pk).update(decision=None, digest_b="f" * 32, **values)
        return Pair.objects.get(pk=pair.pk)

    def test_what_changed(self, pair):
        again = self.edit(pair, verdict="duplicate", classes="", score=0.9)
        found = find_reopened_pairs([again], "default")[pair.pk]

        assert found.decision == Decision.objects.get()
        assert found.changed_document_ids == {pair.b_id}
        assert found.decided_state == PairState(Verdict.VARIANT, ("code",), 0.8)
        assert found.current_state == PairState(Verdict.DUPLICATE, (), 0.9)

    def test_a_pair_that_was_not_known_then(self, pair):
        Decision.objects.update(known={})

        assert find_reopened_pairs([self.edit(pair)], "default")[pair.pk].decided_state is None

    def test_what_still_holds_is_not_reopened(self, pair, ads):
        pair.refresh_from_db()
        fresh = builders.pair(*ads("утром", "днём"), "variant")

        assert find_reopened_pairs([pair, fresh], "default") == {}
        assert find_reopened_pairs([], "default") == {}

    def test_the_newest_decision_speaks(self, pair):
        newest = decide("different", [pair.a, pair.b], None, "default")

        assert find_reopened_pairs([self.edit(pair)], "default")[pair.pk].decision == newest

    def test_what_was_taken_back_does_not(self, pair, django_user_model):
        from django_neardup.pipeline import withdraw

        withdraw(Decision.objects.get(), None, "default")

        assert find_reopened_pairs([self.edit(pair)], "default") == {}

    def test_queries(self, pair, django_assert_max_num_queries):
        again = self.edit(pair, verdict="duplicate")
        with django_assert_max_num_queries(3):
            find_reopened_pairs([again], "default")
