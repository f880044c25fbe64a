"""The site of the documentation in the browser, in both languages: links, pictures, WCAG, search, console."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import pytest

from tests.browser.chromium import HEIGHT, WIDTH, Window
from tests.browser.documentation import faults, missing, serve
from tests.documents import DOCS
from tests.services import ROOT
from tests.test_docs_site import PROJECT, build, write_site

pytestmark = [pytest.mark.browser, pytest.mark.xdist_group("browser")]

RUSSIAN = ("-t", "russian", "-D", "language=ru")
PICTURE = "docs/screenshots/cluster-en.png"
PAGES = {
    "index": "# First\n\n## Pages\n\n[A page](guide/page.md), [its part](guide/page.md#a-part)\n",
    "guide/page": f"""# A page

Posts in quarantine are not compared. See [all pages](../index.md), `code` and **bold** words.

## A part

![Two posts](../../{PICTURE})

| setting | {" | ".join(f"column {number}" for number in range(12))} |
|---|{"---|" * 12}
| `ONE` | {" | ".join(["a value of some length"] * 12)} |

```python
import django_neardup as neardup  # {"a long comment " * 12}
MIN_WORDS = {{"default": 4, "text": None}}
```
""",
    "ru/index": "# Первая\n\n## Страницы\n\n[Страница](guide/page.md), [all](../index.md)\n",
    "ru/guide/page": "# Страница\n\nПубликации в карантине не сравниваются. [Все](../index.md)\n",
}
ENGLISH_PAGE, RUSSIAN_PAGE = "/docs/guide/page.html", "/ru/docs/ru/guide/page.html"
SOURCES = [*sorted(DOCS.rglob("*.md")), *(ROOT / name for name in PROJECT if name.endswith(".md"))]
WRITTEN = [path.relative_to(ROOT).with_suffix(".html").as_posix() for path in SOURCES]
TRANSLATED = [page for page in WRITTEN if page.startswith("docs/ru/")]
BOTH = [page for page in WRITTEN if page not in TRANSLATED]
EXTRA = ["index.html", "search.html"]
FRAMES = ["docs/index.html", "docs/guide/adapters.html", "search.html?q=neardup"]
RUSSIAN_FRAMES = ["docs/ru/index.html", "docs/ru/guide/adapters.html", "search.html?q=neardup"]


def build_both(root: Path, folder: Path) -> None:
    """Build the English site, and the Russian one below it, as `make docs` does."""
    for target, options in ((folder, ()), (folder / "ru", RUSSIAN)):
        done = build(root, target, *options)
        assert done.returncode == 0, done.stderr
        shutil.rmtree(target / "trees")


@pytest.fixture(scope="session")
def _small(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    root = tmp_path_factory.mktemp("small")
    write_site(root, **PAGES)
    (root / PICTURE).parent.mkdir()
    shutil.copy(ROOT / PICTURE, root / PICTURE)
    build_both(root, root / "build")
    with serve(root / "build") as address:
        yield root / "build", address


@pytest.fixture(scope="session")
def _whole(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Path, str]]:
    folder = tmp_path_factory.mktemp("whole")
    build_both(ROOT, folder)
    with serve(folder) as address:
        yield folder, address


@pytest.fixture
def reader(_windows: Callable[[str], Window]) -> Iterator[Window]:
    """A window of a visitor. The browser must have nothing to complain about."""
    window = _windows("documentation")
    window.driver.set_script_timeout(120)  # axe takes a while on the longest pages
    # Another test may have left it as narrow as a phone.
    window.size(WIDTH, HEIGHT)
    window.complaints()
    yield window
    assert window.complaints() == []


@pytest.fixture
def small(reader: Window, _small: tuple[Path, str]) -> tuple[Window, Path]:
    """The window, and the folder of a small site that it shows."""
    folder, reader.address = _small
    return reader, folder


@pytest.fixture
def whole(reader: Window, _whole: tuple[Path, str]) -> tuple[Window, Path]:
    folder, reader.address = _whole
    return reader, folder


@pytest.mark.parametrize("page", [ENGLISH_PAGE, RUSSIAN_PAGE], ids=["English", "Russian"])
def test_a_page_has_no_faults(page: str, small: tuple[Window, Path]) -> None:
    window, folder = small
    assert faults(window, page, folder, "body") == []


def test_every_kind_of_fault_is_found(small: tuple[Window, Path]) -> None:
    window, folder = small
    (folder / "faults.html").write_text(
        """<!doctype html><html lang="en"><title>Faults</title><article><h1>Faults</h1><h3>Leap</h3>
        <a href="nothing.html">one</a><a href="docs/guide/page.html#nothing">two</a><a href="#none">three</a>
        <img src="_static/favicon.svg" width="2000"><img src="data:," alt="Two posts">
        <table><tr><td>1</td></tr></table><p style="color: #ccc">pale</p></article>""",
        encoding="utf-8",
    )
    found = "\n".join(faults(window, "/faults.html", folder))
    for fault in ("nothing.html", "page.html#nothing", "faults.html#none", "without headers", "headings: 1,3",
                  "favicon.svg", "Two posts", "px too wide", "image-alt", "dark: color-contrast"):  # fmt: skip
        assert fault in found, f"{fault} is not in {found}"


def test_the_switch_of_language_leads_to_the_twin_and_back(small: tuple[Window, Path]) -> None:
    window, _ = small
    window.open(ENGLISH_PAGE)
    window.click("a[hreflang=ru]")
    assert (window.path, window.find("h1").text) == (RUSSIAN_PAGE, "Страница")
    assert "Наверх" in window.find("body").get_attribute("textContent")
    window.click("a[hreflang=en]")
    assert (window.path, window.find("h1").text) == (ENGLISH_PAGE, "A page")


def test_an_untranslated_page_of_the_russian_site_is_said_to_be_english(small: tuple[Window, Path]) -> None:
    window, _ = small
    for page, language in ((f"/ru{ENGLISH_PAGE}", "en"), (RUSSIAN_PAGE, "ru")):
        window.open(page)
        assert window.run("return document.querySelector('h1').closest('[lang]').lang") == language


@pytest.mark.parametrize(
    ("site", "query", "page", "title", "summary"),
    [
        ("", "compare", "/docs/guide/page.html", "A page", "found one page"),
        ("/ru", "карантин", "/ru/docs/ru/guide/page.html", "Страница", "Найдена 1 страница."),
    ],
    ids=["English", "Russian"],
)
def test_a_word_in_another_form_is_found(
    site: str, query: str, page: str, title: str, summary: str, small: tuple[Window, Path]
) -> None:
    window, _ = small
    window.open(f"{site}/search.html?q={quote(query)}")
    window.wait(lambda: window.all("ul.search li a"), "results of the search")
    links = {link.text: link.get_attribute("href") for link in window.all("ul.search li a")}
    assert page in links[title]
    window.wait(lambda: summary in window.text, summary)


@pytest.mark.long
@pytest.mark.parametrize("page", [*BOTH, *(f"ru/{page}" for page in TRANSLATED)])
def test_every_page_has_no_faults(page: str, whole: tuple[Window, Path]) -> None:
    window, folder = whole
    assert faults(window, f"/{page}", folder) == []


@pytest.mark.long
@pytest.mark.parametrize("page", BOTH)
def test_every_untranslated_page_of_the_russian_site_is_complete(
    page: str, whole: tuple[Window, Path]
) -> None:
    """Its text is that of the English site, where it is checked in all other ways."""
    window, folder = whole
    window.open(f"/ru/{page}")
    assert missing(window, folder) == []


@pytest.mark.long
@pytest.mark.parametrize("page", [*FRAMES, *(f"ru/{page}" for page in RUSSIAN_FRAMES)])
def test_the_frame_of_a_page_has_no_faults(page: str, whole: tuple[Window, Path]) -> None:
    """Header, navigation, contents and footer, which are alike on all pages."""
    window, folder = whole
    assert faults(window, f"/{page}", folder, "body") == []


@pytest.mark.long
def test_the_first_page_leads_to_the_contents(whole: tuple[Window, Path]) -> None:
    window, _ = whole
    for page, target in (("/", "/docs/index.html"), ("/ru/", "/ru/docs/ru/index.html")):
        window.open(page)
        window.wait(lambda target=target: window.path == target, target)


@pytest.mark.long
def test_no_page_is_left_out(_whole: tuple[Path, str]) -> None:
    folder, _ = _whole
    built = {path.relative_to(folder).as_posix() for path in folder.rglob("*.html")}
    english = {*BOTH, *EXTRA}
    assert built == english | {f"ru/{page}" for page in (*english, *TRANSLATED)}
