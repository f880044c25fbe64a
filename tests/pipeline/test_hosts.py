"""Workers on several hosts: one is cut off in mid-turn, clocks are five minutes off. No result is lost or doubled.

The hosts have a network, a name and a clock of their own (tests/hosts.py); the servers are real. `make hosts` runs all.
"""

from __future__ import annotations

import json
import time

import pytest
from django.core.management import call_command
from django.db import connection

from django_neardup.index.index_class import get_index
from django_neardup.index.opensearch import drift
from django_neardup.models import Document, IndexRange, Key, KeyChange, KeyIndexState, Membership, RemovedKey
from django_neardup.pipeline import drain, has_pending, mark_queryset
from tests.hosts import Host, missing_rights
from tests.index.opensearch_helpers import delete_indexes, index_setting
from tests.pipeline.families import family
from tests.pipeline.helpers import document, snapshot, work
from tests.queue_tools import host_form, use_queue
from tests.services import MissingServiceError
from tests.testapp.models import Ad

pytestmark = [
    pytest.mark.engines("postgresql", "mariadb"),  # a file of SQLite is on one host
    pytest.mark.django_db(transaction=True, databases=["default", "other"]),
]

LEASE_SECONDS = 1
CLOCK = 300
"""Seconds. Longer than a lease of 120 seconds: by such a clock it has ended, or ends too far ahead to be true."""
PATIENCE = 400.0
"""Seconds. Enough on a machine that is busy with other things."""
COPIES = 2


def until(is_true, complaint):
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline, complaint
        time.sleep(0.05)


class TestHost:
    """A host with a worker that waits at a stage of its work."""

    __test__ = False

    def __init__(self, host, folder, environment):
        self.host, self.folder, self.environment = host, folder, environment
        self.worker = None

    def start(self, stage="", lease=LEASE_SECONDS, command=None, index=None, **environment):
        profile = {"LEASE_SECONDS": lease, **({"INDEX": index} if index else {})}
        command = command or ["neardup_worker", "--database", "default", "--poll", "0.1", "--verbosity", "0"]
        self.worker = self.host.run(
            ["-m", "tests.host_worker", json.dumps(profile), str(self.folder), *command],
            {**self.environment, "NEARDUP_TEST_STAGE": stage, **environment},
        )
        return self

    def reaches_its_stage(self):
        until((self.folder / "reached").exists, "the worker does not come to its stage")

    def goes_on(self):
        (self.folder / "open").touch()


@pytest.fixture
def make_host(child_environment, tmp_path):
    if reason := missing_rights():
        pytest.skip(reason)
    made = []

    def make(clock=0):
        name = f"worker-{len(made)}"
        folder = tmp_path / name
        folder.mkdir()
        try:
            host = Host(name, clock)
        except MissingServiceError as missing:
            pytest.skip(str(missing))
        made.append(host)
        host.start()
        return TestHost(host, folder, child_environment)

    yield make
    for host in made:
        host.stop()


@pytest.fixture
def short_transactions():
    """The server ends transactions of a client that has gone: an option that `operations.md` advises."""
    setting = {
        "postgresql": "ALTER ROLE CURRENT_USER {} idle_in_transaction_session_timeout{}",
        "mysql": "SET GLOBAL {}idle_transaction_timeout{}",
    }[connection.vendor]
    on, off = {"postgresql": (("SET", " = 4000"), ("RESET", "")), "mysql": (("", " = 4"), ("", " = 0"))}[
        connection.vendor
    ]
    with connection.cursor() as cursor:
        cursor.execute(setting.format(*on))
        yield
        cursor.execute(setting.format(*off))


def save_copies(first=0):
    """Save pairs of copies in both databases, with the same keys. Return those of "default" by pair."""
    pairs = []
    for number in range(first, first + COPIES):
        text = " ".join(family(number))
        pairs.append([Ad.objects.create(text=text), Ad.objects.create(text=text)])
        Ad.objects.using("other").bulk_create([Ad(pk=ad.pk, text=text) for ad in pairs[-1]])
    return pairs


def check_results(pairs):
    """Each pair is in one cluster, and all is as if one undisturbed worker had processed the posts."""
    until(lambda: not has_pending("default"), "posts wait")
    clusters = dict(Membership.objects.values_list("document", "cluster"))
    found = [{clusters.get(document(ad).pk) for ad in pair} for pair in pairs]
    assert all(len(names) == 1 and None not in names for names in found)
    assert not Document.objects.filter(state=Document.State.QUARANTINED).exists()
    # Posts that were saved in bulk have no mark.
    mark_queryset(Ad.objects.using("other").all())
    work("other")
    disturbed, undisturbed = snapshot("default"), snapshot("other")
    # Each database has a secret of its own: keys and digests differ.
    assert [len(disturbed[name]) for name in disturbed] == [len(undisturbed[name]) for name in undisturbed]
    assert all(disturbed[name] == undisturbed[name] for name in ("pairs", "clusters", "families"))


def check_cut_off(make_host, stage, clocks=(0, 0)):
    """Cut a worker off at a stage, let another one do the work, and let the first come back."""
    pairs = save_copies()
    first, second = (make_host(clock) for clock in clocks)
    first.start(stage).reaches_its_stage()
    assert has_pending("default")
    first.host.cut_off()
    first.goes_on()
    second.start()
    until(lambda: not has_pending("default"), "the other worker does not take over")
    first.host.connect()
    second.worker.terminate()
    assert second.worker.wait(PATIENCE) == 0
    # It has survived, and works.
    pairs += save_copies(COPIES)
    check_results(pairs)
    assert first.worker.poll() is None


@pytest.mark.slow
@pytest.mark.engines("postgresql")
def test_a_worker_is_cut_off(make_host):
    """The short form, with clocks that are off."""
    check_cut_off(make_host, "stored", (CLOCK, -CLOCK))


@pytest.mark.long
@pytest.mark.parametrize("clocks", [(0, 0), (CLOCK, -CLOCK), (-CLOCK, CLOCK)])
@pytest.mark.parametrize("stage", ["leased", "stored", "locked", "concluded"])
def test_a_worker_is_cut_off_at_any_stage(stage, clocks, make_host, short_transactions):
    check_cut_off(make_host, stage, clocks)


def is_taken_over(make_host, clocks, seconds, **environment):
    """Return whether a second worker takes posts that the first has leased and is working on."""
    save_copies()
    first, second = (make_host(clock) for clock in clocks)
    first.start("leased", lease=120, **environment).reaches_its_stage()
    held = set(Document.objects.filter(attempts=1).values_list("pk", flat=True))
    assert held
    second.start(lease=120, **environment)
    ad = Ad.objects.create(text=" ".join(family(99)))
    if len(held) == 2 * COPIES:
        # Whoever has the others, a new post is free.
        until(lambda: document(ad).done, "the second worker does nothing")
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        if Document.objects.filter(pk__in=held, attempts__gt=1).exists():
            return True
        if Document.objects.filter(pk__in=held, done__gt=0).exists():
            return True
        time.sleep(0.05)
    first.goes_on()
    until(lambda: not has_pending("default"), "posts wait")
    return False


@pytest.mark.long
@pytest.mark.parametrize("clocks", [(0, CLOCK), (0, -CLOCK), (CLOCK, 0), (-CLOCK, 0), (CLOCK, -CLOCK)])
def test_a_living_worker_keeps_its_lease(clocks, make_host):
    assert not is_taken_over(make_host, clocks, seconds=3)


@pytest.mark.long
@pytest.mark.parametrize("clocks", [(0, CLOCK), (CLOCK, -CLOCK)])
def test_control_by_the_clocks_of_workers_it_loses_it(clocks, make_host):
    assert is_taken_over(make_host, clocks, seconds=30, NEARDUP_TEST_OWN_CLOCK="1")


@pytest.mark.long
@pytest.mark.parametrize("clocks", [(0, 0), (CLOCK, -CLOCK)])
def test_the_first_index_is_cut_off(clocks, make_host):
    """Another host waits for the end of the lease: it cannot see whether the process lives."""
    pairs = save_copies()
    command = [
        "neardup_index",
        "testapp.Ad",
        "--no-progress",
        "--verbosity",
        "0",
        "--run",
        "100",
    ]
    first, second = (make_host(clock) for clock in clocks)
    first.start("stored", lease=8, command=command).reaches_its_stage()
    lease_end = IndexRange.objects.get().leased_until
    first.host.cut_off()
    second.start(lease=8, command=command)
    assert second.worker.wait(PATIENCE) == 0
    # The server has the clock of this process.
    assert time.time() * 1000 > lease_end
    first.host.connect()
    first.goes_on()
    assert first.worker.wait(PATIENCE) == 0
    assert IndexRange.objects.filter(finished=False).count() == 0
    # Posts that a command has leased, and another one has marked meanwhile, are a worker's.
    until(lambda: not drain().has_pending, "posts wait")
    check_results(pairs)


@pytest.mark.long
@pytest.mark.redis
def test_a_worker_of_a_queue_is_cut_off(make_host, redis_server, settings):
    queue = host_form(redis_server)
    use_queue(settings, queue)
    environment = {"NEARDUP_TEST_RQ_QUEUES": json.dumps({"default": queue})}
    first, second = make_host(CLOCK), make_host(-CLOCK)
    first.start("stored", command=["rqworker", "default", "--verbosity", "0"], **environment)
    pairs = save_copies()
    first.reaches_its_stage()
    first.host.cut_off()
    first.goes_on()
    second.start(command=["rqworker", "default", "--verbosity", "0"], **environment)
    # A save starts a job on the other host.
    pairs += save_copies(COPIES)
    until(lambda: all(document(ad).done for pair in pairs[COPIES:] for ad in pair), "no job runs")

    def is_done():
        # As cron does on any host.
        call_command("neardup_worker", once=True, databases=["default"], verbosity=0)
        return not has_pending("default")

    until(is_done, "the posts of the first worker wait")
    first.host.connect()
    check_results(pairs)


@pytest.mark.long
@pytest.mark.opensearch
@pytest.mark.parametrize("clocks", [(0, CLOCK), (CLOCK, -CLOCK)])
def test_a_sender_is_cut_off_from_opensearch(clocks, make_host, opensearch, settings):
    """Between the request and the refresh. Its claim is kept while it lives, by any clock."""
    index = index_setting(opensearch, TIMEOUT=5, RETRIES=0)
    settings.NEARDUP = {"default": {"BACKEND": None, "INDEX": index}}
    pairs = save_copies()
    first, second = (make_host(clock) for clock in clocks)
    first.start("sent", index=index).reaches_its_stage()
    counter = KeyIndexState.objects.get().counter
    second.start(index=index)
    until(lambda: not has_pending("default"), "the second worker does not compare")
    time.sleep(3)
    assert KeyIndexState.objects.get().counter == counter
    first.host.cut_off()
    first.goes_on()
    until(lambda: not KeyChange.objects.exists(), "the second worker does not send")
    assert KeyIndexState.objects.get().counter > counter
    first.host.connect()
    pairs += save_copies(COPIES)
    until(lambda: not has_pending("default"), "posts wait")
    until(lambda: not KeyChange.objects.exists(), "changes wait")
    assert first.worker.poll() is None
    key_index, state = get_index("default"), KeyIndexState.objects.get()
    assert list(drift.differing_documents(key_index, state.in_use)) == []
    assert (Key.objects.count(), RemovedKey.objects.count()) == (0, 0)
    clusters = dict(Membership.objects.values_list("document", "cluster"))
    assert all(len({clusters[document(ad).pk] for ad in pair}) == 1 for pair in pairs)
    delete_indexes(opensearch)
