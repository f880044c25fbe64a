"""What search engines are told of the example: each thing once, at the address of the post that stands for it."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from urllib.parse import urlsplit
from xml.etree import ElementTree

import pytest

from tests.browser.scenes import answer
from tests.example.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

MEMBERS = """
    SELECT cluster_id, board_ad.id FROM neardup_membership
    JOIN django_content_type kind ON kind.id = content_type_id AND kind.model = 'ad'
    JOIN board_ad ON board_ad.id = object_id WHERE published
"""
LIVE = "SELECT id FROM board_ad WHERE published"
ADVERT = re.compile(r"/ads/(\d+)/")
SITEMAP = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


def rows(site: Site, query: str) -> list[tuple[int, ...]]:
    with closing(sqlite3.connect(site.database)) as connection:
        return connection.execute(query).fetchall()


def groups(site: Site) -> list[set[int]]:
    """The published adverts of each group; most are alone."""
    found: dict[int, set[int]] = {}
    for cluster, number in rows(site, MEMBERS):
        found.setdefault(cluster, set()).add(number)
    together = set().union(*found.values())
    return [*found.values(), *({number} for (number,) in rows(site, LIVE) if number not in together)]


def numbers(text: str) -> list[int]:
    return [int(number) for number in ADVERT.findall(text)]


def test_the_sitemap_is_valid_and_names_each_thing_once(site):
    page = site.browser().get("/sitemap.xml")
    assert page.headers["Content-Type"].startswith("application/xml")
    root = ElementTree.fromstring(page.html.encode())
    assert root.tag == f"{{{SITEMAP['s']}}}urlset"
    addresses = [each.text or "" for each in root.findall("s:url/s:loc", SITEMAP)]
    assert len(set(addresses)) == len(addresses)
    assert {urlsplit(address).netloc for address in addresses} == {urlsplit(site.address).netloc}
    named = numbers(" ".join(addresses))
    assert sorted(len(group & set(named)) for group in groups(site)) == [1] * len(named)


def test_twins_name_the_post_that_the_sitemap_names(site):
    browser = site.browser()
    named = set(numbers(browser.get("/sitemap.xml").html))
    group = max(groups(site), key=len)
    canonical = {
        re.search(r'rel="canonical" href="([^"]+)"', browser.get(f"/ads/{each}/").html)[1] for each in group
    }
    (stands,) = group & named
    assert len(group) > 2 and canonical == {f"{site.address}/ads/{stands}/"}


@pytest.mark.parametrize("path", ["/feed/rss/", "/feed/atom/"])
def test_a_feed_names_each_thing_once(path, site):
    page = site.browser().get(path)
    ElementTree.fromstring(page.html.encode())
    named = set(numbers(page.html))
    assert len(named) == 30
    assert all(len(group & named) <= 1 for group in groups(site))


def test_a_list_of_similar_ones_is_not_to_be_kept(site):
    group = max(groups(site), key=len)
    page = site.browser().get(f"/similar/board.ad/{min(group)}/")
    assert page.headers["X-Robots-Tag"] == "noindex" and 'content="noindex, follow"' in page.html
    assert answer(site, "/sitemap.xml")[0] == 200
