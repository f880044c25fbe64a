"""Three nodes on loopback, and what happens to them while posts are saved: nothing is lost, no post is set aside.

`make chaos-opensearch` runs it. SAVES of the environment says how many pairs of copies are saved in each chapter.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from django.db import connection

from django_neardup.exceptions import IndexUnavailable
from django_neardup.index.index_class import get_index
from django_neardup.index.opensearch import drift, shipping
from django_neardup.index.opensearch.key_documents import Entry
from django_neardup.models import Document, Key, KeyChange, KeyIndexState, Membership, RemovedKey
from django_neardup.pipeline import drain, has_pending
from tests.index.contract import replace_keys
from tests.index.opensearch_helpers import PATH, ship_all, starting_workers
from tests.index.test_opensearch import differences, found
from tests.index.test_opensearch_twins import text_of
from tests.opensearch_service import make_cluster, processes_of
from tests.pipeline.helpers import document
from tests.services import MissingServiceError
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.long, pytest.mark.django_db(transaction=True)]

NODES = 3
SAVES = int(os.environ.get("SAVES") or 40)
WORKERS = 2
PATIENCE = 600.0
MAX_SAVE_SECONDS = 1.0
"""The longest save that counts as unaffected. The cores are shared with three nodes and two workers."""
NAME = "chaos"


@pytest.fixture(scope="module")
def nodes():
    try:
        cluster = make_cluster(NODES)
    except MissingServiceError as missing:
        if os.environ.get("REQUIRE_SERVICES") == "1":
            pytest.fail(str(missing))
        pytest.skip(str(missing))
    threads = [threading.Thread(target=node.start) for node in cluster]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    wait_until(lambda: health(cluster).get("number_of_nodes") == NODES, "the nodes have not found each other")
    yield cluster
    for node in cluster:
        node.stop()
    assert processes_of([node.directory for node in cluster]) == []


@pytest.fixture
def site(nodes, settings):
    """Sets INDEX to a new index of the cluster: copies of each shard besides the first."""
    numbers = iter(range(1, 100))

    def use(replicas):
        for node in nodes:
            if not node.answers():
                node.launch()
        wait_until(lambda: health(nodes).get("number_of_nodes") == NODES, "a node is missing")
        options = {
            "BACKEND": PATH, "HOSTS": [node.host for node in nodes], "NAME": f"{NAME}{os.getpid()}-{next(numbers)}",
            "SHARDS": 3, "REPLICAS": replicas, "TIMEOUT": 5, "RETRIES": 2,
        }  # fmt: skip
        settings.NEARDUP = {"default": {"BACKEND": None, "INDEX": options}}
        index = get_index("default")
        replace_keys("default", 1, (), [2])
        ship_all()
        wait_until(lambda: health(nodes)["status"] == "green", "the index is not green")
        return index

    yield use
    for node in nodes:
        if not node.answers():
            node.launch()
    wait_until(lambda: health(nodes).get("number_of_nodes") == NODES, "a node is missing")
    nodes[0].ask("DELETE", f"/{NAME}*")


@pytest.fixture
def crew(settings, child_environment):
    """Starts workers, and replaces them."""
    with starting_workers(child_environment, 0.2) as start:
        yield start


def health(nodes):
    for node in nodes:
        try:
            return node.ask("GET", "/_cluster/health?timeout=1s")
        except (OSError, ValueError):
            continue
    return {}


def wait_until(is_true, complaint):
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline, complaint
        time.sleep(0.2)


class Saver(threading.Thread):
    """Saves pairs of copies, the second of each a little later than the first, and measures each save."""

    def __init__(self):
        super().__init__()
        self.twins, self.seconds, self.reached, self.last = [], [], 0, None

    def run(self):
        try:
            while self.last is None or self.reached < self.last:
                text = text_of(self.reached)
                self.twins.append([self._save(text), self._save(text)])
                self.reached += 1
                time.sleep(0.05)
        finally:
            connection.close()

    def _save(self, text):
        started = time.monotonic()
        ad = Ad.objects.create(text=text)
        self.seconds.append(time.monotonic() - started)
        return ad


def saved_during(fault, back_to_normal):
    """Save posts before a fault, while it begins, and after that; ``back_to_normal`` ends it after the last save."""
    saver = Saver()
    saver.start()
    try:
        wait_until(lambda: saver.reached >= SAVES // 3, "nothing is saved")
        fault()
    finally:
        saver.last = saver.reached + SAVES * 2 // 3
    saver.join(PATIENCE)
    assert saver.reached == saver.last
    back_to_normal()
    return saver


def check_nothing_is_lost(index, saver):
    """Everything is processed, each pair is in one group, and the index is that of the fingerprints."""
    wait_until(lambda: not has_pending("default"), "posts wait")
    wait_until(lambda: not KeyChange.objects.exists(), "changes wait")
    clusters = dict(Membership.objects.values_list("document", "cluster"))
    pairs = [[clusters.get(document(ad).pk) for ad in pair] for pair in saver.twins]
    assert [pair for pair in pairs if pair[0] is None or pair[0] != pair[1]] == []
    assert not Document.objects.filter(state=Document.State.QUARANTINED).exists()
    assert (Key.objects.count(), RemovedKey.objects.count()) == (0, 0)
    assert list(drift.differing_documents(index, KeyIndexState.objects.get().in_use)) == []
    assert differences(index) == set()
    slowest = sorted(saver.seconds)[int(len(saver.seconds) * 0.99) - 1]
    assert slowest < MAX_SAVE_SECONDS
    print(f"\n{len(pairs)} pairs of copies, 0 lost; 99 % of saves within {slowest * 1000:.0f} ms")


def test_a_node_is_killed(site, nodes, crew):
    index = site(replicas=1)
    for _ in range(WORKERS):
        crew()
    saver = saved_during(nodes[1].halt, lambda: None)
    # With a copy of each shard, nothing waits for the node.
    check_nothing_is_lost(index, saver)
    nodes[1].launch()


def test_the_cluster_is_red(site, nodes, crew):
    """Without copies, a shard goes with its node. Nothing is compared until it is back."""
    index = site(replicas=0)
    for _ in range(WORKERS):
        crew()
    shards = nodes[0].ask("GET", f"/_cat/shards/{index.name}?format=json")
    holders = {shard["node"] for shard in shards}
    holder = next(node for node in reversed(nodes) if node.node in holders)
    saver = saved_during(holder.halt, lambda: None)
    assert "shards" in index.problem() and "Bring back the nodes" in index.problem()
    assert has_pending("default")
    with pytest.raises(IndexUnavailable):
        drain("default")
    holder.launch()
    check_nothing_is_lost(index, saver)


def test_most_nodes_are_gone(site, nodes):
    """The node that is left answers, and knows no index."""
    index = site(replicas=1)
    for node in nodes[1:]:
        node.halt()
    wait_until(lambda: "it answers 503" in index.problem(), "the status does not say so")
    with pytest.raises(IndexUnavailable):
        index.read_buckets([2], 0, 9)
    for node in nodes[1:]:
        node.launch()
    wait_until(lambda: index.problem() == "", "the status stays")
    assert found(2) == [1]


def test_a_disk_is_full(site, nodes, crew):
    """At the flood stage OpenSearch refuses writes. Look-ups go on, and so does the comparison."""
    index = site(replicas=1)
    for _ in range(WORKERS):
        crew()
    disk = "cluster.routing.allocation.disk"
    names = [f"{disk}.watermark.{name}" for name in ("low", "high", "flood_stage")]

    def fill():
        values = {
            **dict.fromkeys(names, "900tb"),
            f"{disk}.threshold_enabled": True,
            "cluster.info.update.interval": "10s",
        }
        assert nodes[0].ask("PUT", "/_cluster/settings", {"transient": values})["acknowledged"]
        block = "index.blocks.read_only_allow_delete"
        wait_until(
            lambda: block in str(nodes[0].ask("GET", f"/{index.name}/_settings?flat_settings=true")),
            "the index is not blocked",
        )

    def free():
        try:
            wait_until(lambda: not has_pending("default"), "posts wait for the disk")
            assert KeyChange.objects.exists()
        finally:
            values = dict.fromkeys([*names, f"{disk}.threshold_enabled", "cluster.info.update.interval"])
            values[f"{disk}.threshold_enabled"] = False
            # With every node above the mark, OpenSearch refuses new indexes as well.
            unblocked = {"cluster.blocks.create_index": None}
            settings = {"transient": values | unblocked, "persistent": unblocked}
            nodes[0].ask("PUT", "/_cluster/settings", settings)
            nodes[0].ask("PUT", f"/{index.name}/_settings", {"index.blocks.read_only_allow_delete": None})

    saver = saved_during(fill, free)
    check_nothing_is_lost(index, saver)


def test_versions_conflict(site, crew):
    """Entries with newer versions and other keys: the documents are sent again, with a newer number."""
    index = site(replicas=1)
    for _ in range(WORKERS):
        crew()

    conflicts = []

    def write_newer():
        wait_until(KeyChange.objects.exists, "nothing waits")
        # Under a claim, so that the documents are still to be sent.
        state = shipping.claim("default", index.name, is_forced=True)
        changes = [*KeyChange.objects.values_list("pk", "document")]
        entries = {Entry(number, changes[-1][0], frozenset()) for _, number in changes}
        shipping.write_entries(index, state.in_use, None, sorted(entries))
        shipping.release(state, "default")
        conflicts.extend(entries)

    check_nothing_is_lost(index, saved_during(write_newer, lambda: None))
    assert conflicts


@pytest.mark.parametrize("stage", ["write_entries", "refresh", "forget"])
def test_the_sender_is_killed(site, crew, settings, child_environment, stage):
    """Before the request, between the request and the refresh, and before the rows are deleted."""
    index = site(replicas=1)
    for document_id in range(10, 30):
        replace_keys("default", document_id, (), [5, document_id])
    environment = {
        **child_environment,
        "NEARDUP_TEST_INDEX": json.dumps(settings.NEARDUP["default"]["INDEX"]),
    }
    code = (
        "import os, django; django.setup()\n"
        "from django_neardup.index.opensearch import shipping\n"
        "from django_neardup.index import ship_all\n"
        f"shipping.{stage} = lambda *arguments: os.kill(os.getpid(), 9)\n"
        "ship_all('default')"
    )
    ended = subprocess.run([sys.executable, "-c", code], env=environment, timeout=120)
    assert ended.returncode == -signal.SIGKILL
    assert KeyChange.objects.count() == 20
    assert found(5) == [*range(10, 30)]
    # Its claim ends by itself; the test does not wait for that.
    KeyIndexState.objects.update(leased_until=1)
    ship_all()
    assert found(5) == [*range(10, 30)] and KeyChange.objects.count() == 0
    assert differences(index) == set() or not Document.objects.exists()
    assert list(drift.differing_documents(index, KeyIndexState.objects.get().in_use)) == []


def test_workers_are_killed(site, crew):
    index = site(replicas=1)
    workers = [crew() for _ in range(WORKERS)]

    def kill_all():
        for worker in workers:
            worker.kill()
            worker.wait()
        Document.objects.update(leased_until=None)
        KeyIndexState.objects.update(leased_until=None)
        for _ in range(WORKERS):
            crew()

    check_nothing_is_lost(index, saved_during(kill_all, lambda: None))


def test_a_copy_that_does_not_refresh_keeps_the_rows(site, nodes):
    """A node is silent: OpenSearch cannot say that every copy has refreshed."""
    index = site(replicas=2)
    replace_keys("default", 7, (), [5])
    nodes[1].pause()
    try:
        with pytest.raises(IndexUnavailable):
            index.ship(is_forced=True)
        assert KeyChange.objects.count() == 1
    finally:
        nodes[1].resume()
    wait_until(lambda: health(nodes).get("number_of_nodes") == NODES, "a node is missing")
    ship_all()
    assert found(5) == [7] and KeyChange.objects.count() == 0
