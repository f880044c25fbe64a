"""The pictures of docs/screenshots: the example with its content, as its moderators see it. `make screenshots`."""

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
from tests.browser.scenes import QUEUE
from tests.example.conftest import ROOT, Site

PICTURES = ROOT / "docs" / "screenshots"
ADMIN = "/admin/neardup"
PHONE = 390
LONGEST = 1500
"""Pixels of a page that a picture shows at most, from the top."""

CLUSTER = """
    SELECT cluster.id FROM neardup_cluster cluster JOIN board_ad ad JOIN neardup_document document
    ON document.id = cluster.representative_id AND document.object_id = ad.id AND ad.title LIKE 'Лада%'
    ORDER BY cluster.size DESC
"""
PAIR = "SELECT id FROM neardup_pair WHERE classes LIKE '%code%' AND verdict = 'variant' ORDER BY score DESC"
BATCH = "SELECT batch FROM neardup_mergerecord ORDER BY id DESC"


class Shot(NamedTuple):
    """A picture: its name, the page, and how it is looked at."""

    name: str
    page: Callable[[Window, Site], None]
    language: str
    scheme: str = "light"
    width: int = WIDTH

    @property
    def file(self) -> Path:
        parts = [self.name, self.language, *(["dark"] if self.scheme == "dark" else [])]
        return PICTURES / f"{'-'.join([*parts, *([str(self.width)] if self.width != WIDTH else [])])}.png"


def at(path: str) -> Callable[[Window, Site], None]:
    """A page by its address; {pair} and {cluster} are the numbers of telling ones."""

    def go(window: Window, site: Site) -> None:
        window.open(path.format(pair=site.value(PAIR), cluster=site.value(CLUSTER)))

    return go


def undo(window: Window, site: Site) -> None:
    """The page that takes a merge back, which is made for it."""
    at(f"{QUEUE}decide/merge/?id=c{{cluster}}")(window, site)
    window.click(".neardup-bar button.neardup-first")
    with closing(sqlite3.connect(site.database)) as connection:
        (batch,) = connection.execute(BATCH).fetchone()
    window.open(f"{ADMIN}/mergerecord/undo/{UUID(batch)}/")


def own_list(window: Window, site: Site) -> None:
    """The site's own list of adverts, without Django's sidebar."""
    window.open("/admin/board/ad/")
    window.run("localStorage.setItem('django.admin.navSidebarIsOpen', 'false')")
    window.driver.refresh()


PAGES = {
    "queue": at(QUEUE),
    "evidence": at(f"{ADMIN}/pair/{{pair}}/change/"),
    "cluster": at(f"{ADMIN}/cluster/{{cluster}}/change/"),
    "plan": at(f"{QUEUE}decide/merge/?id=c{{cluster}}"),
    "search": at("/search/?q=сваи"),
    "site-admin": own_list,
    "undo": undo,
}
EXTRA = (
    Shot("queue", PAGES["queue"], "ru", scheme="dark"),
    Shot("queue", PAGES["queue"], "ru", width=PHONE),
    Shot("evidence", PAGES["evidence"], "en", scheme="dark"),
    Shot("evidence", PAGES["evidence"], "ru", width=PHONE),
)


def shots() -> Iterator[Shot]:
    """All pictures."""
    yield from EXTRA
    for name, page in PAGES.items():
        for language in ("ru", "en"):
            yield Shot(name, page, language)


def take(shot: Shot, window: Window, site: Site) -> None:
    """Write one picture, in few colours so that it stays small."""
    window.become(staging.session_of("admin"), shot.language)
    window.size(shot.width, HEIGHT)
    window.scheme(shot.scheme)
    shot.page(window, site)
    window.size(shot.width, min(LONGEST, window.run("return document.documentElement.scrollHeight")))
    picture = Image.open(BytesIO(window.driver.get_screenshot_as_png())).convert("RGB")
    few = picture.quantize(256, Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    few.save(shot.file, optimize=True)


def main() -> int:
    chosen = sys.argv[1:]
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
