"""The page of a merge's plan: what stays, what is chosen, what moves; looked at as a browser without a script would."""

from __future__ import annotations

import re
from html import unescape
from html.parser import HTMLParser
from typing import Any

import pytest
from django.contrib import admin
from django.core.files.base import ContentFile
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.adapters import Adapter, register, unregister
from django_neardup.admin.plan_view import MAX_SINGLE_QUESTIONS
from django_neardup.models import Decision, Document, MergeRecord
from tests import builders
from tests.admin.tools import look, url_of
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad, Author, Comment, Favourite, Invoice, Statistics
from tests.testapp.neardup import AdNeardup
from tests.testapp.offers import Offer, Price

pytestmark = [pytest.mark.django_db, pytest.mark.engine_alike]

MERGE, CHANGE, DELETE = "neardup.merge_cluster", "testapp.change_ad", "testapp.delete_ad"


class Form(HTMLParser):
    """What a browser would send: hidden inputs and checked radios; and all radios that there are."""

    def __init__(self, response: Any) -> None:
        super().__init__()
        self.sent: dict[str, list[str]] = {}
        self.radios: dict[str, list[str]] = {}
        self.feed(response.content.decode())

    def handle_starttag(self, tag: str, attrs: Any) -> None:
        given = dict(attrs)
        if tag != "input":
            return
        name, value = given.get("name", ""), given.get("value") or ""
        if given.get("type") == "radio":
            self.radios.setdefault(name, []).append(value)
        if given.get("type") == "hidden" or "checked" in given:
            self.sent.setdefault(name, []).append(value)


def text_of(response: Any) -> str:
    """The words of the page, without markup."""
    body = response.content.decode().split('id="content-main"')[1].split("</form>")[0]
    return " ".join(re.sub(r"<[^>]+>", " ", body).split())


def post(client, source, seen, **changes):
    data = {**Form(seen).sent, **changes}
    return client.post(url_of(source, "merge"), data)


def document(ad):
    return Document.objects.get(object_id=str(ad.pk))


@pytest.fixture
def three(ads):
    """Three adverts that differ in title, text, hits and phone, and their cluster."""
    found = ads("сегодня", "завтра", "вечером")
    for ad, hits, phone in zip(found, (5, 7, 7), ("", "", "+7 900 000-00-01"), strict=True):
        Ad.objects.filter(pk=ad.pk).update(hits=hits, phone=phone)
        ad.refresh_from_db()
    return found, builders.cluster(*found)


def test_values_are_offered_with_their_owners(root, three):
    (keeper, one, two), cluster = three

    form = Form(seen := look(root, "merge", cluster))

    assert form.radios["value.hits"] == [str(keeper.pk), str(one.pk)]
    assert form.sent["value.hits"] == [str(keeper.pk)]
    assert form.sent["value.phone"] == [str(two.pk)]
    assert not {"value.sku", "value.published", "value.parent", "value.id"} & set(form.radios)
    page = text_of(seen)
    assert f"5 № {keeper.pk}" in page
    assert f"7 № {one.pk}, № {two.pk}" in page
    assert "empty +7 900 000-00-01" in page
    assert f"Plan of the merge: 2 posts into № {keeper.pk}" in page


def test_the_result_is_shown_before_and_changes_nothing(root, three):
    (keeper, one, _two), cluster = three
    seen, before = look(root, "merge", cluster), snapshot()

    shown = post(root, cluster, seen, preview="1", **{"value.hits": one.pk})

    assert shown.status_code == 200
    assert Form(shown).sent["value.hits"] == [str(one.pk)]
    assert "<del>5</del> <b>7</b>" in shown.content.decode()
    assert snapshot() == before


def test_what_was_chosen_is_done(root, three):
    (keeper, one, two), cluster = three
    seen = look(root, "merge", cluster)

    answer = post(root, cluster, seen, **{"value.hits": one.pk, "value.phone": keeper.pk})

    assert answer.status_code == 302
    assert list(Ad.objects.values_list("pk", "hits", "phone")) == [(keeper.pk, 7, "")]
    assert MergeRecord.objects.count() == 2


def test_a_value_that_was_edited_since_is_not_taken(root, three):
    (_keeper, one, _two), cluster = three
    seen = look(root, "merge", cluster)
    Ad.objects.filter(pk=one.pk).update(hits=100)
    before = snapshot()

    assert post(root, cluster, seen, **{"value.hits": one.pk}).status_code == 409
    assert snapshot() == before


@pytest.mark.parametrize("value", ["999999", "x", "", "1 OR 1=1"])
def test_values_of_strangers_are_not_taken(value, root, three):
    (keeper, _one, two), cluster = three
    stranger = Ad.objects.create(text="чужое", hits=99)
    seen = look(root, "merge", cluster)

    post(root, cluster, seen, **{"value.hits": stranger.pk if value == "x" else value, "value.pk": two.pk})

    assert Ad.objects.get(pk=keeper.pk).hits == 5


class TestClashes:
    @pytest.fixture
    def clash(self, three):
        (keeper, one, two), cluster = three
        rows = [Statistics.objects.create(ad=ad, views=views) for ad, views in ((keeper, 10), (one, 20))]
        return cluster, f"choice.testapp.statistics:{rows[1].pk}:{rows[0].pk}"

    def test_it_is_asked_and_stands_first(self, root, clash, three):
        cluster, name = clash
        Comment.objects.create(ad=three[0][1], text="c")

        form = Form(seen := look(root, "merge", cluster))

        assert form.radios[name] == ["keeper", "loser"]
        assert name not in form.sent
        page, html = text_of(seen), seen.content.decode()
        assert "1 choice is needed." in page
        assert "Views 10" in page
        assert "Views 20" in page
        assert html.index('class="neardup-clash"') < html.index("comment.ad")

    @pytest.mark.parametrize(("choice", "views"), [("keeper", 10), ("loser", 20)])
    def test_decided(self, root, clash, choice, views):
        cluster, name = clash

        answer = post(root, cluster, look(root, "merge", cluster), **{name: choice})

        assert answer.status_code == 302
        assert Statistics.objects.get().views == views

    @pytest.mark.parametrize("choice", [None, "", "both"])
    def test_undecided_changes_nothing_and_asks_again(self, root, clash, choice):
        cluster, name = clash
        seen, before = look(root, "merge", cluster), snapshot()

        answer = post(root, cluster, seen, **({} if choice is None else {name: choice}))

        assert answer.status_code == 422
        assert "1 choice is needed." in text_of(answer)
        assert snapshot() == before
        assert post(root, cluster, answer, **{name: "keeper"}).status_code == 302

    @pytest.mark.parametrize(
        ("names", "status"),
        [
            ((), 403),
            (("change_statistics",), 403),
            (("delete_statistics",), 403),
            (("change_statistics", "delete_statistics"), 302),
        ],
    )
    def test_whoever_decides_may_delete_the_row(self, root, person, clash, names, status):
        cluster, name = clash
        seen = look(root, "merge", cluster)
        client = person(MERGE, CHANGE, DELETE, *(f"testapp.{each}" for each in names))
        before = snapshot()

        assert post(client, cluster, seen, **{name: "loser"}).status_code == status
        assert (snapshot() == before) is (status == 403)

    def test_several_groups_are_asked_one_by_one(self, root, clash, ads):
        cluster, name = clash
        second = builders.cluster(*ads("утром", "днём"))

        seen = look(root, "merge", cluster, second)
        answer = post(root, cluster, seen, **{name: "loser"})

        assert name not in Form(seen).radios
        assert answer.status_code == 302
        assert Statistics.objects.count() == 2
        assert Ad.objects.count() == 4

    def test_the_way_to_one_of_them_keeps_what_was_chosen(self, root, clash, three, ads):
        (cluster, _name), second = clash, builders.cluster(*ads("утром", "днём", "ночью"))
        chosen = [document(three[0][1]).pk, second.memberships.order_by("document").last().document_id]
        came = {"_list": "queue", "_changelist_filters": "o=age"}
        seen = look(root, "merge", cluster, second, ticked=1, member=chosen, **came)
        (link,) = re.findall(r'href="([^"]+)">Decide this group separately', seen.content.decode())

        alone = root.get(url_of(cluster, "merge") + unescape(link))

        losers = [[each.document.pk for each, _score in plan["losers"]] for plan in seen.context["plans"]]
        (plan,) = alone.context["plans"]
        assert losers == [chosen[:1], chosen[1:]]
        assert [each.document.pk for each, _score in plan["losers"]] == chosen[:1]
        assert {name: alone.context[key] for name, key in zip(came, ("list", "filters"))} == came


class TestKeeper:
    def test_the_policy_proposes_and_says_why(self, root, three, settings):
        settings.NEARDUP = {"default": {"KEEPER": "most_visited"}}
        (keeper, one, two), cluster = three
        Ad.objects.filter(pk=two.pk).update(hits=70)

        seen = look(root, "merge", cluster)

        assert "most visits" in text_of(seen)
        assert Form(seen).sent["keeper"] == [str(document(two).pk)]
        assert post(root, cluster, seen).status_code == 302
        assert list(Ad.objects.all()) == [two]

    @pytest.mark.parametrize("outcome", ["hide", "delete"])
    def test_it_stays_when_the_others_are_hidden_or_deleted(self, root, three, monkeypatch, outcome):
        (keeper, one, two), cluster = three
        monkeypatch.setattr(AdNeardup, "pinned", lambda self, ad: ad.pk == one.pk, raising=False)

        seen = look(root, outcome, cluster)
        root.post(url_of(cluster, outcome), Form(seen).sent)

        assert list(Ad.objects.filter(published=True)) == [one]

    def test_another_may_be_chosen_by_a_link(self, root, three):
        (keeper, one, two), cluster = three
        seen = look(root, "merge", cluster)
        links = re.findall(r'href="(\?[^"]+keeper=\d+)"', seen.content.decode())

        chosen = root.get(url_of(cluster, "merge") + links[0].replace("&amp;", "&"))

        assert f"into № {one.pk}" in text_of(chosen)
        assert "chosen by you" in text_of(chosen)
        assert post(root, cluster, chosen).status_code == 302
        assert list(Ad.objects.all()) == [one]

    def test_another_one_forgets_nothing_of_the_rest(self, root, three):
        (keeper, one, two), cluster = three
        ticked = [document(keeper).pk, document(one).pk]
        seen = look(root, "merge", cluster, ticked=1, member=ticked, rest=1)
        (link,) = re.findall(r'href="(\?[^"]+keeper=\d+)"', seen.content.decode())

        chosen = root.get(url_of(cluster, "merge") + unescape(link))
        post(root, cluster, chosen)

        assert "They will be remembered as not duplicates" in text_of(chosen)
        assert Decision.objects.get().members.get(side=2).document == document(two)

    def test_of_some_that_were_ticked(self, root, three):
        (keeper, one, two), cluster = three
        seen = look(root, "merge", cluster, ticked=1, member=[document(two).pk], keeper=document(two).pk)
        assert seen.status_code == 302  # only the one that stays takes part

        seen = look(
            root,
            "merge",
            cluster,
            ticked=1,
            member=[document(keeper).pk, document(two).pk],
            keeper=document(two).pk,
        )
        assert post(root, cluster, seen).status_code == 302
        assert list(Ad.objects.order_by("pk")) == [one, two]

    def test_a_stranger_never_stays(self, root, three, ads):
        _members, cluster = three
        (stranger,) = ads("чужое")
        other = builders.document(stranger)

        assert look(root, "merge", cluster, keeper=other.pk).status_code == 409


class TestWords:
    def test_relations_rights_files_undo_and_authors(self, root, three):
        (keeper, one, _two), cluster = three
        author = Author.objects.create(name="Дмитрий")
        Ad.objects.filter(pk=one.pk).update(author=author)
        Ad.objects.filter(pk=keeper.pk).update(author=author)
        Favourite.objects.create(ad=keeper, author=author)
        Favourite.objects.create(ad=one, author=author)
        Invoice.objects.create(ad=one)

        page = text_of(look(root, "merge", cluster))

        assert "The keeper already has 1: the extra one is deleted." in page
        assert "favourite.ad, unique together: ad and author, not in the admin total 1" in page
        assert "It moves and does not block the deletion." in page
        assert "2 relations, 2 rows" in page
        assert "1 of 2 related rows moves." in page
        assert "delete 2 posts" in page
        assert "change the rows of 2 relations" in page
        assert "Restored: each post separately" in page
        assert "1 person" in page
        assert "Authors are not notified" in page

    def test_authors_are_told_where_the_adapter_can(self, root, three, monkeypatch):
        monkeypatch.setattr(AdNeardup, "merged", lambda self, *args: None, raising=False)

        assert "The authors of the merged posts are notified" in text_of(look(root, "merge", three[1]))

    def test_a_plan_is_not_for_those_who_lack_a_permission(self, root, person, three):
        page = text_of(look(person(MERGE, CHANGE), "merge", three[1]))

        assert "You do not have the permission to:" in page
        assert "+7 900" not in page
        assert "What moves" not in page

    def test_what_authors_write_is_no_markup(self, root, ads):
        evil = '"><script>alert(1)</script><img src=x onerror=alert(2)>'
        keeper, loser = ads("a", "b")
        Ad.objects.filter(pk=loser.pk).update(title=evil, text=evil * 20, phone=evil[:40])
        Statistics.objects.create(ad=keeper), Statistics.objects.create(ad=loser)
        cluster = builders.cluster(keeper, loser)

        html = look(root, "merge", cluster).content.decode()

        assert "<script>alert" not in html
        assert "<img" not in html.split('id="content-main"')[1]
        assert "style=" not in html.split('id="content-main"')[1]

    def test_a_constant_number_of_queries(self, root, ads):
        counts = []
        for words in (("а", "б"), tuple("вгдежзиклмнопр")):
            found = ads(*words)
            author = Author.objects.create(name="a")
            for number, ad in enumerate(found):
                Ad.objects.filter(pk=ad.pk).update(hits=number, author=author)
                Comment.objects.create(ad=ad, text="c")
            cluster = builders.cluster(*found)
            look(root, "merge", cluster)
            with CaptureQueriesContext(connection) as queries:
                assert look(root, "merge", cluster).status_code == 200
            counts.append(len(queries))

        assert counts[0] == counts[1]


class TestOffers:
    """Posts with files, and with many rows of which there can be one of a kind."""

    @pytest.fixture
    def offers(self, tmp_path, settings):
        settings.MEDIA_ROOT = tmp_path
        register(Offer)(type("OfferNeardup", (Adapter,), {"fields": ["title", "text"]}))
        found = [Offer.objects.create(title=title) for title in ("keeper", "loser")]
        for offer, size in zip(found, (3, 2048), strict=True):
            offer.scan.save(f"{offer.title}.txt", ContentFile(b"x" * size))
        yield found, builders.cluster(*found)
        unregister(Offer)

    @pytest.mark.parametrize(
        ("outcome", "value", "left"),
        [("merge", 0, True), ("merge", 1, False), ("delete", 0, True), ("hide", 0, False)],
    )
    def test_files_that_nothing_would_name(self, root, offers, outcome, value, left):
        found, cluster = offers

        page = text_of(look(root, outcome, cluster, **{"value.scan": str(found[value].pk)}))

        assert ("loser.txt 2.0 KB, loser" in page) is left
        assert ("Neither this app nor Django removes the files" in page) is left
        assert "keeper.txt 3" not in page

    def test_the_files_are_there_afterwards(self, root, offers):
        (keeper, loser), cluster = offers

        post(root, cluster, look(root, "merge", cluster), **{"value.scan": loser.pk})

        assert Offer.objects.get().scan.read() == b"x" * 2048
        assert keeper.scan.storage.exists("keeper.txt")

    def test_many_clashes_of_a_relation_are_decided_by_one_word(self, root, offers):
        (keeper, loser), cluster = offers
        for number in range(MAX_SINGLE_QUESTIONS + 1):
            for offer in (keeper, loser):
                Price.objects.create(offer=offer, currency=str(number), amount=offer.pk)

        form = Form(seen := look(root, "merge", cluster))

        assert form.radios["choice.testapp.price"] == ["keeper", "loser"]
        assert f"{MAX_SINGLE_QUESTIONS + 1} choices are needed." in text_of(seen)
        assert post(root, cluster, seen, **{"choice.testapp.price": "loser"}).status_code == 302
        assert set(Price.objects.values_list("offer", "amount")) == {(keeper.pk, loser.pk)}


@pytest.mark.parametrize(
    ("is_in_admin", "names", "status"),
    [
        (True, (), 403),
        (True, ("change_favourite",), 403),
        (True, ("delete_favourite",), 403),
        (True, ("change_favourite", "delete_favourite"), 302),
        # Staff could not edit them by themselves.
        (False, (), 302),
    ],
)
def test_spare_rows_go_by_the_hand_of_those_who_may_delete_them(
    root, person, three, monkeypatch, is_in_admin, names, status
):
    if is_in_admin:
        known = {**admin.site._registry, Favourite: admin.ModelAdmin(Favourite, admin.site)}
        monkeypatch.setattr(admin.site, "_registry", known)
    (keeper, one, _two), cluster = three
    author = Author.objects.create(name="a")
    for ad in (keeper, one):
        Favourite.objects.create(ad=ad, author=author)
    client = person(MERGE, CHANGE, DELETE, *(f"testapp.{each}" for each in names))

    assert post(client, cluster, look(root, "merge", cluster)).status_code == status
    assert Favourite.objects.count() == (1 if status == 302 else 2)
