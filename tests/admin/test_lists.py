"""The lists: what stands in a row, filters whose counts agree, a fixed number of queries."""

import re

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.html import strip_tags

from django_neardup.admin.text_format import format_percent
from django_neardup.models import Cluster, Decision, Document, MergeRecord, Pair
from tests import builders
from tests.admin.tools import confirm, list_of
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


def rows(response):
    """The cells of every row, as text."""
    body = re.search(r"<tbody>(.*)</tbody>", response.content.decode(), re.S)
    found = re.findall(r"<tr.*?</tr>", body.group(1), re.S) if body else []
    return [
        [" ".join(strip_tags(cell).split()) for cell in re.findall(r"<t[dh].*?</t[dh]>", row, re.S)]
        for row in found
    ]


def counts(response, title):
    """The choices of a filter with their counts."""
    filters = response.context["cl"].filter_specs
    chosen = next(each for each in filters if str(each.title) == title)
    words = [str(choice["display"]) for choice in chosen.choices(response.context["cl"])]
    return {word.rsplit(" (", 1)[0]: int(word.rsplit("(", 1)[1][:-1]) for word in words}


@pytest.mark.parametrize(
    ("score", "exact", "words"),
    [
        (1.0, True, "100"), (1.0, False, "99"), (0.9999, False, "99"), (0.9, False, "90"), (0.29, False, "29"),
        (0.8999, False, "89"), (0.0, False, "0"),
    ],
)  # fmt: skip
def test_percent_is_rounded_down_and_a_hundred_is_for_exact_copies(score, exact, words):
    assert format_percent(score, exact) == f"{words}\xa0%"


def test_a_row_of_a_cluster(root, ads):
    (one, two), (three, four) = ads("сегодня", "завтра"), ads("вечером", "утром")
    builders.cluster(one, two, lowest=0.8391, weakest=0.71)
    builders.cluster(three, four, lowest=1.0, weakest=1.0, exact=True)

    found = rows(root.get(list_of(Cluster)))

    assert [row[1:] for row in found] == [
        [f"Сваи вечером, № {three.pk}", "2", "100 %", "100 %", "", "ad", "open"],
        [f"Сваи сегодня, № {one.pk}", "2", "83 %", "71 %", "", "ad", "open"],
    ]


@pytest.mark.parametrize(
    ("model", "asked"),
    [
        (MergeRecord, "loser_text__icontains"),
        (MergeRecord, "journal__icontains"),
        (MergeRecord, "author"),
        (Pair, "evidence__icontains"),
        (Document, "author__startswith"),
    ],
)
def test_an_address_asks_no_column_but_through_a_filter(model, asked, person):
    assert person("neardup.review").get(list_of(model), {asked: "завтра"}).status_code == 400


def test_the_list_begins_with_what_is_open(root, cluster, ads):
    builders.cluster(*ads("а", "б"), state=Cluster.State.RESOLVED)

    assert len(rows(root.get(list_of(Cluster)))) == 1
    assert len(rows(root.get(list_of(Cluster), {"state": "resolved"}))) == 1
    assert len(rows(root.get(list_of(Cluster), {"state": "all"}))) == 2
    assert len(rows(root.get(list_of(Cluster), {"state": "no such"}))) == 1


FILTERS = {
    "size": "size",
    "lowest score": "score",
    "exact copies": "exact",
    "state": "state",
    "model": "model",
}


def test_the_counts_of_every_filter_agree_with_the_list(root, ads):
    for number, (size, score, exact, state) in enumerate(
        [(2, 0.95, False, "open"), (4, 0.85, False, "open"), (7, 0.75, False, "open"), (30, 0.6, False, "open"),
         (2, 1.0, True, "open"), (2, 0.9, False, "resolved")]
    ):  # fmt: skip
        builders.cluster(
            *ads(f"а{number}", f"б{number}"), size=size, lowest=score, weakest=score, exact=exact, state=state
        )
    page = root.get(list_of(Cluster), {"_facets": "True"})

    for title, name in FILTERS.items():
        chosen = next(each for each in page.context["cl"].filter_specs if str(each.title) == title)
        for (value, _words), count in zip(chosen.lookup_choices, counts(page, title).values(), strict=True):
            listed = root.get(
                list_of(Cluster), {name: value, **({} if name == "state" else {"state": "open"})}
            )
            assert len(rows(listed)) == count, (title, value)
    assert counts(page, "size") == {"2": 2, "3–5": 1, "6–20": 1, "more than 20": 1, "All": 5}
    assert counts(page, "lowest score")["90 % and above"] == 2
    assert counts(page, "state") == {"open": 5, "resolved": 1, "All": 6}


def test_search_by_number_and_author(root, ads):
    one, two, three, four = ads("а", "б", "в", "г")
    first = builders.cluster(one, two)
    builders.cluster(three, four)
    Document.objects.filter(object_id=str(two.pk)).update(author="kadry")

    for asked in (str(two.pk), "kadry"):
        assert [row.pk for row in root.get(list_of(Cluster), {"q": asked}).context["cl"].result_list] == [
            first.pk
        ]


def test_there_is_nothing_to_add_or_delete_by_hand(root, cluster):
    page = root.get(list_of(Cluster))

    assert f"{list_of(Cluster)}add/" not in page.content.decode()
    assert "delete_selected" not in dict(page.context["action_form"].fields["action"].choices)
    assert root.get(f"{list_of(Cluster)}add/").status_code == 403
    assert root.post(f"{list_of(Cluster)}{cluster.pk}/delete/", {"post": "yes"}).status_code == 403
    assert root.post(f"{list_of(Cluster)}{cluster.pk}/change/", {"size": "1"}).status_code == 405


def queries(client, url, **data):
    with CaptureQueriesContext(
        connection,
    ) as context:
        assert client.get(url, data).status_code == 200
    return len(context)


@pytest.mark.parametrize("model", [Cluster, Pair, Document, MergeRecord])
def test_a_list_takes_the_same_queries_for_any_number_of_rows(model, root, ads):
    fill(ads, "а")
    queries(root, list_of(model))
    few = queries(root, list_of(model))
    for letter in "бвгд":
        fill(ads, letter)

    assert queries(root, list_of(model)) == few


def test_no_two_columns_of_decisions_have_one_name(root, cluster):
    confirm(root, "leave", cluster)
    page = root.get(list_of(Decision)).content.decode()
    names = [strip_tags(each).strip() for each in re.findall(r'<div class="text">(.*?)</div>', page, re.S)]

    assert "Size" in names and len({*names}) == len(names)


def fill(ads, letter):
    one, two, three = ads(f"{letter}1", f"{letter}2", f"{letter}3")
    builders.cluster(one, two)
    builders.pair(one, three, "variant")


def test_people_see_titles_only_of_what_they_may_see(person, ads):
    one, two = ads("сегодня", "завтра")
    Ad.objects.filter(pk=one.pk).update(published=False)
    builders.cluster(one, two)
    client = person("neardup.review")

    (row,) = rows(client.get(list_of(Cluster)))
    assert row[1] == f"no access, № {one.pk}"

    Ad.objects.filter(pk=one.pk).update(published=True)
    (row,) = rows(client.get(list_of(Cluster)))
    assert row[1] == f"Сваи сегодня, № {one.pk}"


@pytest.mark.parametrize("names", [(), ("testapp.view_ad", "testapp.change_ad")])
def test_the_lists_are_for_those_who_decide(names, person, cluster):
    client = person(*names)

    for model in (Cluster, Pair, Document, MergeRecord):
        assert client.get(list_of(model)).status_code == 403


class TestOffered:
    def offered(self, root, **query):
        return {row.pk for row in root.get(list_of(Pair), query).context["cl"].result_list}

    @pytest.mark.parametrize("verdict", ["variant", "contained", "related", "duplicate"])
    def test_what_no_cluster_holds_is_offered(self, verdict, root, ads):
        pair = builders.pair(*ads("а", "б"), verdict)

        assert self.offered(root) == {pair.pk}
        assert self.offered(root, verdict=verdict) == {pair.pk}

    def test_what_a_cluster_holds_is_not(self, root, cluster):
        assert self.offered(root) == set()

    def test_pairs_between_clusters_are(self, root, ads):
        one, two, three, four = ads("а", "б", "в", "г")
        builders.cluster(one, two)
        builders.cluster(three, four)
        pair = builders.pair(two, three, "variant")

        assert self.offered(root) == {pair.pk}

    def test_what_was_decided_is_not(self, root, ads):
        from django_neardup.pipeline import decide

        pair = builders.pair(*ads("а", "б"), "variant")
        decide("different", [pair.a, pair.b], root.user, "default")

        assert self.offered(root) == set()

    def test_what_was_judged_on_another_text_is_not(self, root, ads):
        one, two = ads("а", "б")
        builders.pair(one, two, "variant")
        one.text += " и ещё"
        one.save()
        builders.document(one)

        assert self.offered(root) == set()

    @pytest.mark.parametrize("values", [{"live": False}, {"state": Document.State.GONE, "live": False}])
    def test_hidden_and_deleted_posts_are_not(self, values, root, ads):
        one, two = ads("а", "б")
        builders.pair(one, two, "variant")
        builders.document(one, **values)

        assert self.offered(root) == set()

    def test_a_row(self, root, ads):
        one, two = ads("сегодня", "завтра")
        two.text = two.text.replace("С140.35", "С90.30")
        two.save()
        builders.pair(one, two, "variant", score=0.7199)

        (row,) = rows(root.get(list_of(Pair)))

        assert row[1:4] == [f"Сваи сегодня, № {one.pk} – Сваи завтра, № {two.pk}", "≠variant", "71 %"]
        assert "code С140.35 → С90.30" in row[4]
