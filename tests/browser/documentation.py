"""The site of the documentation in a browser: serve a build, and find the faults of a page."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache, partial
from html.parser import HTMLParser
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import unquote, urlsplit

from tests.browser.chromium import HEIGHT, WIDTH, Window
from tests.browser.rules import BESIDE, violations

PHONE = 390
"""The width of a phone, in pixels."""
LINKS = "return [...document.querySelectorAll('a[href]')].map(link => link.href)"
PHONE_RULES = ("scrollable-region-focusable", "link-name", "button-name", "label")
"""Rules whose result may depend on the width."""
FRAME = "requestAnimationFrame(() => requestAnimationFrame(arguments[0]))"
PICTURES = """
    return [...document.images]
        .filter(picture => !(picture.complete && picture.naturalWidth && picture.alt.trim()))
        .map(picture => `missing, or without a text: ${picture.outerHTML}`);
"""
TABLES = """
    return [...document.querySelectorAll('article table')]
        .filter(table => ![...table.querySelectorAll('th')].some(cell => cell.innerText.trim()))
        .map(table => `table without headers: ${table.innerText.slice(0, 80)}`);
"""
HEADINGS = """
    const levels = [...document.querySelectorAll('article :is(h1, h2, h3, h4, h5, h6)')].map(each => +each.tagName[1]);
    const leaps = levels.filter((level, place) => level > (place ? levels[place - 1] : 0) + 1);
    return levels.filter(level => level === 1).length === 1 && !leaps.length ? [] : [`headings: ${levels}`];
"""


class _QuietHandler(SimpleHTTPRequestHandler):
    def log_message(self, format: str, *arguments: object) -> None:
        """Print no request."""


@contextmanager
def serve(folder: Path) -> Iterator[str]:
    """Serve a folder. Yield its address."""
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(_QuietHandler, directory=folder)) as server:
        thread = Thread(target=server.serve_forever, daemon=True)
        thread.start()
        try:
            yield f"http://127.0.0.1:{server.server_port}"
        finally:
            server.shutdown()
            thread.join()


class _IdCollector(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.ids: set[str] = set()

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.ids |= {value for name, value in attributes if name == "id" and value}


@cache
def ids_of(path: Path) -> set[str]:
    """Return the anchors of a page."""
    collector = _IdCollector()
    collector.feed(path.read_text(encoding="utf-8"))
    return collector.ids


def dead_links(window: Window, folder: Path) -> list[str]:
    """Return the links of a page that lead to no file of the site, or to no anchor of it."""
    return [
        f"dead link: {link}"
        for link in sorted(set(window.run(LINKS)))
        if _is_dead(link, window.address, folder)
    ]


def _is_dead(link: str, address: str, folder: Path) -> bool:
    if not link.startswith(f"{address}/"):
        return False
    url = urlsplit(link)
    path = folder / unquote(url.path).lstrip("/")
    if path.is_dir():
        path /= "index.html"
    if not path.is_file():
        return True
    return bool(url.fragment) and unquote(url.fragment) not in ids_of(path)


def faults(window: Window, page: str, folder: Path, part: str = "article") -> list[str]:
    """Open a page. Return what a reader would miss in it, and what axe finds in that part of it.

    Colours do not depend on the width, nor the rest on the colours: each is checked once.
    """
    window.size(WIDTH, HEIGHT)
    window.scheme("light")
    window.open(page)
    await_frame(window)
    found = [*missing(window, folder), *violations(window, part), *too_wide(window)]
    window.scheme("dark")
    found += [f"dark: {fault}" for fault in violations(window, part, "color-contrast")]
    window.scheme("light")
    window.size(PHONE, HEIGHT)
    await_frame(window)
    found += [f"phone: {fault}" for fault in (*violations(window, part, *PHONE_RULES), *too_wide(window))]
    return [*found, *window.complaints()]


def await_frame(window: Window) -> None:
    """Wait until the page is drawn: observers of sizes are called by then."""
    window.driver.execute_async_script(FRAME)


def missing(window: Window, folder: Path) -> list[str]:
    """Return the dead links of the page, and its pictures, tables and headings that lack something."""
    scripts = (PICTURES, TABLES, HEADINGS)
    return [*dead_links(window, folder), *(fault for script in scripts for fault in window.run(script))]


def too_wide(window: Window) -> list[str]:
    over = window.run(BESIDE)
    return [f"{over} px too wide"] if over else []
