"""Pages that a reader can follow: their commands, files and examples work as they are written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.documents import DOCS, README, Reader, blocks

pytestmark = [pytest.mark.slow, pytest.mark.xdist_group("documents")]

CONTINUED = ("guide/upgrade.md", "reference/python-api.md", "reference/template-tags.md")
"""Pages that go on in the project of the tutorial."""
SITE = {
    "mysite/settings.py": 'INSTALLED_APPS += ["board"]\n',
    "mysite/urls.py": 'from board.views import ads\nurlpatterns += [path("", ads)]\n',
    "board/views.py": """
from django.core.paginator import Paginator
from django.shortcuts import render
from board.models import Ad


def ads(request):
    visible = Ad.objects.filter(published=True)
    page = Paginator(visible.order_by("pk"), 20).get_page(1)
    return render(request, "board/ads.html", {"page_obj": page, "visible_ads": visible})
""",
}
"""What the site of the README has before: it is added to the files of a new project."""
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


def test_the_lines_of_the_readme_run_as_they_stand(reader: Reader) -> None:
    """The project, the model and the adverts are those of the tutorial."""
    steps = [block for block in blocks(DOCS / "tutorial.md") if block.language != "console"]
    project, model, *others = steps
    reader.home.mkdir()
    reader.follow(project)
    reader.follow(model)
    for name, text in SITE.items():
        path = reader.home / name
        path.write_text(path.read_text() + text)
    adverts = next(block for block in others if block.file == "posts.py")
    reader.follow(adverts)
    reader.run("python manage.py makemigrations board && python manage.py migrate -v 0")
    reader.run("python manage.py shell -v 0 < posts.py")
    lines = blocks(README)
    assert sum(block.file.count("/") and len(block.rest) for block in lines) <= 10
    for block in lines:
        reader.follow(block)
    page = reader.open("/")
    assert "+ 1 similar" in page and page.count("Corner sofa") == 1


def test_the_russian_tutorial_runs_as_it_is_written(reader: Reader) -> None:
    reader.home.mkdir()
    follow(DOCS / "ru" / "tutorial.md", reader)


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
