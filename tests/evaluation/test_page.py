"""The HTML report: one file, nothing from elsewhere."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from django_neardup.evaluation.__main__ import main
from django_neardup.evaluation.report import drawing
from django_neardup.evaluation.report.drawing import spread_positions

HEADINGS = [
    "Precision and recall by threshold",
    "Recall by amount of change",
    "Recall against keys a text",
    "Recall against the size of the collection",
    "Cost of a text",
    "F1 against cost",
    "All sets together",
]


class Links(HTMLParser):
    """All that a page would load, or lead to."""

    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.links: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.links += [
            value or "" for name, value in attrs if name in ("href", "src", "xlink:href", "data", "poster")
        ]


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> str:
    from tests.evaluation.conftest import write_folder

    folder = write_folder(tmp_path_factory.mktemp("data"))
    output = folder / "report.html"
    arguments = [
        "--data",
        str(folder),
        "--algorithm",
        "neardup,md5",
        "--collection",
        "--union",
        "--pool",
        "--jobs",
        "1",
    ]
    assert main([*arguments, "--format", "html", "--output", str(output)]) == 0
    return output.read_text(encoding="utf-8")


def test_the_page_needs_nothing_from_elsewhere(page: str) -> None:
    links = Links()
    links.feed(page)
    assert not {"script", "link", "iframe", "img", "object", "embed"} & set(links.tags)
    assert links.links and all(link.startswith("#") for link in links.links)
    assert "@import" not in page
    assert not re.search(r"url\((?!#)", page)
    assert set(re.findall(r'https?://[^"\s<]+', page)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }


def test_the_page_has_plots_and_tables(page: str) -> None:
    found = re.findall(r"<h2[^>]*>([^<]+)</h2>", page)
    assert [heading for heading in HEADINGS if heading in found] == HEADINGS
    assert page.count("<svg") == 6
    assert page.count("<table") == 8
    assert '<tr class="ours">' in page


def test_ids_of_the_page_are_unique(page: str) -> None:
    ids = re.findall(r'\sid="([^"]+)"', page)
    assert len(ids) == len(set(ids))


def test_without_matplotlib_the_error_says_what_to_install(
    folder: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr(drawing, "import_module", absent)
    assert main(["--data", str(folder), "--sets", "small", "--format", "html", "--jobs", "1"]) == 2
    assert 'pip install "path/to/django-neardup[report]"' in capsys.readouterr().err


def test_a_missing_matplotlib_is_told_before_the_work(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def absent(name: str) -> None:
        raise ImportError(name)

    def work(*arguments: object) -> None:
        raise AssertionError("the bench ran first")

    monkeypatch.setattr(drawing, "import_module", absent)
    monkeypatch.setattr("django_neardup.evaluation.__main__.evaluate", work)
    assert main(["--data", str(folder), "--format", "html"]) == 2


@pytest.mark.parametrize(
    ("wanted", "expected"),
    [
        ([0.1, 0.5], [0.1, 0.5]),
        ([0.5, 0.5, 0.5], [0.5, 0.6, 0.7]),
        ([0.9, 0.95, 1.0], [0.8, 0.9, 1.0]),
        ([-1.0], [0.0]),
        ([], []),
    ],
)
def test_labels_are_spread(wanted: list[float], expected: list[float]) -> None:
    assert spread_positions(wanted, 0.1, 0.0, 1.0) == pytest.approx(expected)
