"""Stored rows of the queue: formed again around what has changed, they are those of what is stored."""

from __future__ import annotations

import pytest
from django.contrib.admin import site
from django.db.models import Case, CharField, Value, When

from django_neardup.admin.review_queue import FILTERS, Filter
from django_neardup.models import ChangedDocument, Cluster, Document, OpenItem, Pair, Queue
from django_neardup.moderation import ActionContext, delete, hide
from django_neardup.moderation.undo.restore import undo
from django_neardup.pipeline import decide, mark
from django_neardup.pipeline.open_items import (
    log_changed_documents,
    rebuild_open_items,
    refresh,
    refresh_open_items,
)
from django_neardup.pipeline.open_items.pair_reader import PairReader
from tests import builders
from tests.admin.tools import page_of
from tests.pipeline.helpers import SOFA, SOFA_EDITED, document, post, work

pytestmark = [pytest.mark.django_db, pytest.mark.logged_rows]


def formed():
    """The rows by their keys, which a rebuild does not change."""
    refresh_open_items("default")
    found = {item.item_key for item in OpenItem.objects.all()}
    rebuild_open_items("default")
    assert found == {item.item_key for item in OpenItem.objects.all()}
    return found


def sofas(count=3):
    ads = [post(SOFA + "!" * number) for number in range(count)]
    work()
    assert formed() == {f"c{Cluster.objects.get().pk}"}
    return ads


@pytest.mark.parametrize("act", [hide, delete])
def test_a_group_that_was_decided_without_its_leader(act):
    ads = sofas()
    act(ads[1:], ActionContext(cluster_id=Cluster.objects.get().pk, resolves_cluster=True))
    assert formed() == set()


def test_an_undo_opens_the_group_again():
    ads = sofas()
    cluster = Cluster.objects.get()
    (record,) = delete(ads[2:], ActionContext(cluster_id=cluster.pk, resolves_cluster=True))
    work()
    assert formed() == set()
    undo(record, None, "default")
    assert formed() == {f"c{cluster.pk}"}


def test_a_post_that_was_hidden_and_shown_again():
    one, two = post(SOFA), post(SOFA_EDITED)
    work()
    Cluster.objects.all().delete()
    Pair.objects.update(verdict="variant", doubtful=True)
    rebuild_open_items("default")
    hide([two], ActionContext())
    work()
    two.refresh_from_db()
    two.published = True
    two.save()
    work()
    before = formed()
    mark(two)
    ChangedDocument.objects.create(document=document(two).pk)
    refresh_open_items("default")
    work()
    assert formed() == before and Document.objects.get(pk=document(one).pk).live


def test_what_was_just_decided_goes_before_a_long_backlog(ads, monkeypatch):
    pair = builders.pair(*ads("а", "б"), "variant", doubtful=True)
    rebuild_open_items("default")
    ChangedDocument.objects.bulk_create(ChangedDocument(document=10**9) for _ in range(5))
    decide("different", [pair.a, pair.b], None, "default")
    assert refresh_open_items("default", limit=2, newest_first=True) == 2
    assert not OpenItem.objects.exists()


def test_two_groups_are_asked_about_once(ads):
    leader, one, two = ads("начало", "один", "два")
    builders.family(leader, one, two)
    first, second = [one, *ads("а", "б")], [two, *ads("в", "г")]
    for group in (first, second):
        builders.cluster(*group)
    doubt = builders.pair(first[1], second[1], "variant", doubtful=True)
    builders.pair(first[2], second[2], "contained")
    rebuild_open_items("default")
    asked = OpenItem.objects.filter(kind="p")
    assert len(asked) == 1 and asked[0].owner_id == builders.document(two).pk
    assert Pair.objects.filter(pk=doubt.pk).exists()


def test_filters_of_a_site_count_on_the_pages_of_its_items(root, ads, monkeypatch):
    pairs = [builders.pair(*ads(f"а{number}", f"б{number}"), "variant", doubtful=True) for number in range(3)]
    chosen = Case(When(number=pairs[1].pk, then=Value("no")), default=Value("yes"), output_field=CharField())
    monkeypatch.setattr(
        site._registry[Queue], "filters", [*FILTERS, Filter("odd", "Odd", {"yes": "Yes"}, chosen)]
    )
    rebuild_open_items("default")

    page = root.get(page_of(pairs[0]), {"_list": "queue", "_changelist_filters": "odd=yes"})

    assert page.context["position"].total == 2
    assert f"/{pairs[2].pk}/" in page.context["position"].next_url


def test_an_empty_log_costs_one_statement(django_assert_num_queries):
    with django_assert_num_queries(1):
        assert refresh_open_items("default") == 0


@pytest.mark.parametrize("per_lock", [1, 3, 200])
def test_the_rows_of_a_family_are_formed_once_in_a_call(ads, monkeypatch, per_lock):
    """However many of its posts, and of their copies, are logged between those of others."""
    posts = ads(*(f"{number} {family}" for number in range(6) for family in "абв"))
    families = [posts[place::3] for place in range(3)]
    for leader, *members in families:
        builders.family(leader, *members, doubtful=True)
    copies = ads(*(f"copy {number}" for number in range(3)))
    for (_leader, member, *_others), copy in zip(families, copies):
        builders.cluster(member, copy)
    monkeypatch.setattr(refresh, "DOCUMENTS_PER_LOCK", per_lock)
    formed_owners, rows_of = [], PairReader.rows_of

    def noted(reader, owners):
        formed_owners.extend(owner.document for owner in owners if owner.of_family)
        return rows_of(reader, owners)

    monkeypatch.setattr(PairReader, "rows_of", noted)
    log_changed_documents([document(post).pk for post in (*posts, *copies)], "default")
    counts = []
    assert refresh_open_items("default", on_handled=counts.append) == sum(counts) == len(posts) + len(copies)
    leaders = {document(leader).pk for leader, *_members in families}
    assert sorted(pk for pk in formed_owners if pk in leaders) == sorted(leaders)
    formed()


def test_a_worker_rests_after_it_has_formed_many_rows(monkeypatch):
    clock = [100.0]
    calls = []

    def form(using):
        calls.append(clock[0])
        clock[0] += 30.0

    monkeypatch.setattr(refresh, "_due", {})
    monkeypatch.setattr(refresh, "refresh_open_items", form)
    monkeypatch.setattr(refresh.time, "monotonic", lambda: clock[0])
    for now in (100.0, 131.0, 249.0, 251.0):
        clock[0] = max(clock[0], now)
        refresh.refresh_if_due("default")
    assert calls == [100.0, 251.0]
