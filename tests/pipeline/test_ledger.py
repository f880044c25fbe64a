"""Marks, leases and ends."""

import time

import pytest
from django.db import connections
from django.db.models import F

from django_neardup.adapters import adapter_for
from django_neardup.db.backends import get_backend
from django_neardup.db.backends.mysql import MySQLBackend
from django_neardup.models import LIVE_FIRST_SEEN, Cluster, Document, Scheme
from django_neardup.models.fields import DatabaseClock
from django_neardup.pipeline import drain, mark
from django_neardup.pipeline.backfill.range_documents import get_or_create_documents
from django_neardup.pipeline.leases import available_rows, is_leased
from django_neardup.pipeline.work_queue import finish_row, lease_row, request_processing
from django_neardup.pipeline.worker import DrainResult
from tests.pipeline.helpers import SOFA, SOFA_EDITED, document, post, work
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])


def test_a_mark_is_one_statement(django_assert_num_queries):
    one = post(SOFA)
    mark(one)
    with django_assert_num_queries(1):
        mark(one)
    assert (document(one).wanted, document(one).done) == (3, 0)
    assert document(one).first_seen == LIVE_FIRST_SEEN and document(one).object_key == one.pk


def test_what_has_no_key_is_not_marked():
    with pytest.raises(ValueError, match="mark_queryset"):
        mark(Ad(text=SOFA))
    assert not Document.objects.exists()


@pytest.mark.engine_alike
@pytest.mark.parametrize("limit", [0, 1])
def test_however_short_a_drain_is_it_takes_its_first_turns(limit):
    one = post(SOFA)
    assert drain(seconds=0, limit=limit).processed == limit
    work()
    group = Cluster.objects.create(
        space=document(one).space, scheme=Scheme.objects.get(), leader=document(one)
    )
    request_processing(Cluster, group.pk, "default")
    assert drain(seconds=0, limit=limit).processed == limit


def test_oldest_first_and_never_twice():
    posts = [post(f"{SOFA} {number}") for number in range(5)]
    assert available_rows(Document, "default", 10) == [(document(each).pk, 0) for each in posts]
    first = document(posts[0]).pk
    assert lease_row(Document, first, "default", 60).attempts == 1
    assert lease_row(Document, first, "default", 60) is None
    assert first not in dict(available_rows(Document, "default", 10))


@pytest.mark.parametrize("model", [Document, Cluster])
def test_posts_of_some_kinds_are_left_waiting(model):
    first, _ = post(SOFA), post(SOFA)
    work()
    row = document(first) if model is Document else Cluster.objects.get()
    assert available_rows(model, "default", 10) == []
    request_processing(model, row.pk, "default")
    kind = document(first).content_type_id
    assert (
        available_rows(model, "default", 10)
        == available_rows(model, "default", 10, {kind + 1})
        == [(row.pk, 0)]
    )
    assert available_rows(model, "default", 10, {kind, kind + 1}) == []


def test_a_drain_that_finds_nothing_asks_little(django_assert_num_queries):
    post(SOFA), post(SOFA)
    assert drain().processed == 2
    drain()  # which knows the scheme that the first one has made
    with django_assert_num_queries(4):  # the schemes, saves without a mark, what is free, and what waits
        assert drain() == DrainResult()


@pytest.mark.parametrize("model", [Document, Cluster])
@pytest.mark.parametrize(("seconds", "is_free"), [(119, False), (359, False), (361, True), (10**8, True)])
def test_a_lease_too_far_ahead_is_free(model, seconds, is_free):
    """LEASE_SECONDS is 120. Later, the lease was taken before the clock was set back."""
    one, _two = post(SOFA), post(SOFA_EDITED)
    work()
    row = Cluster.objects.get() if model is Cluster else document(one)
    model.objects.filter(pk=row.pk).update(
        wanted=F("wanted") + 1,
        pending_since=DatabaseClock(),
        leased_until=DatabaseClock() + seconds * 1000,
    )
    assert bool(available_rows(model, "default", 1)) is is_free
    if model is Document:
        assert bool(get_backend("default").lease(row._meta.db_table, ["id"], [row.pk], 0)) is is_free
        model.objects.filter(pk=row.pk).update(leased_until=DatabaseClock() + seconds * 1000)
    assert (lease_row(model, row.pk, "default", 60) is not None) is is_free


def test_a_post_that_fails_is_not_tried_again_at_once_where_leases_are_short(settings, monkeypatch):
    settings.NEARDUP = {"default": {"LEASE_SECONDS": 1}}
    ad = post(SOFA)
    monkeypatch.setattr(type(adapter_for(Ad)), "text", lambda self, ad: 1 / 0, raising=False)
    for attempts in range(1, 5):
        Document.objects.update(leased_until=None)
        drain()
        assert document(ad).attempts == attempts
    # The pause after the fourth attempt would be 40 seconds.
    left = Document.objects.annotate(left=F("leased_until") - DatabaseClock()).get().left
    assert 1000 < left <= 3000
    assert available_rows(Document, "default", 1) == []


def test_an_expired_lease_is_free_again():
    one = document(post(SOFA)).pk
    assert lease_row(Document, one, "default", -1) and lease_row(Document, one, "default", 60).attempts == 2


def test_a_lease_that_ends_now_has_ended():
    # Within one millisecond of the database's clock: one round would seldom show the difference.
    one = document(post(SOFA)).pk
    for attempt in range(1, 51):
        assert lease_row(Document, one, "default", 0).attempts == attempt
        assert available_rows(Document, "default", 1) == [(one, attempt)]
        assert not Document.objects.filter(is_leased()).exists()


def test_what_came_during_a_turn_goes_on_waiting():
    one = post(SOFA)
    row = lease_row(Document, document(one).pk, "default", 60)
    mark(one)
    finish_row(Document, row.pk, row.wanted, "default")
    assert document(one).done == 1 and document(one).pending_since is not None
    assert available_rows(Document, "default", 10) == [(row.pk, 0)]
    work()
    assert document(one).done == document(one).wanted == 2 and document(one).pending_since is None


def test_an_older_end_never_undoes_a_newer_one():
    one = post(SOFA)
    mark(one)
    finish_row(Document, document(one).pk, 2, "default")
    finish_row(Document, document(one).pk, 1, "default")
    assert document(one).done == 2


def test_the_lease_follows_the_databases_clock():
    row = lease_row(Document, document(post(SOFA)).pk, "default", 60)
    with connections["default"].cursor() as cursor:
        cursor.execute(f"SELECT {get_backend('default').clock}")
        (now,) = cursor.fetchone()
    assert 0 < row.leased_until - now <= 60_000


@pytest.mark.engines("mariadb")
@pytest.mark.parametrize("seconds", [1792889999, 1792893599])
@pytest.mark.parametrize("zone", ["SYSTEM", "+05:30"])
def test_mariadbs_clock_knows_no_zone_so_that_no_hour_comes_twice(zone, seconds):
    """Around the end of a summer; the moment is told in UTC, which has none."""
    with connections["default"].cursor() as cursor:
        cursor.execute("SET time_zone = %s, timestamp = %s", [zone, seconds])
        cursor.execute(f"SELECT {MySQLBackend.clock}")
        (told,) = cursor.fetchone()
        cursor.execute("SET timestamp = DEFAULT")
        cursor.execute(f"SELECT {MySQLBackend.clock}")
        (now,) = cursor.fetchone()
        cursor.execute("SET time_zone = 'SYSTEM'")
    assert told == seconds * 1000 and abs(now - 1000 * time.time()) < 60_000


def test_a_document_that_kills_its_worker_is_given_up(settings):
    settings.NEARDUP = {"default": {"MAX_ATTEMPTS": 2}}
    one, other = document(post(SOFA)).pk, post(SOFA + " Торг.")
    for _ in range(2):
        lease_row(Document, one, "default", -1)
    work()
    assert Document.objects.get(pk=one).state == Document.State.QUARANTINED
    assert document(other).state == Document.State.INDEXED


def test_many_objects_are_numbered_in_few_statements(django_assert_max_num_queries):
    Ad.objects.bulk_create(Ad(text=f"{SOFA} {number}") for number in range(30))
    keys = list(Ad.objects.order_by("pk").values_list("pk", flat=True))
    with django_assert_max_num_queries(8):
        for first in (7, 99):
            get_or_create_documents(
                adapter_for(Ad),
                dict(zip(keys, range(first, 200))),
                "default",
                renumber=False,
            )
    assert list(Document.objects.order_by("pk").values_list("first_seen", flat=True)) == list(range(7, 37))
