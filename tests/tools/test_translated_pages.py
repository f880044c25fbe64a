"""Russian pages are translations of today's English pages, and the tool says which fell behind."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from tests.documents import FENCE, blocks
from tools import translated_pages
from tools.translated_pages import digest_of, page_paths, read_page

PAGES = page_paths()
ENGLISH = b"One.\n"
COMMAND = "python -m tools.translated_pages --diff"


def headings(path: Path) -> list[int]:
    """Return the levels of a page's headings, in their order."""
    text = FENCE.sub("", path.read_text(encoding="utf-8"))
    return [len(marks) for marks in re.findall(r"^(#+) ", text, re.MULTILINE)]


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_is_a_translation_of_todays_english_page(path: Path) -> None:
    page = read_page(path)
    assert page.is_current, (
        f"{page.source.name} has changed since it was translated: run {COMMAND} {page.name}"
    )


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.name)
def test_a_page_has_the_sections_and_the_blocks_of_the_english_page(path: Path) -> None:
    source = read_page(path).source
    assert headings(path) == headings(source)
    assert [block.language for block in blocks(path)] == [block.language for block in blocks(source)]


@pytest.fixture
def translated(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A page whose English page has changed since."""
    monkeypatch.setattr(translated_pages, "ROOT", tmp_path)
    (tmp_path / "docs" / "ru").mkdir(parents=True)
    (tmp_path / "README.md").write_bytes(ENGLISH)
    (tmp_path / "README.ru.md").write_text(f"<!-- Translated from README.md: {digest_of(ENGLISH)} -->\n")
    path = tmp_path / "docs" / "ru" / "tutorial.md"
    path.write_text("<!-- Translated from docs/tutorial.md: 000000000000 -->\n\n# Учебник\n")
    (tmp_path / "docs" / "tutorial.md").write_text("# Tutorial\n")
    return path


def test_pages_that_fell_behind_are_listed(translated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert translated_pages.main([]) == 1
    assert capsys.readouterr().out == "docs/ru/tutorial.md: docs/tutorial.md has changed\n"


def test_the_change_is_printed(translated: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert translated_pages.main(["--diff", "docs/ru/tutorial.md"]) == 1
    assert "# Tutorial" in capsys.readouterr().out


def test_a_page_is_marked_as_current(translated: Path) -> None:
    assert translated_pages.main(["--done", "docs/ru/tutorial.md"]) == 0
    assert read_page(translated).is_current
    assert translated_pages.main([]) == 0


def test_a_page_without_a_hash_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "page.md"
    path.write_text("# Учебник\n")
    with pytest.raises(ValueError, match="Translated from"):
        read_page(path)


def test_an_unknown_page_is_refused(translated: Path) -> None:
    with pytest.raises(SystemExit, match=r"docs/ru/nothing\.md"):
        translated_pages.main(["docs/ru/nothing.md"])
