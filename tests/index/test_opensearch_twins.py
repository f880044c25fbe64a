"""Copies saved in the same moment, two workers, and an OpenSearch that refreshes twice a minute: none is missed.

TWINS of the environment says how many pairs of copies; `make test-opensearch` takes a thousand.
"""

from __future__ import annotations

import json
import os
import random
import subprocess
import sys
import threading
import time

import pytest
from django.db import connection

from django_neardup.index.index_class import get_index
from django_neardup.models import Membership
from django_neardup.pipeline import has_pending
from tests.index.contract import replace_keys
from tests.index.opensearch_helpers import PATH, delete_indexes, ship_all, site_setting
from tests.pipeline.families import SYLLABLES
from tests.pipeline.helpers import document
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.slow, pytest.mark.django_db(transaction=True)]

TWINS = int(os.environ.get("TWINS") or 20)
CONTROL_TWINS = 10
WORKERS = 2
MAX_MEGABYTES = 300
WORDS = 30


def text_of(number):
    chance = random.Random(number)
    return " ".join("".join(chance.choices(SYLLABLES, k=3)) for _ in range(WORDS))


@pytest.fixture
def start_workers(settings, opensearch, child_environment):
    """Starts workers on a new index of a class, which is in use already."""
    workers = []

    def start(path, **profile):
        settings.NEARDUP = {"default": {**site_setting(opensearch, path)["default"], **profile}}
        index = get_index("default")
        assert index.options.refresh_interval == "30s"
        replace_keys("default", 1, (), [2])
        ship_all()
        environment = {
            **child_environment,
            "NEARDUP_TEST_INDEX": json.dumps(settings.NEARDUP["default"]["INDEX"]),
            "NEARDUP_TEST_PROFILE": json.dumps(profile),
        }
        command = ["neardup_worker", "--database", "default", "--poll", "0.05", "--verbosity", "0"]
        for _ in range(WORKERS):
            workers.append(subprocess.Popen([sys.executable, "-m", "django", *command], env=environment))
        return workers

    yield start
    for worker in workers:
        worker.kill()
        worker.wait()
    delete_indexes(opensearch)


def save_twins(count, endings=("", "")):
    """Save pairs of copies, both of a pair in the same moment by two threads. Return the posts by pair.

    ``endings``: what the texts of the two threads end with.
    """
    twins, barrier = [[] for _ in range(count)], threading.Barrier(2, timeout=60)

    def save_all(ending):
        try:
            for number, pair in enumerate(twins):
                barrier.wait()
                pair.append(Ad.objects.create(text=text_of(number) + ending))
        finally:
            connection.close()

    threads = [threading.Thread(target=save_all, args=[ending]) for ending in endings]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert all(len(pair) == 2 for pair in twins)
    return twins


def lost(twins):
    """How many pairs are in no common cluster, once nothing waits."""
    deadline = time.monotonic() + 60 + len(twins)
    while has_pending("default"):
        assert time.monotonic() < deadline, "the workers have not processed the posts"
        time.sleep(0.1)
    clusters = dict(Membership.objects.values_list("document", "cluster"))
    found = [[clusters.get(document(ad).pk) for ad in pair] for pair in twins]
    return sum(one is None or one != other for one, other in found)


def megabytes(process):
    """The largest memory that a process has had."""
    with open(f"/proc/{process.pid}/status") as status:
        (line,) = [line for line in status if line.startswith("VmHWM")]
    return int(line.split()[1]) / 1024


def test_no_copy_is_missed(start_workers):
    workers = start_workers(PATH)
    assert lost(save_twins(TWINS)) == 0
    assert max(map(megabytes, workers)) <= MAX_MEGABYTES
    print(f"{TWINS} twins, 0 lost; workers up to {max(map(megabytes, workers)):.0f} MB")


def test_without_fresh_keys_copies_are_missed(start_workers):
    start_workers("tests.index.opensearch_helpers.IndexWithoutFreshKeys")
    missed = lost(save_twins(CONTROL_TWINS))
    assert missed > CONTROL_TWINS / 2
    print(f"{CONTROL_TWINS} twins, {missed} lost")


SEARCH = {
    "ALGORITHM": "profile-cosine",
    "OPTIONS": {"guard": False},
    "CANDIDATES": "more-like-this-tuned",
}
ENDINGS = (" звоните", " пишите нам")
"""The twins are no exact copies: those share a key that is always read."""


@pytest.mark.long
def test_no_copy_is_missed_by_a_search_of_words(start_workers):
    start_workers(PATH, **SEARCH)
    assert lost(save_twins(TWINS, ENDINGS)) == 0
    print(f"{TWINS} edited twins, 0 lost by a search of words")


@pytest.mark.long
def test_without_unsent_keys_a_search_of_words_misses_copies(start_workers):
    start_workers("tests.index.opensearch_helpers.IndexWithoutUnsentKeys", **SEARCH)
    missed = lost(save_twins(CONTROL_TWINS, ENDINGS))
    assert missed > CONTROL_TWINS / 2
    print(f"{CONTROL_TWINS} edited twins, {missed} lost by a search of words")
