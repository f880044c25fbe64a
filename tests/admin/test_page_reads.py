"""What the pages of the queue read of PostgreSQL: as much from a long queue as from a short one.

`make figures PAGES=1` asks of 100 000 open questions.
"""

from __future__ import annotations

import os
from typing import Any

import pytest
from django.db import connection
from django.test import Client
from django.urls import reverse

from django_neardup.models import Document, MergeRecord, OpenItem, Pair
from django_neardup.pipeline.open_items import rebuild_open_items
from tests.admin import crowds
from tests.admin.tools import list_of

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.engines("postgresql"),
    pytest.mark.logged_rows,
]
QUESTIONS = int(os.environ.get("NEARDUP_PAGE_ROWS", 1200))
MOST_BUFFERS = 2000
"""Pages of 8 KB that a page of the admin may read, in memory or not."""


def test_a_page_reads_its_own_rows(root, capsys):
    figures = {}
    for size in (QUESTIONS // 10, QUESTIONS):
        crowds.queue(size - OpenItem.objects.count())
        rebuild_open_items("default")
        with connection.cursor() as cursor:
            cursor.execute("VACUUM ANALYZE")
        figures[OpenItem.objects.count()] = {url: buffers(root, url) for url in pages()}

    with capsys.disabled():
        for count, found in figures.items():
            for url, number in found.items():
                print(f"\n{count} open questions, {url}: {number} buffers", end="")
    assert len(figures) == 2
    assert all(number <= MOST_BUFFERS for found in figures.values() for number in found.values())


def pages() -> list[str]:
    queue = reverse("admin:neardup_queue_changelist")
    return [
        queue,
        f"{queue}?o=size",
        f"{queue}?o=age",
        f"{queue}?verdict=variant",
        list_of(Pair),
        f"{list_of(Pair)}?o=-3",
        list_of(Document),
        list_of(MergeRecord),
    ]


def buffers(client: Client, url: str) -> int:
    """How many buffers the statements of a page read: each is explained after the page."""
    read: list[tuple[str, Any]] = []

    def note(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
        read.append((sql, params))
        return execute(sql, params, many, context)

    client.get(url)
    with connection.execute_wrapper(note):
        assert client.get(url).status_code == 200
    with connection.cursor() as cursor:
        return sum(_buffers(cursor, sql, params) for sql, params in read if sql.startswith("SELECT"))


def _buffers(cursor: Any, sql: str, params: Any) -> int:
    cursor.execute(f"EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) {sql}", params)
    plan = cursor.fetchone()[0][0]["Plan"]
    return plan["Shared Hit Blocks"] + plan["Shared Read Blocks"]
