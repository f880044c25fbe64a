"""Decisions to be taken back, records to be read, documents to be tried again."""

import pytest

from django_neardup.models import Cluster, Decision, Document, KeyPhrase, MergeRecord, Pair
from django_neardup.pipeline import decide
from tests import builders
from tests.admin.tools import confirm, list_of, page_of, told
from tests.moderation.tools import history, snapshot
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db


@pytest.fixture
def decision(root, ads):
    pair = builders.pair(*ads("сегодня", "завтра"), "variant")
    return decide("different", [pair.a, pair.b], root.user, "default", note="разные марки")


def withdraw(client, *decisions):
    keys = [each.pk for each in decisions]
    return client.post(list_of(Decision), {"action": "withdraw_selected", "_selected_action": keys})


def test_decisions_are_listed_searched_and_filtered(root, decision):
    def listed(**query):
        return list(root.get(list_of(Decision), query).context["cl"].result_list)

    member = decision.members.first().document.object_id
    for asked in ("разные", "root", member):
        assert listed(q=asked) == [decision]
    assert listed(q="нет такого") == []
    assert listed(force="yes") == [decision]
    assert listed(force="no") == []
    assert "Сваи сегодня" in root.get(list_of(Decision)).content.decode()
    assert "разные марки" in root.get(page_of(decision)).content.decode()


def test_the_page_of_a_decision_names_its_posts(root, person, decision, monkeypatch):
    one, two = (Ad.objects.get(title=f"Сваи {word}") for word in ("сегодня", "завтра"))
    page = root.get(page_of(decision)).content.decode()
    for ad in (one, two):
        assert f'<a href="/admin/testapp/ad/{ad.pk}/change/">{ad.title} №\xa0{ad.pk}</a>' in page

    Ad.objects.filter(pk=one.pk).update(published=False)
    page = person("neardup.review").get(page_of(decision)).content.decode()
    assert "Сваи сегодня" not in page and f"no access №\xa0{one.pk}" in page

    monkeypatch.setattr("django_neardup.admin.decision_admin.MAX_PAGE_POSTS", 1)
    page = root.get(page_of(decision)).content.decode()
    assert "Сваи завтра" not in page and "<div>…</div>" in page


def test_taking_back(root, decision):
    answer = withdraw(root, decision)

    decision.refresh_from_db()
    assert decision.withdrawn
    assert decision.withdrawn_by == "root"
    assert told(answer) == ["1 decision was withdrawn."]
    assert Pair.objects.get().decision is None
    assert len(history()) == 2
    assert told(withdraw(root, decision))[-1] == "0 decisions were withdrawn."


@pytest.mark.parametrize("names", [(), ("neardup.view_decision",), ("neardup.merge_cluster",)])
def test_taking_back_is_for_reviewers(names, person, decision):
    client, before = person(*names), snapshot()

    withdraw(client, decision)

    assert snapshot() == before


def test_taking_back_is_never_a_get(root, decision):
    before = snapshot()

    root.get(list_of(Decision), {"action": "withdraw_selected", "_selected_action": decision.pk})

    assert snapshot() == before


def test_records_are_read_only_and_keep_their_journals_to_themselves(root, person, cluster):
    confirm(root, "delete", cluster)
    record = MergeRecord.objects.first()
    client = person("neardup.view_mergerecord")

    page = client.get(page_of(record)).content.decode()

    assert "deleted" in page
    assert "rows kept" in page
    assert "Продам сваи" not in page
    assert client.post(page_of(record), {"by_name": "x"}).status_code == 403
    for asked, count in (("Сваи", 0), ("root", 2)):
        assert client.get(list_of(MergeRecord), {"q": asked}).context["cl"].result_count == count


def test_documents_are_tried_again(root, cluster):
    document = cluster.leader
    Document.objects.filter(pk=document.pk).update(state=Document.State.QUARANTINED, reason="ValueError")
    assert "ValueError" in root.get(list_of(Document), {"work": "quarantined"}).content.decode()

    answer = root.post(list_of(Document), {"action": "retry_selected", "_selected_action": [document.pk]})

    document.refresh_from_db()
    assert document.recheck
    assert document.wanted > document.done
    assert told(answer) == ["1 post will be tried again."]


@pytest.mark.parametrize("names", [("neardup.review",), ("neardup.view_document",)])
def test_trying_again_needs_its_permission(names, person, cluster):
    client, before = person(*names), snapshot()

    client.post(list_of(Document), {"action": "retry_selected", "_selected_action": [cluster.leader_id]})

    assert snapshot() == before


@pytest.mark.parametrize("model", [Cluster, Pair, Decision, KeyPhrase, MergeRecord, Document])
def test_every_list_opens_when_empty(model, root):
    assert root.get(list_of(model)).status_code == 200
