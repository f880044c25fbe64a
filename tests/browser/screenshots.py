"""The pictures of docs/screenshots: the example as moderators, visitors and authors see it. `make screenshots`."""

from __future__ import annotations

import sqlite3
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import closing
from io import BytesIO
from pathlib import Path
from typing import NamedTuple
from uuid import UUID

from PIL import Image

from tests.browser import staging
from tests.browser.chromium import HEIGHT, WIDTH, Window, chromium
from tests.browser.scenes import ANYWAY, POLICY, QUEUE, TYPED, of, publish, write
from tests.example.conftest import ROOT, Site

PICTURES = ROOT / "docs" / "screenshots"
ADMIN = "/admin/neardup"
PHONE = 390
LONGEST = 1500
"""Pixels of a page that a picture shows at most, from the top."""

CLUSTER = """
    SELECT cluster.id FROM neardup_cluster cluster JOIN board_ad ad JOIN neardup_document document
    ON document.id = cluster.leader_id AND document.object_id = ad.id AND ad.title LIKE 'Лада%'
    ORDER BY cluster.size DESC
"""
PAIR = "SELECT id FROM neardup_pair WHERE classes LIKE '%code%' AND verdict = 'variant' ORDER BY score DESC"
OWN = """
    SELECT cluster_id FROM neardup_membership
    JOIN board_ad ad ON ad.id = object_id JOIN auth_user u ON u.id = ad.user_id AND u.username = 'demo'
"""
PILES = """
    SELECT ad.id FROM board_ad ad JOIN neardup_membership member ON member.object_id = ad.id
    WHERE ad.published AND ad.title LIKE '%С140.35-10%'
"""
REPRINT = "SELECT id FROM news_article WHERE headline LIKE 'Трещины в опорах%'"
BATCH = "SELECT batch FROM neardup_mergerecord ORDER BY id DESC"


class Shot(NamedTuple):
    """A picture: its name, the page, and how it is looked at."""

    name: str
    page: Callable[[Window, Site], None]
    language: str
    scheme: str = "light"
    width: int = WIDTH
    who: str = "admin"

    @property
    def file(self) -> Path:
        parts = [self.name, self.language, *(["dark"] if self.scheme == "dark" else [])]
        return PICTURES / f"{'-'.join([*parts, *([str(self.width)] if self.width != WIDTH else [])])}.png"


def at(path: str) -> Callable[[Window, Site], None]:
    """A page by its address; {pair}, {cluster}, {own}, {piles} and {reprint} are the numbers of telling ones."""
    queries = {"pair": PAIR, "cluster": CLUSTER, "own": OWN, "piles": PILES, "reprint": REPRINT}

    def go(window: Window, site: Site) -> None:
        wanted = {name: query for name, query in queries.items() if f"{{{name}}}" in path}
        window.open(path.format(**{name: site.value(query) for name, query in wanted.items()}))

    return go


def undo(window: Window, site: Site) -> None:
    """The page that takes a merge back, which is made for it."""
    at(f"{QUEUE}decide/merge/?id=c{{cluster}}")(window, site)
    window.click(".neardup-bar button.neardup-first")
    with closing(sqlite3.connect(site.database)) as connection:
        (batch,) = connection.execute(BATCH).fetchone()
    window.open(f"{ADMIN}/mergerecord/undo/{UUID(batch)}/")


def passage(window: Window, site: Site) -> None:
    """What a passage to ignore would change: words that a seller writes below every pile."""
    text = of(site, "zavod_zhbi", "С140.35-10")["text"]
    window.open(f"{ADMIN}/ignoredpassage/add/")
    window.find("textarea[name=text]").send_keys(text)
    window.click("button[formaction]")


def own_list(window: Window, site: Site) -> None:
    """The site's own list of adverts, without Django's sidebar."""
    window.open("/admin/board/ad/")
    window.run("localStorage.setItem('django.admin.navSidebarIsOpen', 'false')")
    window.driver.refresh()


def typing(window: Window, site: Site) -> None:
    """A text that is like others', as it is typed."""
    write(window, **of(site, "zavod_zhbi", "С60.30-6"))
    window.find(TYPED)


def policy(window: Window, site: Site) -> None:
    """An advert of one's own once more, at another price."""
    own = of(site, "zavod_zhbi", "С90.30-8")
    write(window, title=own["title"], text=own["text"].replace("9450", "9300"), price="9300")
    publish(window)
    window.find(POLICY)


def mine(window: Window, site: Site) -> None:
    """One's adverts: a draft, one among which a moderator has merged others, and once more, which waits for him."""
    author, language = window.session, window.language
    window.become(staging.session_of("admin"), language)
    at(f"{QUEUE}decide/merge/?id=c{{own}}")(window, site)
    window.click(".neardup-bar button.neardup-first")
    window.become(author, language)
    own = of(site, "demo")
    write(window, title=own["title"], text=f"{own['text']} Звоните вечером.", price="21000")
    publish(window)
    publish(window, ANYWAY)


AUTHORS = {"typing": "demo", "publish": "zavod_zhbi", "mine": "demo"}
"""Whose window it is, where not an administrator's."""
PAGES = {
    "queue": at(QUEUE),
    "evidence": at(f"{ADMIN}/pair/{{pair}}/change/"),
    "cluster": at(f"{ADMIN}/cluster/{{cluster}}/change/"),
    "plan": at(f"{QUEUE}decide/merge/?id=c{{cluster}}"),
    "passage": passage,
    "search": at("/search/?q=сваи"),
    "similar": at("/similar/board.ad/{piles}/"),
    "news": at("/news/"),
    "reprint": at("/news/{reprint}/"),
    "typing": typing,
    "publish": policy,
    "mine": mine,
    "site-admin": own_list,
    "undo": undo,
}
EXTRA = {
    "queue": [("ru", "dark", WIDTH), ("ru", "light", PHONE)],
    "evidence": [("en", "dark", WIDTH), ("ru", "light", PHONE)],
    "search": [("ru", "dark", WIDTH), ("ru", "light", PHONE)],
    "similar": [("ru", "dark", WIDTH), ("ru", "light", PHONE)],
    "publish": [("ru", "dark", WIDTH), ("ru", "light", PHONE)],
    "mine": [("ru", "dark", WIDTH), ("ru", "light", PHONE)],
}
"""Language, scheme and width of the pictures that are taken besides."""


def shots() -> Iterator[Shot]:
    """All pictures."""
    for name, page in PAGES.items():
        plain = [(language, "light", WIDTH) for language in ("ru", "en")]
        for look in (*EXTRA.get(name, ()), *plain):
            yield Shot(name, page, *look, AUTHORS.get(name, "admin"))


def take(shot: Shot, window: Window, site: Site) -> None:
    """Write one picture, in few colours so that it stays small."""
    window.become(staging.session_of(shot.who), shot.language)
    window.size(shot.width, HEIGHT)
    window.scheme(shot.scheme)
    shot.page(window, site)
    window.size(shot.width, min(LONGEST, window.run("return document.documentElement.scrollHeight")))
    picture = Image.open(BytesIO(window.driver.get_screenshot_as_png())).convert("RGB")
    few = picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(shot.file, optimize=True)


def main() -> int:
    chosen, names = sys.argv[1:], sorted({shot.name for shot in shots()})
    if unknown := [name for name in chosen if name not in names]:
        sys.exit(
            f"no such pictures: {', '.join(unknown)}. There are: {', '.join(names)}. Separate them by blanks."
        )
    PICTURES.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, chromium() as window:
        prepared = Path(folder) / "prepared.sqlite3"
        staging.prepare(prepared)
        with staging.stage(prepared) as site:
            window.address = site.address
            for shot in shots():
                if not chosen or shot.name in chosen:
                    staging.restore(prepared, site.database)
                    take(shot, window, site)
                    print(f"{shot.file.relative_to(ROOT)}: {shot.file.stat().st_size // 1000} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
