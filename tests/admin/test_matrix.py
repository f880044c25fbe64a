"""Who may do what: every person, every address, every object, one table each. GET never changes a row."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib import admin
from django.http import HttpResponse
from django.test import Client
from django.urls import reverse

from django_neardup.models import Cluster, Decision, IgnoredPassage, KeyPhrase, MergeRecord, MovedUrl, Pair
from django_neardup.pipeline import decide
from django_neardup.pipeline.open_items import rebuild_open_items
from tests import builders
from tests.admin.people import PEOPLE, at_the_door, signed_in, table
from tests.admin.tools import confirm, fields, look, url_of
from tests.moderation.tools import snapshot
from tests.testapp.models import Ad, Comment

pytestmark = [pytest.mark.django_db(databases=["default", "other"]), pytest.mark.engine_alike]

ADDRESSES = table("""
address                     nobody author clerk review merge change delete moved super
queue_changelist            302    302    403   200    200   200    200    200   200
queue_author                302    302    403   200    200   200    200    200   200
queue_contact               302    302    403   200    200   200    200    200   200
queue_family                302    302    403   200    200   200    200    200   200
queue_shortlist             302    302    403   200    200   200    200    200   200
cluster_changelist          302    302    403   200    200   200    200    200   200
cluster_change              302    302    403   200    200   200    200    200   200
cluster_history             302    302    403   200    200   200    200    200   200
cluster_add                 302    302    403   403    403   403    403    403   403
cluster_delete              302    302    403   403    403   403    403    403   403
pair_changelist             302    302    403   200    200   200    200    200   200
pair_change                 302    302    403   200    200   200    200    200   200
pair_history                302    302    403   200    200   200    200    200   200
pair_add                    302    302    403   403    403   403    403    403   403
pair_delete                 302    302    403   403    403   403    403    403   403
decision_changelist         302    302    403   200    200   200    200    200   200
decision_change             302    302    403   200    200   200    200    200   200
decision_history            302    302    403   200    200   200    200    200   200
decision_add                302    302    403   403    403   403    403    403   403
decision_delete             302    302    403   403    403   403    403    403   403
decision_withdraw           302    302    403   405    403   405    405    405   405
document_changelist         302    302    403   200    200   200    200    200   200
document_change             302    302    403   200    200   200    200    200   200
document_history            302    302    403   200    200   200    200    200   200
document_add                302    302    403   403    403   403    403    403   403
document_delete             302    302    403   403    403   403    403    403   403
mergerecord_changelist      302    302    403   200    200   200    200    200   200
mergerecord_change          302    302    403   200    200   200    200    200   200
mergerecord_history         302    302    403   200    200   200    200    200   200
mergerecord_add             302    302    403   403    403   403    403    403   403
mergerecord_delete          302    302    403   403    403   403    403    403   403
mergerecord_undo            302    302    403   200    200   200    200    200   200
mergerecord_undo_selected   302    302    403   200    200   200    200    200   200
movedurl_changelist         302    302    403   200    200   200    200    200   200
movedurl_change             302    302    403   200    200   200    200    200   200
movedurl_history            302    302    403   200    200   200    200    200   200
movedurl_add                302    302    403   403    403   403    403    403   403
movedurl_delete             302    302    403   403    403   403    403    403   200
keyphrase_changelist        302    302    403   200    200   200    200    200   200
keyphrase_change            302    302    403   200    200   200    200    200   200
keyphrase_history           302    302    403   200    200   200    200    200   200
keyphrase_add               302    302    403   403    403   403    403    403   200
keyphrase_delete            302    302    403   403    403   403    403    403   200
ignoredpassage_changelist   302    302    403   200    200   200    200    200   200
ignoredpassage_change       302    302    403   200    200   200    200    200   200
ignoredpassage_history      302    302    403   200    200   200    200    200   200
ignoredpassage_add          302    302    403   403    403   403    403    403   200
ignoredpassage_delete       302    302    403   403    403   403    403    403   200
ignoredpassage_preview      302    302    403   403    403   403    403    403   200
ignoredpassage_preview_new  302    302    403   403    403   403    403    403   200
""")
"""What GET answers."""


@pytest.fixture
def things(ads, root) -> dict[str, Any]:
    """What the addresses name: the row of a model, or its key."""
    one, two, three, four, five, six = ads("а", "б", "в", "г", "д", "е")
    (pair,), decided = builders.family(three, four, doubtful=True), builders.pair(five, six, "variant")
    confirm(root, "merge", builders.cluster(*ads("ж", "з")))
    alone = builders.pair(*ads("и", "к"), "variant", doubtful=True)
    decision = decide("different", [decided.a, decided.b], root.user, "default")
    record = MergeRecord.objects.get()
    return {
        "cluster": builders.cluster(one, two).pk,
        "pair": pair.pk,
        "document": pair.a_id,
        "decision": decision.pk,
        "mergerecord": record.pk,
        "mergerecord_undo": record.batch,
        "movedurl": MovedUrl.objects.get().pk,
        "keyphrase": KeyPhrase.objects.create(text="сваи").pk,
        "ignoredpassage": IgnoredPassage.objects.create(text="сваи").pk,
        "queue_author": "17",
        "queue_contact": "-5",
        "queue_family": pair.a_id,
        "queue_shortlist": alone.b_id,
    }


def address(name: str, things: dict[str, Any]) -> str:
    """The path of a row of ADDRESSES."""
    model, _, view = name.partition("_")
    bare = view in ("changelist", "add", "undo_selected", "preview_new")
    query = f"?id={things[model]}" if view == "undo_selected" else ""
    return (
        reverse(f"admin:neardup_{name}", args=[] if bare else [things.get(name, things.get(model))]) + query
    )


@pytest.mark.logged_rows
@pytest.mark.parametrize("name", PEOPLE)
def test_every_address(name, things):
    # A page forms rows of the queue again where something has changed.
    rebuild_open_items("default")
    client, before = signed_in(name), snapshot()

    answers = {each: client.get(address(each, things)) for each in ADDRESSES}

    assert {each: str(answer.status_code) for each, answer in answers.items()} == {
        each: cells[name] for each, cells in ADDRESSES.items()
    }
    assert all(at_the_door(answer) for answer in answers.values() if answer.status_code == 302)
    assert snapshot() == before


def test_no_address_is_left_out():
    names = {
        pattern.name.removeprefix("neardup_")
        for section in admin.site.urls[0]
        for pattern in getattr(section, "url_patterns", ())
        if (pattern.name or "").startswith("neardup_")
    }

    assert names - OTHERS == set(ADDRESSES)


OTHERS = {
    "queue_decide",
    "queue_copies",
    *(f"hold_{name}" for name in ("add", "change", "changelist", "decide", "delete", "history")),
}
"""Addresses with tables of their own."""


def guard(ad: Ad) -> None:
    """Nobody but superusers may change or delete it."""
    Ad.objects.filter(pk=ad.pk).update(phone="house")


def conceal(ad: Ad) -> None:
    """The list of its ModelAdmin shows it to superusers only."""
    Ad.objects.filter(pk=ad.pk).update(sku="secret")


OBJECTS = {
    "plain": lambda keeper, loser: None,
    "comment": lambda keeper, loser: Comment.objects.create(ad=loser, text="c"),
    "guarded_loser": lambda keeper, loser: guard(loser),
    "guarded_keeper": lambda keeper, loser: guard(keeper),
    "secret_loser": lambda keeper, loser: conceal(loser),
    "secret_keeper": lambda keeper, loser: conceal(keeper),
}

DEEDS = table("""
deed-object            nobody author clerk review merge change delete moved super
leave-plain            door   door   no    done   no    done   done   done  done
leave-guarded_loser    door   door   no    done   no    done   done   done  done
leave-secret_loser     door   door   no    done   no    done   done   done  done
hide-plain             door   door   no    lacks  lacks done   done   done  done
hide-comment           door   door   no    lacks  lacks done   done   done  done
hide-guarded_loser     door   door   no    lacks  lacks lacks  lacks  lacks done
hide-guarded_keeper    door   door   no    lacks  lacks done   done   done  done
hide-secret_loser      door   door   no    lacks  lacks lacks  lacks  lacks done
merge-plain            door   door   no    no     lacks no     done   done  done
merge-comment          door   door   no    no     lacks no     lacks  done  done
merge-guarded_loser    door   door   no    no     lacks no     lacks  lacks done
merge-guarded_keeper   door   door   no    no     lacks no     lacks  lacks done
merge-secret_loser     door   door   no    no     lacks no     lacks  lacks done
merge-secret_keeper    door   door   no    no     lacks no     lacks  lacks done
delete-plain           door   door   no    lacks  lacks lacks  done   done  done
delete-comment         door   door   no    lacks  lacks lacks  lacks  done  done
delete-guarded_loser   door   door   no    lacks  lacks lacks  lacks  lacks done
delete-guarded_keeper  door   door   no    lacks  lacks lacks  done   done  done
delete-secret_loser    door   door   no    lacks  lacks lacks  lacks  lacks done
""")
"""What comes of a deed: sent to the door, not even shown, shown without the button, or done."""

STATUSES = {"door": (302, 302), "no": (403, 403), "lacks": (200, 403), "done": (200, 302)}
"""What the confirmation answers, and what the click on it."""


@pytest.fixture
def case(ads):
    """A new cluster or pair of two adverts, made special as a row of DEEDS says."""

    def make(kind: str, thing: str) -> Cluster | Pair:
        keeper, loser = ads("раньше", "позже")
        OBJECTS[thing](keeper, loser)
        return (
            builders.cluster(keeper, loser) if kind == "cluster" else builders.pair(keeper, loser, "variant")
        )

    return make


def remembered() -> int:
    """How many deeds are on record."""
    return MergeRecord.objects.count() + Decision.objects.count()


@pytest.mark.parametrize("kind", ["cluster", pytest.param("pair", marks=pytest.mark.long)])
@pytest.mark.parametrize("row", DEEDS)
def test_every_deed(row, kind, case, root):
    deed, thing = row.split("-")
    people = {name: signed_in(name) for name in PEOPLE}
    able = [name for name, word in DEEDS[row].items() if word == "done"]
    source = case(kind, thing)
    seen, before = fields(look(root, deed, source)), snapshot()

    pages = {name: look(client, deed, source) for name, client in people.items()}
    clicks = {
        name: client.post(url_of(source, deed), seen) for name, client in people.items() if name not in able
    }
    assert snapshot() == before
    for name in able:
        count, source = remembered(), case(kind, thing)
        clicks[name] = people[name].post(url_of(source, deed), fields(look(root, deed, source)))
        assert remembered() == count + 1

    found = {name: (pages[name].status_code, clicks[name].status_code) for name in PEOPLE}
    assert found == {name: STATUSES[word] for name, word in DEEDS[row].items()}
    assert {name for name, click in clicks.items() if at_the_door(click)} == {"nobody", "author"}


UNDOS = table("""
undo-object            nobody author clerk review merge change delete moved super
leave-plain            door   door   no    done   lacks done   done   done  done
hide-plain             door   door   no    lacks  lacks done   done   done  done
hide-guarded_loser     door   door   no    lacks  lacks lacks  lacks  lacks done
hide-secret_loser      door   door   no    lacks  lacks lacks  lacks  lacks done
merge-plain            door   door   no    lacks  lacks lacks  done   done  done
merge-comment          door   door   no    lacks  lacks lacks  lacks  done  done
merge-guarded_keeper   door   door   no    lacks  lacks lacks  lacks  lacks done
merge-secret_keeper    door   door   no    lacks  lacks lacks  lacks  lacks done
delete-plain           door   door   no    lacks  lacks lacks  done   done  done
delete-comment         door   door   no    lacks  lacks lacks  lacks  done  done
""")
"""The same of taking it back: the page of the batch, and the click on it."""


def standing() -> int:
    """How many deeds on record hold."""
    return MergeRecord.objects.filter(undone=None).count() + Decision.objects.filter(withdrawn=None).count()


@pytest.mark.parametrize("row", UNDOS)
def test_every_undo(row, case, root):
    deed, thing = row.split("-")
    people = {name: signed_in(name) for name in PEOPLE}
    able = [name for name, word in UNDOS[row].items() if word == "done"]

    def done() -> tuple[str, dict[str, list[int]]]:
        """The address of the undo of a new deed, and what its form sends."""
        confirm(root, deed, case("cluster", thing))
        model = Decision if deed == "leave" else MergeRecord
        name, newest = "decision" if deed == "leave" else "record", model.objects.latest("pk")
        return reverse("admin:neardup_mergerecord_undo", args=[newest.batch]), {name: [newest.pk]}

    (url, data), before = done(), snapshot()
    pages = {name: client.get(url) for name, client in people.items()}
    clicks = {name: client.post(url, data) for name, client in people.items() if name not in able}
    assert snapshot() == before
    for name in able:
        (url, data), count = done(), standing()
        clicks[name] = people[name].post(url, data)
        assert standing() == count - 1

    found = {name: (pages[name].status_code, clicks[name].status_code) for name in PEOPLE}
    assert found == {name: STATUSES[word] for name, word in UNDOS[row].items()}
    assert {name for name, click in clicks.items() if at_the_door(click)} == {"nobody", "author"}


REST = {
    "phrase added": ("keyphrase_add", {"text": "трубы", "profile": ""}),
    "phrase changed": ("keyphrase_change", {"text": "трубы", "profile": ""}),
    "phrase deleted": ("keyphrase_delete", {"post": "yes"}),
    "passage added": ("ignoredpassage_add", {"text": "трубы стальные новые и бывшие в работе", "profile": ""}),
    "passage changed": ("ignoredpassage_change", {"text": "трубы стальные новые и бывшие в работе", "profile": ""}),
    "passage deleted": ("ignoredpassage_delete", {"post": "yes"}),
    "phrase switched off": ("keyphrase_changelist", {"action": "switch_off", "_selected_action": "keyphrase"}),
    "phrase searched for": ("keyphrase_changelist", {"action": "search_posts", "_selected_action": "keyphrase"}),
    "document tried again": ("document_changelist", {"action": "retry_selected", "_selected_action": "document"}),
    "address deleted": ("movedurl_delete", {"post": "yes"}),
    "decision withdrawn": ("decision_withdraw", {}),
    "decision taken back": ("decision_changelist", {"action": "withdraw_selected", "_selected_action": "decision"}),
    "cluster edited": ("cluster_change", {"size": "1", "state": "resolved"}),
    "cluster deleted": ("cluster_delete", {"post": "yes"}),
    "pair deleted": ("pair_delete", {"post": "yes"}),
    "decision edited": ("decision_change", {"kind": "same"}),
    "record deleted": ("mergerecord_delete", {"post": "yes"}),
}  # fmt: skip
"""What else can be sent: where, and what; a list's action is done to the row of that model."""
NEVER = ("cluster edited", "cluster deleted", "pair deleted", "decision edited", "record deleted")
WITHDRAWING = ("decision withdrawn", "decision taken back")
ALLOWED = {
    **dict.fromkeys(REST, ("super",)),
    **dict.fromkeys(WITHDRAWING, ("review", "change", "delete", "moved", "super")),
    **dict.fromkeys(NEVER, ()),
}


def send(client: Client, what: str, things: dict[str, Any]) -> HttpResponse:
    where, data = REST[what]
    if "_selected_action" in data:
        data = {**data, "_selected_action": things[data["_selected_action"]]}
    return client.post(address(where, things), data)


@pytest.mark.parametrize("what", REST)
def test_what_may_not_be_sent(what, things):
    clients = [signed_in(name) for name in PEOPLE if name not in ALLOWED[what]]
    before = snapshot()

    assert all(send(client, what, things).status_code < 500 for client in clients)
    assert snapshot() == before


@pytest.mark.parametrize(("what", "name"), [(what, name) for what in REST for name in ALLOWED[what]])
def test_what_may_be_sent(what, name, things):
    client, before = signed_in(name), snapshot()

    assert send(client, what, things).status_code == 302
    assert snapshot() != before
