"""What visitors and authors see: nothing blocked, nothing unnamed, nothing beside the screen."""

from __future__ import annotations

import pytest

from tests.browser.chromium import WIDTH, Window
from tests.browser.rules import flaws
from tests.browser.scenes import LOOK, MINE, NEW, POLICY, TYPED, of, publish, write
from tests.example.conftest import Site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

OWN = "SELECT min(board_ad.id) FROM board_ad JOIN auth_user u ON u.id = user_id WHERE username = 'demo'"
GROUPED = """
    SELECT object_id FROM neardup_membership
    JOIN board_ad ON board_ad.id = object_id AND published AND title LIKE 'Сваи%С140%'
"""
REPRINT = "SELECT id FROM news_article WHERE headline LIKE 'Трещины в опорах%'"
PAGES = {
    "front": "/",
    "search": "/search/?q=сваи",
    "one by one": "/search/?q=сваи&similar=all",
    "search in the forum": "/search/?q=сваи&where=forum",
    "category": "/category/cars/",
    "print": "/category/cars/print/",
    "advert": "/ads/{grouped}/",
    "similar": "/similar/board.ad/{grouped}/",
    "new": NEW,
    "mine": MINE,
    "edit": "/ads/{own}/edit/",
    "appeal": "/ads/{own}/appeal/",
    "forum": "/forum/",
    "messages": "/forum/latest/",
    "topic": "/forum/topics/1/",
    "new topic": "/forum/stroika/new/",
    "news": "/news/",
    "outlet": "/news/soroka/",
    "reprint": "/news/{reprint}/",
    "news of a reader": "/news/new/?like={reprint}",
    "search in the news": "/search/?q=мост&where=news",
}


@pytest.mark.parametrize("name", PAGES)
def test_a_page_is_fit_for_everybody(name, site, author):
    numbers = {"own": OWN, "grouped": GROUPED, "reprint": REPRINT}
    author.open(PAGES[name].format(**{kind: site.value(query) for kind, query in numbers.items()}))
    assert flaws(author, "main") == []


@pytest.mark.parametrize("width", [390, WIDTH])
def test_a_mark_is_no_wider_or_higher_than_its_words(width, site, author):
    author.size(width)
    author.open(PAGES["advert"].format(grouped=site.value(GROUPED)))
    box = author.find(".neardup-entry mark").rect

    assert box["width"] < 360 and box["height"] < 26


def typed(site: Site, author: Window) -> None:
    write(author, **of(site, "zavod_zhbi", "С60.30-6"))
    author.find(TYPED)


def looked(site: Site, author: Window) -> None:
    with author.without_script():
        write(author, **of(site, "zavod_zhbi", "С90.30-8"))
        publish(author, LOOK)


def warned(site: Site, author: Window) -> None:
    write(author, **of(site, "zavod_zhbi", "С60.30-6"))
    publish(author)


def held(site: Site, author: Window) -> None:
    own = of(site, "demo")
    write(author, title=own["title"], text=f"{own['text']} Звоните.")
    publish(author)


def blocked(site: Site, author: Window) -> None:
    write(author, **of(site, "demo"))
    publish(author)


@pytest.mark.parametrize("act", [typed, looked, warned, held, blocked])
def test_what_authors_are_told_is_fit_for_everybody(act, site, author):
    act(site, author)
    assert author.all(POLICY if act is not typed else TYPED)
    assert flaws(author, "main", again=False) == []
