"""The search of the documentation's site, in both languages."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from threading import Thread
from urllib.parse import quote

import pytest

from tests.browser.chromium import Window
from tests.test_docs_site import build, write_site

pytestmark = [pytest.mark.browser, pytest.mark.long, pytest.mark.xdist_group("browser")]

PAGES = {
    "index": "# First\n\n## Pages\n\n[A page](guide/page.md)\n",
    "guide/page": "# A page\n\nPosts in quarantine are not compared.\n",
    "ru/index": "# Первая\n\n## Страницы\n\n[Страница](guide/page.md), [all](../index.md)\n",
    "ru/guide/page": "# Страница\n\nПубликации в карантине не сравниваются.\n",
}


@pytest.mark.parametrize(
    ("options", "query", "page", "title"),
    [
        ((), "compare", "docs/guide/page.html", "A page"),
        (("-t", "russian", "-D", "language=ru"), "карантин", "docs/ru/guide/page.html", "Страница"),
    ],
    ids=["English", "Russian"],
)
def test_a_word_in_another_form_is_found(
    options: tuple[str, ...],
    query: str,
    page: str,
    title: str,
    tmp_path: Path,
    _windows: Callable[[str], Window],
) -> None:
    write_site(tmp_path, **PAGES)
    done = build(tmp_path, tmp_path / "build", *options)
    assert done.returncode == 0, done.stderr
    window = _windows("documentation")
    handler = partial(SimpleHTTPRequestHandler, directory=tmp_path / "build")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        Thread(target=server.serve_forever, daemon=True).start()
        try:
            window.driver.get(f"http://127.0.0.1:{server.server_port}/search.html?q={quote(query)}")
            window.wait(lambda: window.all("ul.search li a"), "results of the search")
            links = {link.text: link.get_attribute("href") for link in window.all("ul.search li a")}
        finally:
            server.shutdown()
    assert title in links and page in links[title]
