"""Posts that were tried too often: which are tried again, and when."""

from __future__ import annotations

import signal
import subprocess
import sys

import pytest
from django.db.models import F

from django_neardup import pipeline
from django_neardup.adapters import adapter_for
from django_neardup.models import Document, PeriodicSearch
from django_neardup.pipeline import mark, periodic_searches, quarantine
from django_neardup.pipeline.leases import available_rows
from django_neardup.pipeline.periodic_searches import run_due_searches
from django_neardup.pipeline.work_queue import lease_row
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, post, work
from tests.testapp.models import Ad

pytestmark = pytest.mark.django_db(transaction=True, databases=["default"])

HOUR = 3600 * 1000
DYING_WORKER = """
import os, signal, sys
import django
django.setup()
from django_neardup.adapters import adapter_for
from django_neardup.pipeline import drain
from django_neardup.pipeline.periodic_searches import run_due_searches
from tests.testapp.models import Ad
kind, text = type(adapter_for(Ad)), type(adapter_for(Ad)).text
kind.text = lambda self, ad: (
    os.kill(os.getpid(), signal.SIGKILL) if ad.pk == int(sys.argv[1]) else text(self, ad)
)
run_due_searches("default")
drain()
"""


def die(*ads):
    """Lease the posts as a worker does that dies at once."""
    for ad in ads:
        assert lease_row(Document, document(ad).pk, "default", -1) is not None


def give_up(ad, deaths=5):
    for _ in range(deaths):
        die(ad)
    drain()
    assert document(ad).reason.startswith("given up")


def pass_hours(hours):
    """Let the database's clock be so many hours later, for what was given up."""
    rows = Document.objects.filter(state="quarantined")
    rows.update(leased_until=F("leased_until") - hours * HOUR)
    PeriodicSearch.objects.update(due=0)


def drain(limit=None):
    """Work as a worker does."""
    run_due_searches("default")
    return pipeline.drain(limit=limit)


@pytest.fixture
def unreadable(monkeypatch):
    """Let the text of a post raise an error."""

    def break_text(ad):
        kind, text = type(adapter_for(Ad)), type(adapter_for(Ad)).text
        monkeypatch.setattr(
            kind, "text", lambda self, other: 1 / 0 if other.pk == ad.pk else text(self, other), raising=False
        )

    return break_text


@pytest.mark.parametrize("limit", [1, 2, 3, 4, 10])
def test_posts_that_were_never_tried_come_first(limit):
    ads = [post(f"{SOFA} {number}") for number in range(4)]
    die(ads[0], ads[2])
    expected = [(document(ads[number]).pk, attempts) for number, attempts in ((1, 0), (3, 0), (0, 1), (2, 1))]
    assert available_rows(Document, "default", limit) == expected[:limit]


def test_a_suspect_waits_for_the_whole_queue():
    suspect, *others = [post(f"{text} {number}") for number, text in enumerate((SOFA, PIANO, CAT))]
    die(suspect)
    for other in others:
        drain(limit=1)
        assert document(other).state == "indexed" and document(suspect).state == "pending"
    drain(limit=1)
    assert document(suspect).state == "indexed"


def test_a_post_whose_worker_died_is_tried_again_after_a_day():
    ad, twin = post(SOFA), post(SOFA_EDITED)
    give_up(ad)
    assert cluster(twin) is None

    pass_hours(23)
    assert drain().processed == 0 and document(ad).state == "quarantined"
    pass_hours(2)
    assert drain().processed == 1

    assert document(ad).state == "indexed" and document(ad).leased_until is None
    assert cluster(ad) == cluster(twin) is not None
    assert drain().processed == 0


@pytest.mark.parametrize(
    "max_attempts", [2, *(pytest.param(most, marks=pytest.mark.long) for most in (1, 5))]
)
def test_a_post_that_kills_its_workers_kills_one_a_day_and_nobody_beside_it(
    max_attempts, settings, child_environment
):
    settings.NEARDUP = {"default": {"MAX_ATTEMPTS": max_attempts}}
    guilty, *innocent = [post(f"{text} {number}") for number, text in enumerate((SOFA, PIANO, CAT))]

    def run_worker():
        code = f"from django.conf import settings\nsettings.NEARDUP = {settings.NEARDUP!r}\n{DYING_WORKER}"
        worker = subprocess.run([sys.executable, "-c", code, str(guilty.pk)], env=child_environment)
        Document.objects.exclude(pending_since=None).update(leased_until=1)
        return worker.returncode

    deaths = 0
    while run_worker() == -signal.SIGKILL:
        deaths += 1
    assert deaths == max(max_attempts, 2)
    assert document(guilty).reason.startswith("given up")
    assert {document(ad).state for ad in innocent} == {"indexed"}

    for _day in range(2):
        pass_hours(25)
        late = post(f"{PIANO} {_day}")
        assert run_worker() == -signal.SIGKILL
        assert document(late).state == "indexed"
        assert run_worker() == 0
        assert document(guilty).reason.startswith("given up")


def test_a_post_that_cannot_be_read_stays_until_it_is_edited(unreadable, monkeypatch):
    ad = post(SOFA)
    unreadable(ad)
    for _ in range(6):
        Document.objects.update(leased_until=None)
        drain()
    assert (document(ad).state, document(ad).reason) == ("quarantined", "ZeroDivisionError")

    pass_hours(100)
    assert drain().processed == 0
    monkeypatch.undo()
    ad.save()
    work()
    assert document(ad).state == "indexed"


def test_a_post_that_fails_when_it_is_tried_again_stays_too(unreadable):
    ad = post(SOFA)
    give_up(ad)
    unreadable(ad)
    pass_hours(25)
    assert drain().processed == 1
    assert (document(ad).state, document(ad).reason) == ("quarantined", "ZeroDivisionError")
    pass_hours(100)
    assert drain().processed == 0


def test_an_edit_does_not_wait_for_the_day():
    ad = post(SOFA)
    give_up(ad)
    ad.save()
    work()
    assert document(ad).state == "indexed"


def test_a_post_that_is_edited_while_it_is_given_up_stays_pending():
    ad = post(SOFA)
    for _ in range(5):
        die(ad)
    row = document(ad)
    mark(ad)
    quarantine.quarantine(row, "given up", "default", is_retried=True)
    assert document(ad).pending_since is not None
    work()
    assert document(ad).state == "indexed"


def test_many_are_tried_again_a_few_at_a_time(monkeypatch):
    monkeypatch.setattr(quarantine, "MAX_RETRIES", 2)
    monkeypatch.setattr(periodic_searches, "MANY", 2)
    ads = [post(f"{SOFA} {number}") for number in range(5)]
    for ad in ads:
        for _ in range(5):
            die(ad)
    drain()
    pass_hours(25)
    assert [drain().processed for _ in range(4)] == [2, 2, 1, 0]
    assert {document(ad).state for ad in ads} == {"indexed"}


def test_a_post_that_was_given_up_in_the_future_is_tried_again():
    ad = post(SOFA)
    give_up(ad)
    pass_hours(-24 * 365)
    drain()
    assert document(ad).state == "indexed"


def test_where_nothing_is_due_a_worker_reads_once(django_assert_num_queries):
    run_due_searches("default")
    with django_assert_num_queries(1):
        run_due_searches("default")
