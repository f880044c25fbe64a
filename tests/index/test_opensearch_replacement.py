"""An index of OpenSearch that is rebuilt, switched and repaired, while posts are saved, edited and deleted."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import threading
import time

import pytest
from django.core.management import CommandError, call_command
from django.db import connection

from django_neardup.exceptions import IndexUnavailable
from django_neardup.index.index_class import get_index
from django_neardup.index.opensearch import drift, overload, replacement
from django_neardup.index.opensearch.key_documents import Entry
from django_neardup.models import Document, Key, KeyChange, KeyIndexState, RemovedKey
from django_neardup.pipeline import drain
from tests.index.contract import add_run, columns, replace_keys, sample_pairs
from tests.index.opensearch_helpers import delete_indexes, ship_all, site_setting
from tests.index.test_opensearch import differences, found
from tests.index.test_opensearch_twins import text_of
from tests.pipeline.helpers import SOFA, SOFA_EDITED, cluster, post, work
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.django_db(transaction=True)]

POSTS = int(os.environ.get("POSTS") or 400)
KILLS = 2


@pytest.fixture(autouse=True)
def index(settings, opensearch):
    settings.NEARDUP = site_setting(opensearch)
    yield get_index("default")
    delete_indexes(opensearch)


def run(option):
    call_command("neardup_index", option, verbosity=0, no_progress=True)


def drifted(index):
    """Documents whose entry in the index in use has other keys than their fingerprints."""
    return list(drift.differing_documents(index, KeyIndexState.objects.get().in_use))


def test_a_new_index_is_built_and_the_former_one_deleted(index, opensearch):
    add_run("default", *columns(sample_pairs(300)))
    replace_keys("default", 301, (), [5])
    ship_all()
    former = KeyIndexState.objects.get().in_use
    replace_keys("default", 301, [5], [6])
    run("--rebuild-index")
    state = KeyIndexState.objects.get()
    assert state.in_use != former and not state.building
    assert [*opensearch.ask("GET", f"/{index.name}-*")] == [state.in_use]
    assert (found(5), found(6)) == ([], [301])
    assert differences(index) == set() == {*drifted(index)}


def test_a_site_that_changes_to_opensearch(index, settings):
    """The table of keys has all of them until the new index has them."""
    setting = settings.NEARDUP
    settings.NEARDUP = {}
    posts = [post(SOFA), post(SOFA_EDITED)]
    work()
    settings.NEARDUP = setting
    index = get_index("default")
    copy = post(SOFA)
    work()
    ship_all()
    assert cluster(copy) == cluster(posts[0]) and Key.objects.exists()
    run("--rebuild-index")
    assert not Key.objects.exists() and differences(index) == set()
    other = post(SOFA)
    work()
    assert {cluster(ad) for ad in posts} == {cluster(other)}


def test_a_change_during_the_copy_wins(index, monkeypatch):
    """It is sent before the copy of the older keys arrives."""
    replace_keys("default", 7, (), [5])
    ship_all()
    write = replacement.write_entries

    def change_then_write(*arguments):
        if KeyChange.objects.count() == 0 and found(5) == [7]:
            replace_keys("default", 7, [5], [6])
            ship_all()
        return write(*arguments)

    monkeypatch.setattr(replacement, "write_entries", change_then_write)
    run("--rebuild-index")
    assert (found(5), found(6)) == ([], [7]) and differences(index) == set()


def test_a_process_that_does_not_know_the_new_index_finishes_nothing(index):
    replace_keys("default", 1, (), [2])
    ship_all()
    replace_keys("default", 7, (), [5])
    from django_neardup.index.opensearch import shipping

    state = shipping.claim("default", index.name)
    batch = shipping.read_batch("default")
    building = replacement._begin(index)
    assert not shipping.release(state, "default")
    assert KeyChange.objects.count() == 1 and batch.ids
    ship_all()
    assert set(drift._read_entries(index, building, 0, 9)) == {7}
    run("--rebuild-index")
    assert found(5) == [7] and found(2) == [1]


def test_a_restored_database_gets_a_new_index(index):
    ad = post(SOFA)
    work()
    ship_all()
    KeyIndexState.objects.update(counter=0)  # the backup is older
    index.last_check = 0.0
    with pytest.raises(IndexUnavailable, match="restored from a backup"):
        drain("default")
    assert "neardup_index --rebuild-index" in index.problem()
    with pytest.raises(CommandError, match="restored from a backup"):
        run("--repair-index")
    copy = post(SOFA)
    run("--rebuild-index")
    assert index.problem() == ""
    work()
    assert cluster(ad) == cluster(copy) is not None
    ship_all()
    assert differences(index) == set()


def limit_requests(opensearch, size):
    """Let the node refuse requests for which it has no memory, with the status 429. None: the usual limit.

    It never refuses a change of its settings.
    """
    limit = {"network.breaker.inflight_requests.limit": size}
    assert opensearch.ask("PUT", "/_cluster/settings", {"transient": limit})["acknowledged"]


@pytest.mark.parametrize("argument", ["--rebuild-index", "testapp.Ad"])
def test_a_node_with_too_much_to_do_is_asked_again(index, opensearch, caplog, argument):
    caplog.set_level("INFO", logger=overload.__name__)
    Ad.objects.bulk_create([Ad(text=f"{SOFA} {number}") for number in range(30)])
    if argument == "--rebuild-index":
        call_command("neardup_index", verbosity=0)
        ship_all()
        caplog.clear()
    limit_requests(opensearch, "1kb")
    relief = threading.Timer(2.5, limit_requests, [opensearch, None])
    relief.start()
    try:
        run(argument)
    finally:
        relief.join()
    assert "too much to do" in caplog.text
    ship_all()
    assert differences(index) == set() == {*drifted(index)}
    assert len({cluster(ad) for ad in Ad.objects.all()}) == 1


def test_a_node_that_stays_overloaded_ends_the_command(index, opensearch, monkeypatch):
    monkeypatch.setattr(overload, "PAUSES", (0.01,))
    post(SOFA)
    work()
    ship_all()
    limit_requests(opensearch, "1b")
    try:
        with pytest.raises(CommandError, match="it answers 429"):
            run("--rebuild-index")
    finally:
        limit_requests(opensearch, None)
    run("--rebuild-index")
    assert differences(index) == set() == {*drifted(index)}


def test_a_lost_index_is_rebuilt(index, opensearch):
    ad = post(SOFA)
    work()
    ship_all()
    delete_indexes(opensearch)
    with pytest.raises(IndexUnavailable, match="no such index"):
        found(5)
    run("--rebuild-index")
    copy = post(SOFA)
    work()
    assert cluster(ad) == cluster(copy) is not None


def test_what_differs_is_repaired(index, opensearch):
    add_run("default", *columns(sample_pairs(2500)))
    ship_all()
    state = KeyIndexState.objects.get()
    assert drifted(index) == []
    opensearch.ask("DELETE", f"/{state.in_use}/_doc/7")
    newest = opensearch.ask("GET", f"/{state.in_use}/_doc/8")["_version"]
    replacement.write_entries(index, state.in_use, None, [Entry(8, newest, {5}), Entry(9999, 1, {5})])
    replacement.refresh(index, state.in_use)
    assert drifted(index) == [7, 8, 9999] and found(5) == [8, 9999]
    run("--repair-index")
    assert drifted(index) == [] and found(5) == []


def test_versions_that_this_database_never_gave_are_refused(index):
    """Otherwise a document would be sent again and again."""
    replace_keys("default", 7, (), [5])
    ship_all()
    replacement.write_entries(index, KeyIndexState.objects.get().in_use, None, [Entry(7, 10**9, {6})])
    replace_keys("default", 7, [5], [8])
    with pytest.raises(IndexUnavailable, match="neardup_index --rebuild-index"):
        index.ship(is_forced=True)
    run("--rebuild-index")
    assert (found(5), found(6), found(8)) == ([], [], [7])


def test_other_indexes_and_options_are_refused(index, settings):
    with pytest.raises(CommandError, match="Do not combine"):
        call_command("neardup_index", "--rebuild-index", "--reconcile")
    settings.NEARDUP = {}
    for option in ("--rebuild-index", "--repair-index"):
        with pytest.raises(CommandError, match=f"{option}: DatabaseIndex is not"):
            run(option)


class Site:
    """Saves, edits and deletes posts until it is stopped, beside a worker."""

    def __init__(self, environment):
        self._stop, self.changes = threading.Event(), 0
        command = [
            sys.executable,
            "-m",
            "django",
            "neardup_worker",
            "--database",
            "default",
            "--poll",
            "0.05",
        ]
        self._worker = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL)
        self._thread = threading.Thread(target=self._change)
        self._thread.start()

    def _change(self):
        chance = random.Random(1)
        try:
            while not self._stop.is_set():
                ads = [*Ad.objects.values_list("pk", flat=True)]
                number = chance.randrange(10**6)
                if self.changes % 3 == 0:
                    Ad.objects.create(text=text_of(number))
                elif self.changes % 3 == 1:
                    ad = Ad.objects.get(pk=chance.choice(ads))
                    ad.text = text_of(number)
                    ad.save()
                else:
                    Ad.objects.get(pk=chance.choice(ads)).delete()
                self.changes += 1
                time.sleep(0.02)
        finally:
            connection.close()

    def stop(self):
        self._stop.set()
        self._thread.join()
        self._worker.send_signal(signal.SIGTERM)
        self._worker.wait(60)


@pytest.mark.long
def test_rebuilt_and_killed_while_posts_change(index, settings, child_environment):
    environment = {
        **child_environment,
        "NEARDUP_TEST_INDEX": json.dumps(settings.NEARDUP["default"]["INDEX"]),
    }
    Ad.objects.bulk_create(Ad(text=text_of(number)) for number in range(POSTS))
    call_command("neardup_index", no_progress=True, verbosity=0)
    ship_all()
    former = KeyIndexState.objects.get().in_use
    site = Site(environment)
    command = [sys.executable, "-c", SLOW_REBUILD]
    try:
        marks = []
        for _ in range(KILLS):
            process = subprocess.Popen(command, env=environment)
            reached = wait_for(lambda: KeyIndexState.objects.get().built_up_to, above=max(marks, default=0))
            process.kill()
            process.wait()
            marks.append(reached)
            assert KeyIndexState.objects.get().building
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        assert done.returncode == 0, done.stderr
    finally:
        site.stop()
    state = KeyIndexState.objects.get()
    assert state.in_use != former and not state.building
    work()
    ship_all()
    assert site.changes > 20
    assert drifted(index) == [] and differences(index) == set()
    assert (Key.objects.count(), RemovedKey.objects.count()) == (0, 0)
    assert Document.objects.filter(state=Document.State.QUARANTINED).count() == 0
    print(f"\n{POSTS} posts, {site.changes} changes, killed at {marks}: 0 differences")


SLOW_REBUILD = """
import time
import django
django.setup()
from django.core.management import call_command
from django_neardup.index.opensearch import declared_keys, replacement

declared_keys.DOCUMENTS_PER_READ = 50
write = replacement.write_entries

def write_slowly(*arguments):
    time.sleep(0.1)
    return write(*arguments)

replacement.write_entries = write_slowly
call_command("neardup_index", rebuild_index=True, no_progress=True, verbosity=0)
"""
"""In small steps, so that there is time to kill it and to change posts."""


def wait_for(read, above):
    deadline = time.monotonic() + 60
    while (value := read()) <= above:
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return value
