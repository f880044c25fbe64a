"""A first index sends keys from the fingerprints straight to OpenSearch. No copy is missed meanwhile."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import threading
import time

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.index.index_class import get_index
from django_neardup.index.opensearch import drift, opensearch_index, shipping
from django_neardup.models import Cluster, Document, Fingerprint, Key, KeyChange, KeyIndexState
from tests.index.contract import add_run
from tests.index.opensearch_helpers import delete_indexes, ship_all, site_setting
from tests.index.test_opensearch import differences, found, rows_left, ship_one
from tests.index.test_opensearch_twins import text_of
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, post, work
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.django_db(transaction=True)]

POSTS = int(os.environ.get("POSTS") or 400)
KILLS = 3


@pytest.fixture(autouse=True)
def index(settings, opensearch):
    settings.NEARDUP = site_setting(opensearch)
    yield get_index("default")
    delete_indexes(opensearch)


def load(index, document, key):
    """Store the key of a new document, as a first index does."""
    with index.loading():
        add_run("default", [key], [document], assume_new=True)


def test_keys_do_not_pass_through_the_database(index):
    Ad.objects.bulk_create(Ad(text=text) for text in (SOFA, SOFA_EDITED, PIANO, PIANO, CAT))
    with CaptureQueriesContext(connection) as of_first_index:
        call_command("neardup_index", no_progress=True, verbosity=0)
    assert sorted(Cluster.objects.values_list("size", flat=True)) == [2, 2]
    assert rows_left() == (0, 0, 0) and differences(index) == set()
    post(SOFA)
    with CaptureQueriesContext(connection) as of_a_turn:
        work()
    assert [writes_keys(queries) for queries in (of_first_index, of_a_turn)] == [False, True]


def writes_keys(queries):
    written = re.compile(r"(INSERT|DELETE|COPY)[^\"`]*[\"`]?neardup_key\b")
    return any(written.search(query["sql"]) for query in queries)


def test_keys_are_sent_before_a_look_up(index):
    load(index, 7, 5)
    assert (Key.objects.count(), KeyChange.objects.count()) == (0, 1)
    assert found(5) == [7]
    assert rows_left() == (0, 0, 0)


def test_a_page_says_that_its_answer_may_be_incomplete(index):
    ship_one(index)
    load(index, 7, 5)
    rows, is_complete = index.read_buckets_for_page([5], 16, 48)
    assert (rows[1].tolist(), is_complete) == ([], False)
    ship_all()
    rows, is_complete = index.read_buckets_for_page([5], 16, 48)
    assert (rows[1].tolist(), is_complete) == ([7], True)


def test_a_copy_of_a_post_whose_process_died_finds_it(index, monkeypatch):
    """It died after it had stored the keys, and before it sent them."""
    ship_one(index)
    old, other = Ad.objects.bulk_create([Ad(text=SOFA), Ad(text=PIANO)])
    with monkeypatch.context() as patch, pytest.raises(CommandError, match="stopped at 0 of 2"):
        patch.setattr(opensearch_index, "ship_bulk", die)
        call_command("neardup_index", no_progress=True, verbosity=0)
    assert (Key.objects.count(), KeyChange.objects.filter(is_bulk=True).count()) == (0, 2)
    assert differences(index) != set()  # the control: OpenSearch alone does not know them
    copies = [post(SOFA), post(PIANO)]
    work()
    assert [cluster(old), cluster(other)] == [cluster(copy) for copy in copies]
    assert None not in map(cluster, copies) and cluster(old) != cluster(other)


def die(index):
    raise KeyboardInterrupt


def test_a_look_up_waits_for_the_process_that_is_sending(index):
    ship_one(index)
    load(index, 7, 5)
    state = shipping.claim("default", index.name)
    answers = []

    def look_up():
        try:
            answers.append(found(5))
        finally:
            connection.close()

    thread = threading.Thread(target=look_up)
    thread.start()
    time.sleep(0.3)
    assert answers == [] and thread.is_alive()
    assert shipping.send_batch(index, state, [state.in_use]) == 1
    thread.join(30)
    assert answers == [[7]]


def test_a_refused_document_is_sent_again(index):
    """OpenSearch has a newer version of it, without the key."""
    ship_one(index)
    load(index, 7, 5)
    newer = shipping.key_changes.reserve("default")
    entry = shipping.key_documents.Entry(7, newer, set())
    shipping.write_entries(index, KeyIndexState.objects.get().in_use, None, [entry])
    assert found(5) == [7] and rows_left() == (0, 0, 0)


@pytest.mark.long
def test_a_first_index_that_is_killed_ends_equal(index, settings, child_environment, capsys):
    """Two processes are killed, wherever they are. Each post has a copy."""
    environment = {
        **child_environment,
        "NEARDUP_TEST_INDEX": json.dumps(settings.NEARDUP["default"]["INDEX"]),
    }
    Ad.objects.bulk_create(Ad(text=text_of(number // 2)) for number in range(POSTS))
    command = [sys.executable, "-c", SMALL_LOADS]
    marks = []
    for _ in range(KILLS):
        process = subprocess.Popen(command, env=environment)
        marks.append(wait_for_fingerprints(process, max(marks, default=0) + POSTS // 10))
        process.kill()
        process.wait()
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    # Posts that were stored beside older ones have their keys in the database until they are sent.
    ship_all()
    assert [*drift.differing_documents(index, KeyIndexState.objects.get().in_use)] == []
    assert rows_left() == (0, 0, 0) and differences(index) == set()
    assert Document.objects.filter(state=Document.State.INDEXED).count() == POSTS
    assert [*Cluster.objects.values_list("size", flat=True)] == [2] * (POSTS // 2)
    call_command("neardup_index", "--repair-index", no_progress=True)
    assert capsys.readouterr().out.startswith("0 posts differed")
    print(f"\n{POSTS} posts, killed at {marks}: 0 differences")


SMALL_LOADS = """
import django
django.setup()
from django.core.management import CommandError, call_command
from django_neardup.index.opensearch import OpenSearchIndex

OpenSearchIndex.posts_per_load = 20
call_command("neardup_index", no_progress=True, verbosity=0)
"""


def wait_for_fingerprints(process, above):
    deadline = time.monotonic() + 120
    while (number := Fingerprint.objects.count()) <= above:
        assert process.poll() is None, "it was complete before it was killed"
        assert time.monotonic() < deadline
        time.sleep(0.01)
    return number
