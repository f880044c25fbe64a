"""Why two posts met, what has happened to them, and what of it a person may see."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from django_neardup.admin.evidence import Evidence
from django_neardup.comparison.packed_keys import unpack_keys
from django_neardup.models import (
    Cluster,
    Contact,
    Decision,
    Document,
    KeyPhrase,
    Membership,
    MergeRecord,
    Pair,
)
from django_neardup.pipeline import decide, drain
from django_neardup.pipeline.open_items import rebuild_open_items
from tests import builders
from tests.admin.crowds import cluster as big_cluster
from tests.admin.tools import confirm, list_of, page_of, told
from tests.reports.texts import OTHER_PILES, PILES, POEM, SOFA
from tests.testapp.models import Ad, Author

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]


@pytest.fixture
def piles():
    """Two adverts, saved, compared by the worker: a pair of variants."""
    author = Author.objects.create(name="zavod")

    def make(**fields):
        for text, phone in ((PILES, "+7 912 345-67-89"), (OTHER_PILES, "8 912 345 67 89")):
            title, text = text.split("\n", 1)
            Ad.objects.create(title=title, text=text, phone=phone, author=author, **fields)
        drain()
        return Pair.objects.get()

    return make


def page(client, pair, **query):
    answer = client.get(page_of(pair), query)
    assert answer.status_code == 200
    return answer


def ungrouped(pair):
    """The pair as if no group had taken it."""
    Membership.objects.all().delete()
    Cluster.objects.all().delete()
    return pair


def reasons(answer):
    return {each.heading: each for each in answer.context["evidence"].rows}


def events(answer):
    return [event.text for event in answer.context["history"]]


class TestReasons:
    def test_everything_that_ties_two_posts_in_words(self, root, piles):
        KeyPhrase.objects.create(text="работать с юридическими")
        pair = piles()
        found = {name: each.text for name, each in reasons(page(root, pair)).items()}

        assert found["Score"].endswith(", threshold 58\xa0%")
        assert found["Phone"] == found["Names"].replace("Иванов Иван Петрович", "the same")
        assert found["E-mail"] == "different"
        assert found["Sku"] == "not given"
        assert found["Key phrases"] == "работать с юридическими"
        assert found["Exact copy"] == "no"
        assert found["Scheme"] == "neardup, version 1"
        assert found["A inside B"] != found["B inside A"]

    def test_keys_are_those_that_are_stored(self, root, piles):
        pair = ungrouped(piles(sku="X1"))
        prints = [set(unpack_keys(side.fingerprints.get().keys)) for side in (pair.a, pair.b)]
        met = page(root, pair).context["evidence"].ties.shared_keys

        assert (met.shared, met.keys_a, met.keys_b) == (len(prints[0] & prints[1]), *map(len, prints))
        assert {kind for kind, _ in met.kinds} >= {"passages", "identity"}
        words = reasons(page(root, pair))["Keys"].text
        assert words.startswith(
            f"{met.shared} in common, of {met.keys_a} and {met.keys_b}; needed: 1: passages "
        )

    def test_a_short_pair_meets_by_pairs_of_words_and_by_the_exact_text(self, root, ads):
        ads("сегодня", "сегодня")
        drain()
        one, two = Document.objects.order_by("pk")
        pair = ungrouped(Pair.objects.get())

        words = reasons(page(root, pair))["Keys"].text

        assert (one.pk, two.pk) == (pair.a_id, pair.b_id)
        assert "pairs of words" in words and "the set of words, the exact text" in words

    @pytest.mark.parametrize(("skus", "said"), [(("X", "X"), "the same"), (("X", "Y"), "different")])
    def test_declared_identity(self, root, ads, skus, said):
        one, two = ads("сегодня", "завтра")
        for ad, sku in zip((one, two), skus):
            ad.sku = sku
            ad.save()
        pair = builders.pair(one, two, "variant")

        assert reasons(page(root, pair))["Sku"].text == said

    def test_how_many_more_posts_have_the_contact(self, root, piles):
        for text in (SOFA, POEM):
            Ad.objects.create(text=text, phone="79123456789")
        pair = piles()

        found = reasons(page(root, pair))["Phone"]

        assert (found.text, found.link_text) == ("the same", "in 2 more posts")

    def test_contacts_are_never_shown_themselves(self, root, piles):
        body = page(root, piles()).content.decode()

        assert "345-67-89" not in body and "345 67 89" not in body
        assert "svai@example.ru" in body  # it stands in the text

    def test_declared_people_are_not_named(self, root, ads):
        one, two = ads("сегодня", "завтра", phone="Петров Пётр Ильич")

        found = reasons(page(root, builders.pair(one, two, "variant")))

        assert found["Names"].text == "the same"

    @pytest.mark.parametrize("which", [0, 1])
    def test_who_may_not_see_a_post_sees_no_word_of_it_and_no_tie(self, person, piles, which):
        pair = piles()
        hidden = Ad.objects.order_by("pk")[which]
        Ad.objects.filter(pk=hidden.pk).update(published=False)
        client = person("neardup.review")

        answer = page(client, pair)
        body = answer.content.decode()

        assert "no access" in body and "You cannot see both texts." in body
        assert not {"Keys", "Phone", "E-mail", "Names", "Sku", "Key phrases"} & reasons(answer).keys()
        for word in ("С140.35", "С90.30", "zavod"):
            assert (word in body) is (word in (f"{ad.title} {ad.text}" if (ad := shown_to(which)) else ""))

    def test_a_text_that_has_changed_ties_nothing(self, root, piles):
        pair = piles()
        Ad.objects.update(text="совсем другие слова о другом предмете")

        assert "Keys" not in reasons(page(root, pair))


def shown_to(hidden):
    """The advert that is not hidden."""
    return Ad.objects.order_by("pk")[1 - hidden]


class TestPosts:
    def test_who_was_first_by_how_much_and_whose_they_are(self, root, piles):
        pair = piles()
        Document.objects.filter(pk=pair.b_id).update(created=pair.a.created + timedelta(days=6, hours=2))

        answer = page(root, pair)
        comparison = answer.context["comparison"]

        assert comparison.left.age_text == "6\xa0days earlier"
        assert comparison.right.age_text == ""
        assert comparison.left.has_same_author and "the same author" in answer.content.decode()
        assert f'href="/ads/{pair.a.object_id}/"' in answer.content.decode()

    @pytest.mark.parametrize(
        "url", ["javascript:alert(1)", " javascript:x()", "//evil.example/", "data:text/html,x"]
    )
    def test_an_address_that_is_none_is_no_link(self, root, piles, monkeypatch, url):
        pair = piles()
        monkeypatch.setattr(Ad, "get_absolute_url", lambda self: url)

        assert ">on the site</a>" not in page(root, pair).content.decode()

    def test_one_sentence_says_the_verdict_and_why(self, root, piles):
        body = " ".join(page(root, piles()).content.decode().split())

        assert "variant</span>: the texts are similar, but describe two items" in body
        assert (
            '<mark class="neardup-code">С140.35-10 составные</mark> against '
            '<mark class="neardup-code">С90.30-8 цельные</mark>, so they are not grouped automatically.'
        ) in body

    def test_what_differs_stands_in_two_groups(self, root, piles):
        comparison = page(root, piles()).context["comparison"]

        assert {"code", "measure", "number"} <= {each.kind for each, _ in comparison.deciding_differences}
        assert {"price", "contact"} <= {each.kind for each, _ in comparison.nondeciding_differences}
        assert comparison.passage_order

    def test_the_proposed_post_is_chosen_and_the_suggested_button_is_filled(self, root, piles):
        pair = piles()
        body = page(root, pair).content.decode()

        assert f'name="keeper" form="neardup-outcome" value="{pair.a_id}" checked' in body
        assert body.count('name="keeper"') == 2
        assert body.count("neardup-first") == 1
        assert 'data-neardup-key="n a"' in body  # a variant is left as it is

    def test_the_list_with_its_filters_is_kept(self, root, piles):
        body = page(root, piles(), _list="queue", _changelist_filters="verdict=variant&q=x").content.decode()

        assert '<input type="hidden" name="_list" value="queue">' in body
        assert 'name="_changelist_filters" value="verdict=variant&amp;q=x"' in body


class TestQueue:
    @pytest.fixture
    def waiting(self, ads):
        """Three pairs and a cluster, in the order of the queue."""
        words = ads("раз", "два", "три", "четыре", "пять", "шесть", "семь", "восемь")
        pairs = [
            builders.pair(*words[place : place + 2], "variant", score=score, doubtful=True)
            for place, score in ((0, 0.9), (2, 0.8), (4, 0.7))
        ]
        cluster = builders.cluster(*words[6:])
        rebuild_open_items("default")
        return [cluster, *pairs]

    def test_the_place_in_the_queue_and_the_way_along_it(self, root, waiting):
        seen = []
        url = f"{page_of(waiting[0])}?_list=queue&_changelist_filters="
        while url:
            answer = root.get(url)
            position = answer.context["position"]
            seen.append((position.number, position.total))
            url = position.next_url
        assert seen == [(1, 4), (2, 4), (3, 4), (4, 4)]
        assert root.get(position.previous_url).context["position"].number == 3
        assert "4 of 4" in answer.content.decode()
        assert "data-neardup-previous" in answer.content.decode()

    def test_the_filters_of_the_queue_are_kept_along_it(self, root, waiting):
        position = page(root, waiting[2], _list="queue", _changelist_filters="verdict=variant").context[
            "position"
        ]

        assert (position.number, position.total) == (2, 3)
        assert position.next_url.endswith("?_list=queue&_changelist_filters=verdict%3Dvariant")
        assert page(root, waiting[2], _list="pair").context["position"] is None
        assert page(root, waiting[2]).context["position"] is None
        assert (
            page(root, waiting[2], _list="queue", _changelist_filters="exact=yes").context["position"] is None
        )

    @pytest.mark.parametrize(
        ("name", "url"),
        [
            ("queue", "/admin/neardup/queue/?q=x"), ("cluster", "/admin/neardup/cluster/?q=x"), ("author", ""),
            ("author:7", "/admin/neardup/queue/author/7/?q=x"), ("//evil", ""), ("", ""),
        ],
    )  # fmt: skip
    def test_the_way_back_is_to_the_list_that_the_person_came_from(self, root, waiting, name, url):
        assert page(root, waiting[1], _list=name, _changelist_filters="q=x").context["back_url"] == url

    def test_a_pair_is_left_at_once(self, root, waiting):
        answer = page(root, waiting[1], _list="queue")
        fields = dict([("id", f"p{waiting[1].pk}"), answer.context["leave"], ("_list", "queue")])

        done = root.post(answer.context["outcomes"][0].url, fields)

        assert 'form="neardup-leave"' in answer.content.decode()
        assert done.url == reverse("admin:neardup_queue_changelist")
        assert Pair.objects.get(pk=waiting[1].pk).decision.kind == "different"

    def test_what_was_seen_and_has_changed_is_not_left(self, root, waiting):
        answer = page(root, waiting[1], _list="queue")
        name, seen = answer.context["leave"]
        decide("same", [waiting[1].a, waiting[1].b], root.user, "default")

        done = root.post(
            answer.context["outcomes"][0].url, {"id": f"p{waiting[1].pk}", name: seen, "_list": "queue"}
        )

        assert done.status_code == 409
        assert Decision.objects.get().kind == "same"


class TestHistory:
    def test_found_decided_and_put_back(self, root, piles):
        pair = piles()
        decision = decide("different", [pair.a, pair.b], root.user, "default", note="разные марки")
        url = reverse("admin:neardup_decision_withdraw", args=[decision.pk])

        answer = root.post(url, {"next": page_of(pair)})
        after = page(root, pair)

        assert answer.url == page_of(pair)
        assert Decision.objects.get().withdrawn_by == "root"
        assert events(after) == [
            "The decision was withdrawn.", "Decided: not duplicates.",
            f"Found: variant, {after.context['comparison'].score_text}.",
        ]  # fmt: skip
        assert "“разные марки”" in after.content.decode()
        assert "«разные марки»" in root.get(page_of(pair), headers={"accept-language": "ru"}).content.decode()
        assert not any(event.withdraw_url for event in after.context["history"])

    def test_a_decision_that_holds_no_more_says_what_changed_and_can_be_put_back(self, root, piles):
        pair = piles()
        decide("different", [pair.a, pair.b], root.user, "default")
        ad = Ad.objects.get(pk=int(pair.b.object_id))
        for name in ("title", "text"):
            words = getattr(ad, name).replace("С90.30-8", "С140.35-10").replace("цельные", "составные")
            setattr(ad, name, words)
        ad.save()
        drain()
        pair = Pair.objects.get()

        answer = page(root, pair)

        assert pair.decision is None
        assert "reopened: a text has changed" in answer.content.decode()
        first = events(answer)[0]
        assert first.startswith(f"Reopened: №\xa0{pair.b.object_id} changed. Before: variant, code")
        assert [event.withdraw_url for event in answer.context["history"]].count("") == len(
            events(answer)
        ) - 1
        assert "csrfmiddlewaretoken" in answer.content.decode()

    @pytest.mark.parametrize("names", [(), ("neardup.view_decision",), ("neardup.merge_cluster",)])
    def test_putting_back_is_for_reviewers(self, person, piles, names):
        pair = piles()
        decision = decide("different", [pair.a, pair.b], None, "default")

        answer = person(*names).post(reverse("admin:neardup_decision_withdraw", args=[decision.pk]))

        assert answer.status_code == 403
        assert Decision.objects.get().withdrawn is None

    def test_putting_back_is_no_get_and_leads_nowhere_else(self, root, piles):
        pair = piles()
        decision = decide("different", [pair.a, pair.b], None, "default")
        url = reverse("admin:neardup_decision_withdraw", args=[decision.pk])

        assert root.get(url).status_code == 405
        assert Decision.objects.get().withdrawn is None
        for address in ("https://evil.example/", "//evil.example", "javascript:alert(1)", ""):
            assert root.post(url, {"next": address}).url == list_of(Decision)
        assert len(told(root.post(url))) == 1  # it was taken back once
        assert root.post(reverse("admin:neardup_decision_withdraw", args=[10**6])).status_code == 404

    def test_what_was_done_to_the_posts(self, root, ads):
        one, two, three = ads("сегодня", "завтра", "вечером")
        confirm(root, "merge", builders.cluster(one, two))
        pair = builders.pair(one, three, "variant")

        assert f"№\xa0{two.pk} was merged into №\xa0{one.pk}." in events(page(root, pair))

    def test_decisions_on_members_of_a_group(self, root, cluster):
        head, member = cluster.memberships.order_by("pk")[:2]
        decide("same", [head.document, member.document], root.user, "default", note="одна вещь")
        cluster = Cluster.objects.get()

        answer = root.get(page_of(cluster))

        assert "Decided: the same." in events(answer)
        assert {each.heading: each.text for each in answer.context["page"].evidence_rows}[
            "Decisions"
        ] == "1 in force"


class TestRest:
    """Members that were left unticked: forgotten, or remembered as no duplicates of the others."""

    @pytest.mark.parametrize("outcome", ["hide", "merge"])
    @pytest.mark.parametrize("remembered", [True, False])
    def test_the_unticked_are_remembered_where_that_is_ticked(self, root, cluster, outcome, remembered):
        head, ticked, unticked = cluster.memberships.order_by("document").values_list("document", flat=True)
        query = {"ticked": 1, "member": [head, ticked], "keeper": head, **({"rest": 1} if remembered else {})}

        confirm(root, outcome, cluster, **query)

        found = Decision.objects.values_list("kind", "members__document", "members__side").order_by(
            "members__document"
        )
        wanted = [("different", head, 1), ("different", ticked, 1), ("different", unticked, 2)]
        assert list(found) == (wanted if remembered else [])

    def test_all_of_one_decision_are_taken_back_together(self, root, cluster):
        head, ticked, _unticked = cluster.memberships.order_by("document").values_list("document", flat=True)

        confirm(root, "hide", cluster, ticked=1, member=[head, ticked], rest=1)

        assert Decision.objects.get().batch == MergeRecord.objects.get().batch

    def test_it_is_offered_only_where_all_members_are_in_sight(self, root):
        assert 'name="rest"' in root.get(page_of(big_cluster(3))).content.decode()
        for model in (Ad, Cluster, Pair, Document):
            model.objects.all().delete()
        assert 'name="rest"' not in root.get(page_of(big_cluster(60))).content.decode()


class TestCluster:
    def test_rows_say_contact_and_author_and_who_is_proposed_to_stay(self, root):
        cluster = big_cluster(3)
        body = root.get(page_of(cluster)).content.decode()

        assert body.count("the same contact") == 2
        assert body.count('type="radio" name="keeper"') == 3
        assert "the same in 3 of 3" in body
        assert body.count("data-neardup-row") == body.count('name="member"') == 3

    def test_its_queries_do_not_grow_with_its_members(self, root, settings):
        counts = []
        for size in (60, 300):
            for model in (Ad, Cluster, Pair, Document):
                model.objects.all().delete()
            url = page_of(big_cluster(size, variants=30))
            root.get(url)
            with CaptureQueriesContext(connection) as context:
                answer = root.get(url)
            counts.append(len(context))
            assert len(answer.context["page"].nearby_posts) == 20
            assert len(answer.context["page"].member_rows) == 51
        assert counts[0] == counts[1]

    def test_nearby_are_variants_outside_whichever_side_they_are(self, root, ads):
        early, inside, other, late = ads("ранее", "сегодня", "завтра", "позже")
        cluster = builders.cluster(inside, other)
        for near in (late, early):
            builders.pair(inside, near, "variant")

        near = {
            each.post.document.object_id for each in root.get(page_of(cluster)).context["page"].nearby_posts
        }

        assert near == {str(late.pk), str(early.pk)}

    def test_the_address_of_a_member_keeps_the_queue(self, root, cluster):
        page = root.get(page_of(cluster), {"_changelist_filters": "verdict=x&q=1", "_list": "queue"}).context[
            "page"
        ]

        assert "_changelist_filters=verdict%3Dx%26q%3D1" in page.member_rows[1].compare_url


def test_the_pages_bring_their_script_and_style_as_files(root, cluster):
    body = root.get(page_of(cluster)).content.decode()

    assert '<script src="/static/neardup/workshop.js" defer></script>' in body
    assert "/static/neardup/evidence.css" in body
    assert "<dialog data-neardup-help" in body


def test_records_that_were_undone_are_told_twice(root, ads):
    one, two, three = ads("сегодня", "завтра", "вечером")
    confirm(root, "hide", builders.cluster(one, two))
    record = MergeRecord.objects.get()
    MergeRecord.objects.update(undone=record.created + timedelta(hours=1), undone_by="olga")
    Ad.objects.update(published=True)
    Document.objects.update(live=True)
    Pair.objects.all().delete()
    pair = builders.pair(two, three, "variant")

    words = events(page(root, pair))

    assert words[0] == f"Undone for №\xa0{two.pk}."
    assert f"№\xa0{two.pk} was hidden." in words


def test_statistics_that_are_gone_leave_the_stored_figures(root, piles, monkeypatch):
    from django_neardup.algorithms.statistics import StatisticsMissing

    def missing(*args):
        raise StatisticsMissing("gone")

    pair = piles()
    monkeypatch.setattr("django_neardup.admin.evidence.algorithm_of", missing)

    found = reasons(page(root, pair))

    assert "Keys" not in found and "threshold" not in found["Score"].text
    assert Evidence.__doc__


def test_contacts_and_authors_of_a_group_are_told_of_posts_that_one_may_see(root, person, ads):
    first, second, hidden = ads("сегодня", "завтра", "тайное", author=Author.objects.create(name="а"))
    cluster = builders.cluster(first, second, hidden)
    for document in Document.objects.all():
        Contact.objects.create(document=document, hash=-17)
    reader = person("neardup.review")

    def told_of(client):
        shown = client.get(page_of(cluster)).context["page"]
        contact = [each.text for each in shown.evidence_rows if each.heading == "Contact"]
        return contact, [(each.contact_text, each.has_same_author) for each in shown.member_rows[1:]]

    alike, silent = ("the same contact", True), ("", False)
    Ad.objects.filter(pk=hidden.pk).update(published=False)
    assert told_of(root) == (["the same in 3 of 3"], [alike, alike])
    assert told_of(reader) == (["the same in 2 of 3"], [alike, silent])
    Ad.objects.filter(pk=first.pk).update(published=False)
    assert told_of(reader) == ([], [silent, silent])
