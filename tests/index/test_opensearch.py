"""Posts whose keys are in OpenSearch: the path of a post, and every way in which a copy could be missed."""

from __future__ import annotations

import time

import pytest
from django.core.management import CommandError, call_command

import django_neardup as neardup
from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.comparison.packed_keys import unpack_keys
from django_neardup.db.queries import key_changes
from django_neardup.exceptions import IndexUnavailable
from django_neardup.index import read_buckets
from django_neardup.index.index_class import get_index
from django_neardup.index.opensearch import opensearch_index, shipping
from django_neardup.index.opensearch.declared_keys import declared_keys
from django_neardup.index.opensearch.key_documents import Entry
from django_neardup.models import Cluster, Document, Key, KeyChange, KeyIndexState, RemovedKey
from django_neardup.pipeline import drain
from django_neardup.pipeline.periodic_searches import run_due_searches
from tests.index.contract import replace_keys
from tests.index.opensearch_helpers import delete_indexes, ship_all, site_setting
from tests.pipeline.helpers import CAT, PIANO, SOFA, SOFA_EDITED, cluster, document, post, work
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.django_db(transaction=True)]

LIMIT = BucketLimit.of(64)


@pytest.fixture(autouse=True)
def index(settings, opensearch, monkeypatch):
    """A new, empty index."""
    # On a busy machine the node answers late, and a turn takes seconds.
    monkeypatch.setattr(opensearch_index, "PAGE_SECONDS", 30.0)
    monkeypatch.setattr(shipping, "DUE_MILLISECONDS", 600_000)
    settings.NEARDUP = site_setting(opensearch)
    yield get_index("default")
    delete_indexes(opensearch)


def found(key, limit=LIMIT):
    """The documents that a look-up of one key finds."""
    return sorted(read_buckets("default", [key], limit)[1].tolist())


def rows_left():
    return Key.objects.count(), RemovedKey.objects.count(), KeyChange.objects.count()


def differences(index):
    """Keys that OpenSearch alone returns for other documents than the fingerprints declare."""
    ids = [*Document.objects.values_list("pk", flat=True)]
    declared = {(key, pk) for pk, keys in declared_keys("default", ids).items() for key in keys}
    keys = sorted({key for key, _ in declared})
    positions, documents = index.search(keys, {}, 0, 10_000) if keys else ([], [])
    return {(keys[position], int(found)) for position, found in zip(positions, documents)} ^ declared


class TestThePathOfAPost:
    @pytest.mark.parametrize("is_shipped", [False, True])
    def test_posts_find_their_copies(self, index, is_shipped):
        def turn():
            work()
            if is_shipped:
                ship_all()
                assert rows_left() == (0, 0, 0) and differences(index) == set()

        one, two, other = post(SOFA), post(SOFA_EDITED), post(CAT)
        turn()
        assert cluster(one) == cluster(two) is not None and cluster(other) is None
        assert [match.object for match in neardup.find_similar(CAT, Ad)] == [other]
        two.text = PIANO
        two.save()
        copy = post(SOFA)
        turn()
        assert cluster(one) == cluster(copy) is not None and cluster(two) is None
        one.published = False
        one.save()
        turn()
        for ad in (one, two, copy, other):
            ad.delete()
        turn()
        assert not Cluster.objects.exists()
        ship_all()
        assert rows_left() == (0, 0, 0)

    def test_the_worker_ships_what_is_due(self, index, monkeypatch):
        post(SOFA)
        work()
        assert KeyChange.objects.count() == 1  # it waits for more
        call_command("neardup_worker", once=True, databases=["default"], verbosity=0)
        assert rows_left() == (0, 0, 0)
        post(PIANO)
        work()
        KeyChange.objects.update(since=1)
        drain("default")
        assert rows_left() == (0, 0, 0)

    def test_a_save_and_its_turn_refresh_nothing(self, index, opensearch):
        ship_one(index)
        before = refreshes(opensearch, index)
        for number in range(5):
            post(f"{SOFA} {number}")
            work()
        assert refreshes(opensearch, index) == before

    def test_no_text_leaves_the_database(self, index, opensearch):
        post(SOFA)
        work()
        ship_all()
        answer = opensearch.ask("POST", f"/{index.name}/_search", {"query": {"match_all": {}}})
        assert {tuple(hit) for hit in answer["hits"]["hits"]} == {("_index", "_id", "_score")}
        mapping = opensearch.ask("GET", f"/{index.name}/_mapping")
        (properties,) = [value["mappings"]["properties"] for value in mapping.values()]
        assert {*properties} == {"document", "keys", "digest", "removed", "space", "live", "text"}
        # The last three are for profiles that search texts.
        fields = ["space", "live", *(f"text.{analyzer}" for analyzer in properties["text"]["properties"])]
        for field in fields:
            found = opensearch.ask("POST", f"/{index.name}/_count", {"query": {"exists": {"field": field}}})
            assert found["count"] == 0


def ship_one(index):
    replace_keys("default", 1, (), [2])
    ship_all()


def refreshes(node, index):
    stats = node.ask("GET", f"/{index.name}/_stats/refresh")
    return stats["_all"]["primaries"]["refresh"]["external_total"]


class TestWaysToMissACopy:
    """Each fails if the rule that it is about is left out: the control shows it."""

    def test_opensearch_is_read_after_the_database(self, index, monkeypatch):
        """Keys that are shipped between both readings are found."""
        ship_one(index)
        replace_keys("default", 7, (), [5])
        in_database = index.fresh.read_buckets

        def read_then_ship(*arguments):
            rows = in_database(*arguments)
            ship_all()
            return rows

        monkeypatch.setattr(index.fresh, "read_buckets", read_then_ship)
        assert found(5) == [7]
        # The control: the other order.
        replace_keys("default", 8, (), [6])
        in_opensearch = index.search([6], {}, 0, 9)[1].tolist()
        ship_all()
        assert in_opensearch + in_database([6], 0, 9)[1].tolist() == []

    def test_a_change_that_came_meanwhile_stays(self, index):
        """A shipped row must not take a newer edit with it."""
        ship_one(index)
        replace_keys("default", 7, (), [5])
        state = shipping.claim("default", index.name)
        batch = shipping.read_batch("default")
        replace_keys("default", 7, [5], [6])  # an edit while the batch is under way
        shipping.write_entries(index, state.in_use, state.counter, shipping._entries(batch))
        shipping.refresh(index, state.in_use)
        shipping.release(state, "default")
        shipping.forget(index, batch, ())
        assert (found(5), found(6)) == ([], [7])
        assert KeyChange.objects.count() == 1
        # The control: without the rows of the edit, the copy is missed.
        assert index.search([6], {}, 0, 9)[1].tolist() == []
        ship_all()
        assert (found(5), found(6)) == ([], [7]) and rows_left() == (0, 0, 0)

    def test_a_slow_process_deletes_nothing_that_another_one_has_to_send(self, index):
        """It has lost its claim. Meanwhile the key was taken away, shipped, and came back."""
        ship_one(index)
        replace_keys("default", 7, (), [5])
        state = shipping.claim("default", index.name)
        KeyIndexState.objects.update(leased_until=1)
        slow_batch = shipping.read_batch("default")
        ship_all()
        replace_keys("default", 7, [5], [4])
        ship_all()
        replace_keys("default", 7, [4], [4, 5])
        assert found(5) == [7]
        assert not shipping.release(state, "default")
        with pytest.raises(IndexUnavailable, match="does not write"):
            shipping.send_batch(index, state, [state.in_use])
        assert found(5) == [7]
        # The control: without the claim it would delete the key that is not searchable.
        shipping.forget(index, slow_batch, ())
        assert found(5) == []

    def test_a_refused_write_forgets_nothing(self, index, opensearch):
        """The index is read-only, as on a full disk: look-ups go on."""
        ship_one(index)
        replace_keys("default", 7, (), [5])
        state = KeyIndexState.objects.get()
        opensearch.ask("PUT", f"/{state.in_use}/_settings", {"index.blocks.read_only_allow_delete": True})
        with pytest.raises(IndexUnavailable, match="does not write"):
            index.ship(is_forced=True)
        assert found(5) == [7] and KeyChange.objects.count() == 1
        opensearch.ask("PUT", f"/{state.in_use}/_settings", {"index.blocks.read_only_allow_delete": None})
        ship_all()
        assert found(5) == [7] and rows_left() == (0, 0, 0)

    def test_a_late_request_brings_back_nothing(self, index, opensearch):
        """A removed document stays as an entry without keys, longer than OpenSearch remembers deletions."""
        ship_one(index)
        replace_keys("default", 7, (), [5])
        late_batch = shipping.read_batch("default")
        ship_all()
        state = KeyIndexState.objects.get()
        opensearch.ask("PUT", f"/{state.in_use}/_settings", {"index.gc_deletes": "10ms"})
        replace_keys("default", 3, (), [5])
        replace_keys("default", 7, [5], ())
        ship_all()
        time.sleep(1.5)

        def send_late():
            refused = shipping.write_entries(index, state.in_use, None, shipping._entries(late_batch))
            shipping.refresh(index, state.in_use)
            return refused

        assert send_late() == {7}
        assert found(5, BucketLimit(0, 1)) == [3]
        # The control: a deleted entry comes back, and takes the place of a document that has the key.
        opensearch.ask("DELETE", f"/{state.in_use}/_doc/7?version=99999&version_type=external&refresh=true")
        deadline = time.monotonic() + 60
        while send_late():
            # A node forgets deletions with a refresh, by a clock that a busy machine moves on late.
            assert time.monotonic() < deadline
            time.sleep(0.5)
        assert found(5, BucketLimit(0, 1)) == [7]

    def test_an_entry_without_keys_is_deleted_after_a_day(self, index, opensearch):
        """Not before: a late request would bring its keys back."""
        for number in (7, 8, 9):
            replace_keys("default", number, (), [5])
        ship_all()
        for number in (7, 8, 9):
            replace_keys("default", number, [5], ())
        KeyChange.objects.exclude(document=8).update(since=1)
        ship_all()
        replace_keys("default", 9, (), [5])
        ship_all()
        assert run_due_searches("default") == 1
        state = KeyIndexState.objects.get()
        kept = {
            number: opensearch.ask("GET", f"/{state.in_use}/_doc/{number}")["found"] for number in (7, 8, 9)
        }
        assert kept == {7: False, 8: True, 9: True} and found(5) == [9]
        assert index.purge() == 0
        replace_keys("default", 7, (), [5])
        ship_all()
        assert found(5) == [7, 9] and rows_left() == (0, 0, 0)

    def test_a_database_restored_from_a_backup_stops_all_work(self, index, settings):
        """The index has later keys than the fingerprints: a copy would be compared by keys that it no longer has."""
        replace_keys("default", 7, (), [5])
        ship_all()
        backup = [*KeyIndexState.objects.values()]
        replace_keys("default", 7, [5], [6])
        ship_all()
        assert found(6) == [7]
        # The backup: the fingerprint has key 5, and nothing waits.
        replace_keys("default", 7, [6], [5])
        KeyIndexState.objects.all().delete()
        KeyIndexState.objects.create(**backup[0])
        for model in (Key, RemovedKey, KeyChange):
            model.objects.all().delete()
        assert found(5) == []  # the control: this is what would be missed
        index.last_check = 0.0
        with pytest.raises(IndexUnavailable, match=r"restored from a backup.*neardup_index --rebuild-index"):
            index.ship()
        with pytest.raises(IndexUnavailable, match="restored from a backup"):
            found(5)
        post(SOFA)
        with pytest.raises(IndexUnavailable, match="restored from a backup"):
            drain("default")
        assert Document.objects.get().attempts == 0
        replace_keys("default", 9, (), [5])
        with pytest.raises(IndexUnavailable, match="restored from a backup"):
            index.ship(is_forced=True)

    def test_a_restored_database_is_noticed_with_the_next_changes(self, index):
        """Nothing is sent: the check comes first."""
        replace_keys("default", 7, (), [5])
        ship_all()
        backup = KeyIndexState.objects.values("counter").get()
        for key in (6, 7, 8):
            replace_keys("default", 7, (), [key])
            ship_all()
        KeyIndexState.objects.update(**backup)
        replace_keys("default", 9, (), [5])
        with pytest.raises(IndexUnavailable, match="restored from a backup"):
            index.ship(is_forced=True)
        assert index.search([5], {}, 0, 9)[1].tolist() == [7]
        assert KeyChange.objects.count() == 1

    def test_a_refused_document_is_sent_again(self, index, opensearch):
        """A version in OpenSearch may be newer, and its keys older."""
        ship_one(index)
        replace_keys("default", 7, (), [5])
        state = KeyIndexState.objects.get()
        change = KeyChange.objects.get()
        # A number that another transaction took before, and that was sent first.
        newer = key_changes.reserve("default")
        shipping.write_entries(index, state.in_use, None, [Entry(7, newer, set())])
        assert index.ship(is_forced=True) == 1
        assert found(5) == [7] and KeyChange.objects.get().pk > change.pk
        ship_all()
        assert found(5) == [7] and rows_left() == (0, 0, 0)
        assert index.search([5], {}, 0, 9)[1].tolist() == [7]


class TestOtherIndexes:
    def test_an_index_of_another_database_is_not_used(self, index, opensearch):
        ship_one(index)
        KeyIndexState.objects.update(owner="another")
        replace_keys("default", 7, (), [5])
        with pytest.raises(IndexUnavailable, match="belongs to another database"):
            index.ship(is_forced=True)
        assert "NAME in INDEX" in index.problem()
        with pytest.raises(CommandError, match="belongs to another database"):
            call_command("neardup_index", "--rebuild-index", verbosity=0)
        delete_indexes(opensearch)
        call_command("neardup_index", "--rebuild-index", verbosity=0)
        ship_all()
        assert found(5) == [7] and index.problem() == "" and rows_left() == (0, 0, 0)

    def test_an_index_that_is_gone_is_named(self, index, opensearch):
        ship_one(index)
        delete_indexes(opensearch)
        # A status says so before a worker has noticed.
        assert "neardup_index --rebuild-index" in index.problem()
        replace_keys("default", 7, (), [5])
        with pytest.raises(IndexUnavailable, match=r"neardup_index --rebuild-index"):
            index.ship(is_forced=True)

    def test_missing_shards_are_named(self, index, opensearch):
        """The cluster is red: no node may have the shard."""
        ship_one(index)
        name = KeyIndexState.objects.get().in_use
        # Made again, for a node is forced to take a shard that it has had.
        made = opensearch.ask("GET", f"/{name}")[name]
        of_node = ("uuid", "version", "creation_date", "provided_name")
        kept = {key: value for key, value in made["settings"]["index"].items() if key not in of_node}
        required_node = "index.routing.allocation.require._name"
        made["settings"] = {"index": kept, required_node: "nobody"}
        opensearch.ask("DELETE", f"/{name}")
        opensearch.ask("PUT", f"/{name}?wait_for_active_shards=0", made)
        assert "Bring back the nodes" in index.problem()
        with pytest.raises(IndexUnavailable):
            index.read_buckets([5], 0, 9)
        opensearch.ask("PUT", f"/{name}/_settings", {required_node: None})
        deadline = time.monotonic() + 60
        while "Bring back the nodes" in index.problem():
            assert time.monotonic() < deadline
            time.sleep(0.1)

    @pytest.mark.parametrize(("name", "value"), [("index.translog.durability", "async")])
    def test_settings_that_could_lose_keys_are_refused(self, index, opensearch, name, value):
        ship_one(index)
        state = KeyIndexState.objects.get()
        opensearch.ask("PUT", f"/{state.in_use}/_settings", {name: value})
        index.last_check = 0.0
        replace_keys("default", 7, (), [5])
        with pytest.raises(IndexUnavailable, match=f"{name} .* is {value}"):
            index.ship(is_forced=True)
        opensearch.ask("PUT", f"/{state.in_use}/_settings", {name: "request"})
        ship_all()
        assert found(5) == [7]

    def test_the_fingerprints_of_posts_declare_their_keys(self, index):
        ad = post(SOFA)
        work()
        stored = document(ad)
        keys = {*unpack_keys(stored.fingerprints.get().keys)}
        assert declared_keys("default", [stored.pk]) == {stored.pk: keys}
