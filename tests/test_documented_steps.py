"""Pages that a reader can follow: their commands, files and examples work as they are written."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests import services
from tests.documents import DOCS, README, Block, Reader, blocks

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
OTHER_SHAPE = {
    "mysite/settings.py": """
INSTALLED_APPS += ["board"]
TEMPLATES.insert(0, {
    "BACKEND": "django.template.backends.jinja2.Jinja2", "APP_DIRS": True, "OPTIONS": {"autoescape": True}
})
""",
    "mysite/admin.py": """
from board.models import Ad
from django.contrib import admin


class StaffSite(admin.AdminSite):
    site_header = "Staff"


site = StaffSite(name="staff")
site.register(Ad)
""",
    "mysite/urls.py": """
from board.views import ads
from django.urls import path
from mysite.admin import site

urlpatterns = [path("", ads), path("staff/", site.urls)]
""",
    "board/models.py": """
import uuid

from django.db import models


class Ad(models.Model):
    id = models.UUIDField(primary_key=True, default=uuid.uuid4, editable=False)
    title = models.CharField(max_length=100)
    text = models.TextField()
    published = models.BooleanField(default=True)

    def __str__(self):
        return self.title
""",
    "board/views.py": SITE["board/views.py"],
}
"""A site with UUIDs as keys, Jinja2 and its own admin site. Settings are added to those of a new project."""
MODERATOR = """
from django.contrib.auth.models import User
from django.test import Client

client = Client(headers={"host": "localhost"})
client.force_login(User.objects.create_superuser("moderator"))
for name in ("queue", "cluster", "pair", "document"):
    print(name, client.get(f"/staff/neardup/{name}/").status_code)
print(client.get("/staff/neardup/queue/").content.decode())
"""
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


@pytest.mark.long
@pytest.mark.postgresql
def test_the_lines_of_the_readme_run_on_a_site_of_another_shape(
    reader: Reader, postgresql: services.Service
) -> None:
    """UUIDs as keys, Jinja2, PostgreSQL and an admin site of its own, with every warning an error."""
    reader.environment["PYTHONWARNINGS"] = "error"
    reader.home.mkdir()
    reader.run("django-admin startproject mysite . && python manage.py startapp board")
    for name, text in OTHER_SHAPE.items():
        path = reader.home / name
        path.write_text(path.read_text() + text if name == "mysite/settings.py" else text)
    with (reader.home / "mysite" / "settings.py").open("a") as settings:
        settings.write(f"DATABASES = {{'default': {database(postgresql)!r}}}\n")
    reader.run("python manage.py makemigrations board && python manage.py migrate -v 0")
    adverts = next(block for block in blocks(DOCS / "tutorial.md") if block.file == "posts.py")
    reader.follow(adverts)
    reader.run("python manage.py shell -v 0 < posts.py")
    lines = lines_for_another_shape()
    assert sum(map(count_lines, lines)) <= 10
    for block in lines:
        reader.follow(block)
    assert "1 group, 1 duplicate. Review them at /staff/neardup/queue/" in reader.printed
    page = reader.open("/")
    assert "+ 1 similar" in page and page.count("orner sofa") == 1
    reader.run("python manage.py check --database default --fail-level WARNING")
    (reader.home / "moderator.py").write_text(MODERATOR)
    reader.run("python manage.py shell -v 0 < moderator.py")
    for name in ("queue", "cluster", "pair", "document"):
        assert f"{name} 200" in reader.printed
    assert "orner sofa" in reader.printed


def database(server: services.Service) -> dict[str, object]:
    """Create a database on a server of PostgreSQL. Return its settings."""
    place = server.parameters
    account = {"user": place["user"], "password": place["password"]}
    with psycopg.connect(
        host=place["host"], port=place["port"], dbname="postgres", autocommit=True, **account
    ) as connection:
        connection.execute("DROP DATABASE IF EXISTS another_shape WITH (FORCE)")
        connection.execute("CREATE DATABASE another_shape")
    names = {"NAME": "another_shape", "HOST": place["host"], "PORT": place["port"]}
    return {
        "ENGINE": "django.db.backends.postgresql",
        **names,
        **{key.upper(): value for key, value in account.items()},
    }


def lines_for_another_shape() -> list[Block]:
    """Return the blocks of the README, with the template of Jinja2 and the admin site from their guides."""
    settings, template = (
        block for block in blocks(DOCS / "guide" / "templates.md") if "jinja2" in block.text and block.file
    )
    pages = next(
        block for block in blocks(DOCS / "guide" / "site-admin.md") if "register_pages" in block.text
    )
    *files, commands = (
        block for block in blocks(README) if block.language != "console" and block.language != "html"
    )
    return [*files, settings, template, pages, commands]


def count_lines(block: Block) -> int:
    """Count the lines that a reader adds to files, without blank lines and imports."""
    return sum(not line.startswith(("import ", "from ")) for line in block.rest) if block.file else 0


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
