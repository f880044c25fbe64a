"""Families and shortlists: one row of the queue for the posts beside one, one page, and decisions on all of them."""

from __future__ import annotations

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.admin.decision_groups import FAMILY, SHORTLIST, load_offered_posts
from django_neardup.admin.review_queue import queue_query
from django_neardup.admin.review_queue.queue_query import FAMILIES
from django_neardup.models import Decision, Document, FamilyMember, MergeRecord, Pair
from django_neardup.pipeline import decide
from tests import builders
from tests.admin.test_queue_deciding import QUEUE, rows
from tests.admin.tools import fields, told
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


def listed(part=queue_query.TO_REVIEW, **chosen):
    return builders.listed(values=chosen, part=part)


def key(kind, ad):
    return f"{kind}{builders.document(ad).pk}"


@pytest.fixture
def family(ads):
    """A leader and members; the pairs are doubts, or sure."""

    def make(size=4, doubtful=True):
        start = Ad.objects.count()
        posts = ads(*(f"слово{start + number}" for number in range(size)))
        builders.family(posts[0], *posts[1:], doubtful=doubtful)
        return posts

    return make


@pytest.fixture
def shortlist(ads):
    """A post, and the posts that it may be a copy of."""
    *others, last = ads("одно", "другое", "третье", "это")
    for other in others:
        builders.pair(last, other, "variant", doubtful=True)
    return last, others


class TestRows:
    def test_a_family_is_one_row(self, family):
        leader, *_members = family()
        assert listed() == [key(FAMILY, leader)]
        assert listed(FAMILIES) == []

    def test_a_family_with_one_doubt_asks_about_that_pair(self, family):
        family(2, doubtful=True)
        assert listed() == [f"p{Pair.objects.get().pk}"]

    def test_sure_members_stand_in_families(self, family):
        leader, *_members = family(3, doubtful=False)
        assert listed() == [] and listed(FAMILIES) == [key(FAMILY, leader)]

    def test_with_an_open_doubt_it_stands_in_one_part_only(self, family):
        family(3, doubtful=False)
        doubt = Pair.objects.order_by("pk").first()
        Pair.objects.filter(pk=doubt.pk).update(doubtful=True)
        FamilyMember.objects.filter(document=doubt.b_id).update(doubtful=True)
        assert listed() == [f"p{doubt.pk}"] and listed(FAMILIES) == []

    def test_a_doubt_between_two_members_belongs_to_the_family(self, root, family):
        leader, *members = family(5, doubtful=False)
        for one, other in (members[:2], members[2:]):
            builders.pair(one, other, "variant", doubtful=True)
        assert listed() == [key(FAMILY, leader)] and listed(FAMILIES) == []
        page = root.get(f"{QUEUE}family/{builders.document(leader).pk}/")
        shown = page.context["page"].member_rows
        assert len(shown) == 5 and all(row.pair.doubtful for row in shown[1:])
        assert {row.compared_with.instance for row in shown[1:]} == {*members}
        leave(root, key(FAMILY, leader))
        assert listed() == listed(FAMILIES) == [] and Decision.objects.get().members.count() == 5

    def test_doubts_of_copies_belong_to_the_family_of_their_groups(self, root, family, ads):
        leader, *members = family(4, doubtful=False)
        copy = ads("копия")[0]
        builders.cluster(members[0], copy)
        for other in members[1:]:
            builders.pair(copy, other, "variant", doubtful=True)
        assert {item[0] for item in listed()} == {"c", "f"}
        assert key(FAMILY, leader) in listed()
        leave(root, key(FAMILY, leader))
        # The copy stays with its group, and nothing more is asked of it.
        assert builders.document(copy).pk not in Decision.objects.get().members.values_list(
            "document", flat=True
        )
        assert [item[0] for item in listed()] == ["c"] and listed(FAMILIES) == []
        assert builders.document(copy).memberships.get().cluster.size == 2

    def test_a_post_like_several_is_one_row(self, shortlist):
        first, _others = shortlist
        assert listed() == [key(SHORTLIST, first)]

    def test_the_younger_post_is_asked_about(self, ads):
        one, two, three, four, five = ads("а", "б", "в", "г", "д")
        for other in (one, two, three):
            builders.pair(other, four, "variant", doubtful=True)
        alone = builders.pair(four, five, "variant", doubtful=True)
        assert set(listed()) == {key(SHORTLIST, four), f"p{alone.pk}"}

    def test_duplicates_stand_alone(self, ads):
        one, two, three = ads("а", "б", "в")
        pairs = [builders.pair(one, other, "duplicate") for other in (two, three)]
        assert set(listed()) == {f"p{pair.pk}" for pair in pairs}

    def test_a_family_settles_more_than_a_pair(self, family, ads):
        alone = builders.pair(*ads("а", "б"), "variant", doubtful=True)
        leader, *_members = family()
        assert listed() == [key(FAMILY, leader), f"p{alone.pk}"]

    @pytest.mark.parametrize("order", ["first", "score", "size", "age"])
    def test_any_order(self, order, family, shortlist):
        leader, *_members = family()
        found = builders.listed(order=order)
        assert set(found) == {key(FAMILY, leader), key(SHORTLIST, shortlist[0])}

    def test_filters_count_rows(self, family):
        family(5)
        query = builders.waiting(values={"verdict": "variant"})
        (verdicts, *_rest) = query.filters
        assert query.total == 1 and query.facet_counts(verdicts) == ({"variant": 1}, 1)

    def test_what_a_row_shows(self, root, family):
        leader, *_members = family(5)
        (row,) = root.get(QUEUE).context["page"].rows
        assert (row.title, row.size, row.is_doubtful) == (str(leader), 5, True)
        assert row.suggestion.action_name == "look" and row.suggested_action.url == row.url
        assert row.reasons_text == "5 posts of one template, maybe the same: 4"
        assert {str(action.label) for action in row.other_actions} == {"Different items", "Hide all"}

    def test_between_two_groups(self, ads):
        """Without a pair of the leaders, too, the pairs of two groups are one row."""
        groups = [ads("а", "б", "в"), ads("г", "д", "е")]
        for group in groups:
            builders.cluster(*group)
        pairs = [
            builders.pair(one, other, "variant", doubtful=True)
            for one in groups[0][1:]
            for other in groups[1][1:]
        ]
        keys = [item for item in listed() if item[0] != "c"]
        assert keys == [f"p{pairs[0].pk}"]


def leave(client, item_key, **data):
    """Confirm that the posts of a row are different."""
    page = client.get(f"{QUEUE}decide/leave/", {"id": item_key, "_list": "queue", **data})
    assert page.status_code == 200, told(page)
    return client.post(f"{QUEUE}decide/leave/", fields(page))


class TestDecisions:
    def test_different_items_settles_every_two(self, root, family):
        leader, *members = family()
        late = builders.pair(*members[:2], "variant", doubtful=True)
        answer = leave(root, key(FAMILY, leader))
        assert told(answer) == ["Marked as not duplicates: 1 group."]
        assert Decision.objects.get().members.count() == 4
        assert listed() == [] and listed(FAMILIES) == []
        late.refresh_from_db()
        assert late.decision_id is not None

    def test_some_of_a_family(self, root, family):
        leader, one, two, three = family()
        ticked = [builders.document(ad).pk for ad in (leader, one, two)]
        leave(root, key(FAMILY, leader), ticked=1, member=ticked)
        assert {*Decision.objects.get().members.values_list("document", flat=True)} == {*ticked}
        (rest,) = Pair.objects.filter(decision=None)
        assert listed() == [f"p{rest.pk}"]

    def test_none_of_the_shortlist(self, root, shortlist):
        first, others = shortlist
        leave(root, key(SHORTLIST, first))
        sides = dict(Decision.objects.get().members.values_list("document", "side"))
        assert sides == {
            builders.document(first).pk: 1, **{builders.document(other).pk: 2 for other in others}
        }  # fmt: skip
        assert listed() == []
        # Nothing was said of two of the others.
        builders.pair(*others[:2], "variant", doubtful=True)
        assert len(listed()) == 1

    def test_a_pair_between_groups_is_decided_for_the_groups(self, root, ads):
        groups = [ads("а", "б", "в"), ads("г", "д", "е")]
        for group in groups:
            builders.cluster(*group)
        pair = builders.pair(groups[0][1], groups[1][1], "variant", doubtful=True)
        leave(root, f"p{pair.pk}")
        assert Decision.objects.get().members.count() == 4
        builders.pair(groups[0][2], groups[1][2], "variant", doubtful=True)
        assert {item[0] for item in listed()} == {"c"}
        # Another text of a leader asks once more.
        leader = builders.document(groups[0][0])
        leader.fingerprints.update(source_digest="0" * 32)
        assert {item[0] for item in listed()} == {"c", "p"}

    def test_later_members_join_silently(self, root, family, ads):
        leader, *_members = family(3, doubtful=False)
        Pair.objects.update(classes="code")
        Document.objects.update(author="shop")
        leave(root, key(FAMILY, leader))
        assert listed(FAMILIES) == []
        kinds = {"the same": ("code", "shop", False), "another class": ("number", "shop", False),
                 "another author": ("code", "other", False), "a doubt": ("code", "shop", True)}  # fmt: skip
        shown = {}
        for name, (classes, author, doubtful) in kinds.items():
            (late,) = ads(name)
            (pair,) = builders.family(leader, late, doubtful=doubtful)
            Pair.objects.filter(pk=pair.pk).update(classes=classes)
            Document.objects.filter(pk=builders.document(late).pk).update(author=author)
            shown[name] = (listed(), listed(FAMILIES))
            FamilyMember.objects.filter(document=builders.document(late)).delete()
            Pair.objects.filter(pk=pair.pk).delete()
        assert shown["the same"] == ([], [])
        assert shown["another class"] == shown["another author"] == ([], [key(FAMILY, leader)])
        assert [item[0] for item in shown["a doubt"][0]] == ["p"]

    def test_hide_all_hides_the_leader_too_and_is_one_undo(self, root, family):
        leader, *_members = family()
        page = root.get(f"{QUEUE}decide/hide/", {"id": key(FAMILY, leader), "_list": "queue"})
        assert page.content.decode().count("Will be hidden") == 4
        root.post(f"{QUEUE}decide/hide/", fields(page))
        assert not Ad.objects.filter(published=True).exists()
        assert MergeRecord.objects.count() == 4
        assert MergeRecord.objects.values("batch").distinct().count() == 1

    def test_hide_all_needs_the_right_on_every_post(self, person, family):
        leader, *_members = family()
        client = person("neardup.review")
        page = client.get(f"{QUEUE}decide/hide/", {"id": key(FAMILY, leader), "_list": "queue"})
        assert "You do not have the permission to" in page.content.decode()
        assert client.post(f"{QUEUE}decide/hide/", fields(page)).status_code == 403

    @pytest.mark.parametrize("outcome", ["merge", "delete"])
    def test_different_items_are_not_merged(self, outcome, root, family):
        leader, *_members = family()
        page = root.get(f"{QUEUE}decide/{outcome}/", {"id": key(FAMILY, leader), "_list": "queue"})
        assert "decide on one pair at a time" in page.content.decode()
        before = snapshot()
        root.post(f"{QUEUE}decide/{outcome}/", fields(page))
        assert snapshot() == before

    def test_at_once_from_the_list(self, root, family):
        leader, *_members = family()
        answer = root.post(f"{QUEUE}decide/leave/", {**rows(root), "id": [key(FAMILY, leader)]})
        assert told(answer) == ["Marked as not duplicates: 1 group."]

    def test_a_new_member_is_a_conflict(self, root, family, ads):
        leader, *_members = family()
        seen = rows(root)
        builders.family(leader, *ads("новое"), doubtful=True)
        answer = root.post(f"{QUEUE}decide/leave/", {**seen, "id": [key(FAMILY, leader)]})
        assert answer.status_code == 409 and not Decision.objects.exists()

    def test_more_than_fit_follow(self, root, family, monkeypatch):
        monkeypatch.setattr("django_neardup.admin.decision_groups.MAX_OBJECTS", 3)
        leader, *_members = family(5)
        page = root.get(f"{QUEUE}family/{builders.document(leader).pk}/").content.decode()
        assert "2 more posts are not shown." in page
        leave(root, key(FAMILY, leader))
        assert Decision.objects.get().members.count() == 3
        assert listed() == [key(FAMILY, leader)]

    def test_duplicates_among_them_are_decided_first(self, root, family):
        leader, *members = family()
        duplicate = builders.pair(*members[:2], "duplicate")
        page = root.get(f"{QUEUE}decide/leave/", {"id": key(FAMILY, leader), "_list": "queue"})
        assert "duplicates of each other" in page.content.decode()
        root.post(f"{QUEUE}decide/leave/", fields(page))
        assert not Decision.objects.exists() and f"p{duplicate.pk}" in listed()

    def test_an_unticked_leader_takes_no_part(self, root, family):
        leader, *members = family()
        ticked = [builders.document(ad).pk for ad in members[:2]]
        leave(root, key(FAMILY, leader), ticked=1, member=ticked)
        assert {*Decision.objects.get().members.values_list("document", flat=True)} == {*ticked}

    def test_a_new_doubt_inside_is_a_conflict(self, root, family):
        leader, *members = family()
        page = root.get(f"{QUEUE}decide/leave/", {"id": key(FAMILY, leader), "_list": "queue"})
        builders.pair(*members[:2], "variant", doubtful=True)
        assert root.post(f"{QUEUE}decide/leave/", fields(page)).status_code == 409


class TestPages:
    def test_a_family(self, root, family):
        leader, *members = family()
        root.get(QUEUE)
        page = root.get(f"{QUEUE}family/{builders.document(leader).pk}/", {"_list": "queue"})
        text = page.content.decode()
        assert page.context["title"] == f"{leader}: 4 posts of one template"
        assert "3 of them may be the same item as another." in text
        assert "1 of 1" in text and "Different items" in text and "Hide all" in text and "Merge" not in text
        shown = page.context["page"].member_rows
        assert shown[0].post.instance == leader
        assert {row.post.instance for row in shown} == {leader, *members}
        # A decision on one of its pairs leads back to it.
        pair = root.get(shown[1].compare_url)
        assert pair.status_code == 200
        assert f"{QUEUE}family/{builders.document(leader).pk}/" in pair.content.decode()

    def test_a_shortlist(self, root, shortlist):
        first, _others = shortlist
        page = root.get(f"{QUEUE}shortlist/{builders.document(first).pk}/")
        assert page.context["title"] == f"{first}: like 3 posts"
        assert "None of them" in page.content.decode() and "Hide" not in page.content.decode()

    def test_doubts_come_before_texts_inside_others(self, ads):
        *others, last = ads("одно", "другое", "третье", "это")
        for number, other in enumerate(others):
            inside = {"verdict": "contained", "score": 0.99} if number == 1 else {"verdict": "variant"}
            builders.pair(last, other, doubtful=number != 1, **inside)
        document = builders.document(last).pk
        (offered,) = load_offered_posts({SHORTLIST: [document]}, "default").values()
        assert [pair.verdict for pair in offered.pairs.values()] == ["variant", "variant", "contained"]

    def test_the_list_of_its_pairs(self, root, family):
        leader, *_members = family()
        page = root.get(f"{QUEUE}family/{builders.document(leader).pk}/")
        pairs = root.get(page.context["page"].pair_list_url)
        assert pairs.context["cl"].result_count == 3

    @pytest.mark.parametrize("number", [1, 2**63, 2**70])
    def test_what_is_no_more_leads_to_the_queue(self, number, root):
        answer = root.get(f"{QUEUE}family/{number}/")
        assert (answer.status_code, answer.url) == (302, QUEUE)
        assert told(answer) == ["Nothing to review here: it was decided, or a post has changed."]

    def test_who_may_see_it(self, person, family):
        leader, *_members = family()
        url = f"{QUEUE}family/{builders.document(leader).pk}/"
        assert person("testapp.view_ad", name="one").get(url).status_code == 403
        assert person("neardup.view_pair", name="other").get(url).status_code == 200

    def test_texts_that_may_not_be_seen(self, person, family):
        leader, *members = family()
        Ad.objects.update(published=False)
        text = person("neardup.review").get(f"{QUEUE}family/{builders.document(leader).pk}/").content.decode()
        assert not any(str(ad) in text for ad in (leader, *members))

    def test_queries_do_not_grow(self, root, family):
        counts = []
        for size in (3, 9):
            leader, *_members = family(size)
            root.get(QUEUE)
            for url in (f"{QUEUE}family/{builders.document(leader).pk}/?_list=queue", QUEUE):
                with CaptureQueriesContext(connection) as captured:
                    assert root.get(url).status_code == 200
                counts.append(len(captured))
        assert counts[:2] == counts[2:]

    def test_a_decided_pair_leaves_it(self, family, root):
        leader, member, *_rest = family()
        decide("different", [builders.document(leader), builders.document(member)], None, "default")
        page = root.get(f"{QUEUE}family/{builders.document(leader).pk}/")
        assert page.context["page"].offered.total == 2
