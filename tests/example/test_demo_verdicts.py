"""The first rows of the review queue: what the judge says of the example beside what its content says.

``example_project/content`` knows the truth: two adverts or messages are copies if they were made from one source.
"""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.example.conftest import Site

pytestmark = pytest.mark.xdist_group("example")

QUEUE = "/admin/neardup/queue/"
TABS = ("?", "?again=yes", "?exact=yes", "?show=families")
FIRST_ROWS = 10
COPY_VERDICTS = ("duplicate", "contained")

# An advert has the number of its source, an article its name. Messages are made without their edits, so copies
# of one source have one text.
PRINT_SOURCES = """
import json, re, sys
from random import Random
from content import adverts, reports, threads
from board.loading import SEED
from board.models import Ad
from forum.models import Post
from news.models import Article

sys.modules["content.threads"]._by_paragraph = lambda text, edit, rng: text
source_numbers, number = {}, 0
for advert in adverts(Random(SEED)):
    number += not advert.repeat
    source_numbers.setdefault((advert.title, advert.text), set()).add(number)
sources = {}
for ad in Ad.objects.all():
    # The draft is no advert of the content.
    found = source_numbers.get((ad.title, ad.text), {"draft"})
    assert len(found) == 1, ad
    sources[f"ad {ad.pk}"] = str(*found)
for thread in threads(Random(SEED)):
    posts = Post.objects.filter(topic__title=thread.title).order_by("pk")
    for post, message in zip(posts, thread.messages, strict=True):
        own_words = re.sub(r"\\[quote.*?\\[/quote\\]", "", message.text, flags=re.DOTALL)
        sources[f"post {post.pk}"] = own_words.strip()
names = {report.headline: report.name for report in reports(Random(SEED))}
for article in Article.objects.all():
    sources[f"article {article.pk}"] = names[article.headline]
print(json.dumps(sources))
"""
DOCUMENTS = """
SELECT document.id, type.model || ' ' || document.object_id
FROM neardup_document document JOIN django_content_type type ON type.id = document.content_type_id
"""
PAIRS = "SELECT a_id, b_id, verdict, exact FROM neardup_pair WHERE a_id IN ({0}) AND b_id IN ({0})"


class StoredPair(NamedTuple):
    a: int
    b: int
    verdict: str
    exact: bool


@pytest.fixture(scope="module")
def sources(indexed: Site) -> dict[int, str]:
    """The source of every compared post, by its document."""
    by_post = json.loads(indexed.manage("shell", "-v", "0", "-c", PRINT_SOURCES).splitlines()[-1])
    return {int(document): by_post[post] for document, post in select(indexed.database, DOCUMENTS)}


def select(database: Path, query: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(database)) as connection:
        return connection.execute(query).fetchall()


def first_item_keys(site: Site, tab: str) -> list[str]:
    """The keys of the first rows of a tab: "c5" is a group, "p7" a pair, "f3" a family."""
    admin = site.browser()
    admin.log_in("admin", "admin")
    page = admin.get(QUEUE + tab)
    assert page.status == 200
    return re.findall(r'name="id" value="([cpf]\d+)"', page.html)[:FIRST_ROWS]


def documents_of(database: Path, item_key: str) -> list[int]:
    """The posts of a row."""
    number = int(item_key[1:])
    if item_key.startswith("c"):
        query = f"SELECT document_id FROM neardup_membership WHERE cluster_id = {number}"
        return [int(str(document)) for (document,) in select(database, query)]
    if item_key.startswith("f"):
        query = f"SELECT document_id FROM neardup_familymember WHERE leader_id = {number}"
        return [number, *(int(str(document)) for (document,) in select(database, query))]
    ((a, b),) = select(database, f"SELECT a_id, b_id FROM neardup_pair WHERE id = {number}")
    return [int(str(a)), int(str(b))]


def pairs_of(database: Path, documents: list[int]) -> list[StoredPair]:
    """The stored pairs of these posts."""
    rows = select(database, PAIRS.format(",".join(map(str, documents))))
    return [StoredPair(int(str(a)), int(str(b)), str(verdict), bool(exact)) for a, b, verdict, exact in rows]


def is_wrong(pair: StoredPair, sources: Mapping[int, str]) -> bool:
    """Return whether copies of one source are something else, or posts of two sources are duplicates."""
    if sources[pair.a] == sources[pair.b]:
        return pair.verdict not in COPY_VERDICTS
    return pair.verdict == "duplicate" or pair.exact


@pytest.mark.parametrize("tab", TABS)
def test_no_pair_of_the_first_rows_is_judged_wrongly(
    indexed: Site, sources: dict[int, str], tab: str
) -> None:
    for item_key in first_item_keys(indexed, tab):
        documents = documents_of(indexed.database, item_key)
        pairs = pairs_of(indexed.database, documents)
        if item_key.startswith("f"):
            # The row says nothing of two members.
            pairs = [pair for pair in pairs if documents[0] in (pair.a, pair.b)]
        assert pairs
        assert not [pair for pair in pairs if is_wrong(pair, sources)], item_key


@pytest.mark.parametrize("tab", TABS)
def test_a_group_of_the_first_rows_has_one_source(indexed: Site, sources: dict[int, str], tab: str) -> None:
    groups = [key for key in first_item_keys(indexed, tab) if key.startswith("c")]
    for item_key in groups:
        documents = documents_of(indexed.database, item_key)
        assert len({sources[document] for document in documents}) == 1, item_key


def test_the_queue_has_these_tabs(indexed: Site) -> None:
    """Nothing has been decided, so nothing comes again. Tabs without rows would prove nothing."""
    admin = indexed.browser()
    admin.log_in("admin", "admin")
    bar = re.search(r'<div class="neardup-tabs">.*?</nav>', admin.get(QUEUE).html, re.DOTALL)
    assert bar and re.findall(r'href="([^"]*)"', bar[0]) == [*TABS, "?tab=decided"]
    assert [len(first_item_keys(indexed, tab)) for tab in TABS] == [
        FIRST_ROWS, 0, FIRST_ROWS, 3,
    ]  # fmt: skip


def test_the_content_has_copies_and_other_items(indexed: Site, sources: dict[int, str]) -> None:
    """The truth is no trivial one: many sources have copies, and most pairs of the index are of two sources."""
    pairs = pairs_of(indexed.database, list(sources))
    copies = sum(sources[pair.a] == sources[pair.b] for pair in pairs)
    assert copies >= 100 and len(pairs) - copies >= 100
    assert all(sources.values()) and len(set(sources.values())) < len(sources)
