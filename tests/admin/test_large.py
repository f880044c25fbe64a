"""A cluster of thousands and a queue of ten thousand: as many queries as for few; `-s` shows how long they last."""

from __future__ import annotations

import time

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from django_neardup.models import Cluster, Document, Pair
from django_neardup.pipeline.open_items import rebuild_open_items
from tests.admin import crowds
from tests.admin.tools import list_of, page_of

pytestmark = [pytest.mark.django_db, pytest.mark.slow, pytest.mark.engine_alike]

FEW = 120
"""They fill two pages."""
LARGE = pytest.mark.parametrize("size", [600, pytest.param(5_000, marks=pytest.mark.long)])


def queries(client: Client, *addresses: str) -> list[int]:
    """How many queries the second look at each page takes."""
    found = []
    for address in addresses:
        client.get(address)
        begin = time.perf_counter()
        with CaptureQueriesContext(connection) as context:
            assert client.get(address).status_code == 200, address
        print(f"{address}: {len(context)} queries, {time.perf_counter() - begin:.2f} s")
        found.append(len(context))
    return found


@LARGE
def test_a_large_cluster(root, size):
    few, many = (crowds.cluster(number, variants=30) for number in (FEW, size))

    assert queries(root, *pages(few)) == queries(root, *pages(many))


def pages(cluster: Cluster) -> list[str]:
    member = cluster.memberships.order_by("-document")[0].document_id
    page = page_of(cluster)
    return [page, f"{page}?p=2", f"{page}?p=last", f"{page}?member={member}"]


@LARGE
@pytest.mark.logged_rows
def test_a_long_queue(root, size):
    crowds.cluster(FEW)
    crowds.queue(FEW)
    rebuild_open_items("default")
    few = queries(root, *lists())
    crowds.queue(2 * size)
    rebuild_open_items("default")

    # A page whose next row is equal to its last one needs no look at the rows that are not.
    assert all(many <= least for many, least in zip(queries(root, *lists()), few, strict=True))


def lists() -> list[str]:
    queue = reverse("admin:neardup_queue_changelist")
    first = Document.objects.exclude(author="").first()
    return [
        queue,
        f"{queue}?o=score",
        f"{queue}?verdict=variant",
        f"{queue}?q={first.object_id}",
        f"{queue}?tab=decided",
        reverse("admin:neardup_queue_author", args=[first.author]),
        list_of(Pair),
        list_of(Cluster),
        list_of(Document),
    ]
