"""An OpenSearch index for tests: every test has one of its own, on the node that the session shares."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import contextmanager
from itertools import count

from django.conf import settings
from django.db import transaction

from django_neardup.index.index_class import get_index
from django_neardup.index.key_arrays import empty_result
from django_neardup.index.opensearch import OpenSearchIndex

PATH = "django_neardup.index.opensearch.OpenSearchIndex"
_numbers = count(1)


def index_setting(node, path=PATH, **options):
    """The setting INDEX for a new index on a node. On a busy machine it answers late."""
    name = f"test{next(_numbers)}"
    return {
        "BACKEND": path, "HOSTS": [node.host], "NAME": name, "REPLICAS": 0, "TIMEOUT": 60, **options,
    }  # fmt: skip


def site_setting(node, path=PATH, **options):
    """The setting NEARDUP with a new index on a node."""
    return {"default": {"BACKEND": None, "INDEX": index_setting(node, path, **options)}}


def ship_all(using="default"):
    """Send all changes that wait."""
    index = get_index(using)
    while index.waiting_changes().changes:
        assert index.ship(is_forced=True)


def delete_indexes(node):
    node.ask("DELETE", "/test*")


@contextmanager
def starting_workers(child_environment, poll):
    """A function that starts a worker, with the index of the setting. They are killed at the end.

    ``poll``: seconds between two polls.
    """
    workers = []

    def start():
        environment = {
            **child_environment,
            "NEARDUP_TEST_INDEX": json.dumps(settings.NEARDUP["default"]["INDEX"]),
        }
        command = ["neardup_worker", "--database", "default", "--poll", str(poll), "--verbosity", "0"]
        workers.append(subprocess.Popen([sys.executable, "-m", "django", *command], env=environment))
        return workers[-1]

    yield start
    for worker in workers:
        worker.kill()
        worker.wait()


class IndexWithoutFreshKeys(OpenSearchIndex):
    """The control: what OpenSearch alone would find."""

    def read_buckets(self, keys, oldest, newest):
        return self.search(keys, {}, oldest, newest)


class IndexWithoutUnsentKeys(OpenSearchIndex):
    """The control of a search of words: what OpenSearch alone would find."""

    def read_unsent_buckets(self, keys, oldest, newest):
        return empty_result()


class RecordingIndex(OpenSearchIndex):
    """Notes every key that it is given: OpenSearch lists none. Tests read their buckets."""

    ship_every = 0
    """After every so many changes they are shipped. 0: never."""

    def __init__(self, using, options=None):
        super().__init__(using, options)
        self.seen, self.changes = set(), 0

    def change(self, document, removed, added):
        self.seen.update(added)
        super().change(document, removed, added)
        self._note()

    def add_run(self, keys, documents, assume_new):
        self.seen.update(keys.tolist())
        super().add_run(keys, documents, assume_new)
        self._note()

    def remove_run(self, keys, documents):
        super().remove_run(keys, documents)
        self._note()

    def _note(self):
        self.changes += 1
        if self.ship_every and self.changes % self.ship_every == 0:
            transaction.on_commit(self.ship_all, using=self.using)

    def ship_all(self):
        while self.waiting_changes().changes:
            assert self.ship(is_forced=True)

    def stored_pairs(self):
        keys = sorted(self.seen)
        if not keys:
            return []
        positions, documents = self.read_buckets(keys, 0, 10_000)
        return sorted(
            (keys[position], document) for position, document in zip(positions.tolist(), documents.tolist())
        )


class ShippedIndex(RecordingIndex):
    """Ships after every change."""

    ship_every = 1


class LoadingIndex(RecordingIndex):
    """A first index all the time: keys of new documents are never in the database."""

    def add_run(self, keys, documents, assume_new):
        with self.loading():
            super().add_run(keys, documents, assume_new)


class PartlyShippedIndex(RecordingIndex):
    """Ships after every third change: an answer is put together from the database and OpenSearch."""

    ship_every = 3
