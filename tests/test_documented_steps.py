"""Pages that a reader can follow: their commands, files and examples work as they are written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import DOCS, Reader, blocks

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("documents")]

CONTINUED = ("guide/upgrade.md", "reference/python-api.md", "reference/template-tags.md")
"""Pages that go on in the project of the tutorial."""
SITUATIONS = sorted((DOCS / "guide" / "situations").glob("*.md"))


@pytest.fixture(scope="session")
def tutorial_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project that a reader of the tutorial has at the end."""
    home = tmp_path_factory.mktemp("tutorial")
    follow(DOCS / "tutorial.md", Reader(home))
    return home


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(tmp_path / "home")
    yield reader
    reader.leave()


def follow(page: Path, reader: Reader) -> None:
    try:
        for block in blocks(page):
            reader.follow(block)
    finally:
        reader.leave()


def languages(page: Path) -> set[str]:
    return {block.language for block in blocks(page)}


def test_the_tutorial_runs_as_it_is_written(tutorial_project: Path) -> None:
    assert {"sh", "python", "html", "text"} <= languages(DOCS / "tutorial.md")
    assert (tutorial_project / "board" / "neardup.py").exists()


@pytest.mark.parametrize("name", CONTINUED)
def test_a_page_goes_on_in_the_project_of_the_tutorial(
    name: str, tutorial_project: Path, reader: Reader
) -> None:
    shutil.copytree(tutorial_project, reader.home)
    assert {"pycon", "sh"} & languages(DOCS / name)
    follow(DOCS / name, reader)


@pytest.mark.parametrize("page", SITUATIONS, ids=lambda page: page.stem)
def test_the_adapter_of_a_situation_finds_what_its_page_says(page: Path, reader: Reader) -> None:
    app = next(block.file for block in blocks(page) if block.file.endswith("/neardup.py")).partition("/")[0]
    reader.home.mkdir()
    reader.run(f"django-admin startproject mysite . && python manage.py startapp {app}")
    assert {"python", "pycon"} <= languages(page)
    follow(page, reader)
