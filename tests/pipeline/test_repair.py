"""A repair sees to its own cluster, whatever stands around it."""

import time

import pytest
from django.db import connection
from django.db.models import F
from django.test.utils import CaptureQueriesContext

from django_neardup.conf import get_site_settings
from django_neardup.models import Cluster, Membership, Pair
from django_neardup.pipeline import drain
from django_neardup.pipeline.clusters.repair import repair_cluster
from django_neardup.pipeline.leases import LEASE_ATTRIBUTE
from django_neardup.pipeline.work_queue import lease_row, request_processing
from tests.pipeline.families import family
from tests.pipeline.helpers import cluster, document, pair, post, work
from tests.pipeline.test_faults import assert_as_rebuilt
from tests.testapp.models import Ad

MODELS = ("С90.30", "С110.35", "С120.40", "С140.35")


def group(model, size=3):
    """Copies of one text that names a model: a cluster whose members are variants of the others' members."""
    words = family(1)
    return [
        post(" ".join([*words[: 20 + number], "новый", model, *words[20 + number :]]))
        for number in range(size)
    ]


def updates_of_a_repair(models):
    """Statements that renew clusters when the first group's representative becomes another text."""
    first, *others = [group(model) for model in models]
    work()
    assert all(cluster(ads[0]).size == 3 for ads in (first, *others))
    assert all(pair(first[0], ads[0]).verdict == "variant" for ads in others)
    first[0].text = " ".join(family(2))
    first[0].save()
    drain(limit=1)
    assert Cluster.objects.filter(wanted__gt=F("done")).count() == 1
    with CaptureQueriesContext(connection) as statements:
        work()
    assert cluster(first[0]) is None
    assert cluster(first[1]) == cluster(first[2]) is not None
    assert Cluster.objects.count() == len(models)
    return sum(
        each["sql"].startswith("UPDATE") and "neardup_cluster" in each["sql"].split("SET")[0]
        for each in statements
    )


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(("seconds", "renewals"), [(100, 1), (0, 0)])
def test_the_lease_of_a_long_repair_is_renewed(seconds, renewals):
    first, *_ = group(MODELS[0], 4)
    work()
    held = cluster(first)
    request_processing(Cluster, held.pk, "default")
    row = lease_row(Cluster, held.pk, "default", 120)
    row.__dict__[LEASE_ATTRIBUTE] = row.__dict__[LEASE_ATTRIBUTE]._replace(started=time.monotonic() - seconds)
    with CaptureQueriesContext(connection) as statements:
        repair_cluster(row, "default")
    renewed = [each["sql"] for each in statements if 'SET "leased_until"' in each["sql"].replace("`", '"')]
    assert len(renewed) == renewals and Cluster.objects.get().pending_since is None


@pytest.mark.django_db(transaction=True)
def test_clusters_of_variants_are_left_alone():
    alone = updates_of_a_repair(MODELS[:1])
    Ad.objects.all().delete()
    work()
    # With variants, members of the family are compared again: that may leave less to the repair.
    assert updates_of_a_repair(MODELS) <= alone


def waiting_repair():
    """Copies that have each been compared with the first alone, which has another text by now."""
    first, *others = group(MODELS[0], 4)
    work()
    Pair.objects.exclude(a=document(first)).delete()
    first.text = " ".join(family(2))
    first.save()
    drain(limit=1)
    assert Cluster.objects.get(wanted__gt=F("done")).size == 4
    return first, others


def assert_settled(first, others):
    assert not Cluster.objects.filter(pending_since__isnull=False).exists()
    assert cluster(first) is None and {cluster(each).pk for each in others} == {Cluster.objects.get().pk}
    for place in Membership.objects.filter(reason=Membership.Reason.DUPLICATE).select_related("cluster"):
        assert Pair.objects.get(a=place.cluster.leader, b=place.document).score == place.score
    assert_as_rebuilt()


@pytest.mark.django_db(transaction=True)
@pytest.mark.engine_alike
@pytest.mark.parametrize("at_once", [1, 100])
def test_members_go_ways_of_their_own_where_a_repair_is_given_up(at_once, monkeypatch, caplog):
    monkeypatch.setattr("django_neardup.pipeline.clusters.repair.MEMBERS_PER_BATCH", at_once)
    first, others = waiting_repair()
    Cluster.objects.update(attempts=get_site_settings().max_attempts)
    work()
    assert "is not tried again" in caplog.text
    assert_settled(first, others)


@pytest.mark.django_db(transaction=True)
@pytest.mark.engine_alike
def test_a_repair_that_fails_each_time_is_given_up_at_last(monkeypatch):
    monkeypatch.setattr("django_neardup.pipeline.worker.repair_cluster", lambda cluster, using: 1 / 0)
    first, others = waiting_repair()
    for _ in range(get_site_settings().max_attempts):
        assert drain().has_pending
        Cluster.objects.update(leased_until=None)
    work()
    assert_settled(first, others)
