"""The memory of a worker while many posts and many changes of keys wait for it.

`make test-opensearch` measures it with a hundred thousand: WAITING of the environment.
"""

from __future__ import annotations

import os
import time

import numpy as np
import pytest

from django_neardup.adapters import adapter_for
from django_neardup.models import Document, KeyChange
from django_neardup.pipeline import has_pending
from django_neardup.pipeline.backfill.range_documents import get_or_create_documents
from tests.index.contract import add_run
from tests.index.opensearch_helpers import delete_indexes, site_setting, starting_workers
from tests.index.test_opensearch_twins import MAX_MEGABYTES, megabytes, text_of
from tests.pipeline.helpers import document
from tests.testapp.models import Ad

pytestmark = [pytest.mark.opensearch, pytest.mark.long, pytest.mark.django_db(transaction=True)]

WAITING = int(os.environ.get("WAITING") or 2_000)
KEYS = 22
"""Keys of a post, as the default algorithm makes them of a text of a hundred words."""
RUN = 5_000
PROCESSED = 300
"""Posts to be compared before the worker is measured: more than it reads at once."""
PATIENCE = 60 + WAITING / 20


@pytest.fixture
def start_worker(settings, opensearch, child_environment):
    settings.NEARDUP = site_setting(opensearch)
    with starting_workers(child_environment, 0.1) as start:
        yield start
    delete_indexes(opensearch)


def until(is_true):
    deadline = time.monotonic() + PATIENCE
    while not is_true():
        assert time.monotonic() < deadline
        time.sleep(0.2)


def test_many_changes_wait(start_worker):
    generator = np.random.default_rng(1)
    for first in range(0, WAITING, RUN):
        documents = np.repeat(np.arange(first + 1, min(first + RUN, WAITING) + 1), KEYS)
        keys = generator.integers(-(2**63), 2**63 - 1, len(documents), np.int64)
        order = np.argsort(keys)
        add_run("default", keys[order], documents[order], assume_new=True)
    assert KeyChange.objects.count() == WAITING
    worker = start_worker()
    until(lambda: not KeyChange.objects.exists())
    assert megabytes(worker) <= MAX_MEGABYTES
    print(f"\n{WAITING} changes of keys sent by a worker of {megabytes(worker):.0f} MB")


def test_many_posts_wait(start_worker):
    for first in range(0, WAITING, RUN):
        Ad.objects.bulk_create(
            [Ad(text=text_of(number)) for number in range(first, min(first + RUN, WAITING))]
        )
        keys = Ad.objects.order_by("-pk").values_list("pk", flat=True)[:RUN]
        # In few statements, as the first index does it. All documents wait.
        get_or_create_documents(adapter_for(Ad), {key: key for key in keys}, "default", False)
    waiting = Document.objects.filter(pending_since__isnull=False).count()
    assert waiting == WAITING
    last = Ad.objects.order_by("pk")[min(PROCESSED, WAITING) - 1]
    worker = start_worker()
    until(lambda: document(last).done)
    assert WAITING <= PROCESSED or has_pending("default")
    assert megabytes(worker) <= MAX_MEGABYTES
    print(f"\n{WAITING} posts waited for a worker of {megabytes(worker):.0f} MB")
