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
from django_neardup.pipeline.open_items import rebuild_open_items, refresh_open_items
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
