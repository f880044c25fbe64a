"""Pages that a reader can follow: their commands, files and examples work as they are written."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.documents import DOCS, Reader, blocks

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("documents")]


@pytest.fixture(scope="session")
def tutorial_project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The project that a reader of the tutorial has at the end."""
    home = tmp_path_factory.mktemp("tutorial")
    follow(DOCS / "tutorial.md", Reader(home))
    return home


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
