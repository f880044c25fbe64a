"""The documents and the code agree: the tutorial runs as it is written, and the references name what there is."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest

import django_neardup
from django_neardup import adapters, conf
from tests import services

DOCS = services.ROOT / "docs"
PAGES = sorted([*DOCS.rglob("*.md"), services.ROOT / "README.md", services.ROOT / "CONTRIBUTING.md"])
COMMANDS = services.ROOT / "django_neardup" / "management" / "commands"
ADDRESS = "http://127.0.0.1:8000"
OURS = {"can_hide", "settings", "text_language", "least_words"} | {"watched", "partners", "source", "sources"}
"""What of an adapter the app itself calls, and no site overrides."""
APPENDED = ", at the end"
"""After a file's name: the block is added to the file that is there."""
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")


class Block(NamedTuple):
    """A fenced block: its language and what stands in it."""

    language: str
    text: str

    @property
    def first(self) -> str:
        return self.text.splitlines()[0]

    @property
    def rest(self) -> list[str]:
        return [line for line in self.text.splitlines()[1:] if line.strip()]


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


class Reader:
    """Somebody who does what a page says, in an empty directory: ``sh`` blocks are run and their ``text`` compared,
    blocks that begin with a file's name are written, addresses are opened; ``console`` blocks are left out."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.said = ""
        self.port = services.free_port()
        self.server: subprocess.Popen[bytes] | None = None
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "NEARDUP_"))
        }
        self.environment = kept | {"PATH": path, "PYTHONPATH": os.fspath(services.ROOT), "NO_COLOR": "1"}

    def follow(self, block: Block) -> None:
        if block.language == "sh":
            self.run(block.text)
        elif block.language in ("python", "html"):
            self.write(block)
        elif block.language == "text" and block.first.startswith(ADDRESS):
            in_order(block.rest, self.open(block.first.removeprefix(ADDRESS)))
        elif block.language == "text":
            in_order(block.text.splitlines(), self.said)
        else:
            assert block.language == "console", f"what is a reader to do with a block of {block.language}?"

    def run(self, script: str) -> None:
        done = subprocess.run(
            ["sh", "-ec", script],
            cwd=self.home,
            env=self.environment,
            capture_output=True,
            text=True,
            timeout=120,
        )
        assert done.returncode == 0, f"{script}\n{done.stdout}\n{done.stderr}"
        self.said = done.stdout + done.stderr

    def write(self, block: Block) -> None:
        name = block.first.strip("{}# ")
        path = self.home / name.removesuffix(APPENDED)
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if name.endswith(APPENDED) else ""
        path.write_text(f"{before}\n{block.text}" if before else block.text, encoding="utf-8")

    def open(self, path: str) -> str:
        """What is read on that page: a line for a line, without tags."""
        self.serve()
        deadline = time.monotonic() + 60
        while True:
            try:
                with urllib.request.urlopen(f"http://127.0.0.1:{self.port}{path}", timeout=30) as page:
                    return as_read(page.read().decode())
            except urllib.error.HTTPError as error:
                pytest.fail(f"{path}: {error}")
            except OSError:
                if time.monotonic() > deadline:
                    pytest.fail(f"{path} does not answer:\n{(self.home / 'server.log').read_text()}")
                time.sleep(0.05)

    def serve(self) -> None:
        """Start the web server, at the first page that is opened."""
        if self.server is None:
            command = [sys.executable, "manage.py", "runserver", "--noreload", str(self.port)]
            with (self.home / "server.log").open("wb") as log:
                self.server = subprocess.Popen(
                    command, cwd=self.home, env=self.environment, stdout=log, stderr=log
                )

    def leave(self) -> None:
        """Stop the web server."""
        if self.server is not None:
            self.server.kill()
            self.server.wait()


def as_read(page: str) -> str:
    """The words of a page, line by line, without tags."""
    return "\n".join(" ".join(unescape(re.sub(r"<[^>]*>", "", line)).split()) for line in page.splitlines())


def in_order(lines: list[str], text: str) -> None:
    """Each of the lines stands in the text, as a line of its own, after the one before."""
    place, said = 0, [line.strip() for line in text.splitlines()]
    for line in (line.strip() for line in lines):
        assert line in said[place:], f"{line!r} is not there (any more):\n{text}"
        place = said.index(line, place) + 1


@pytest.fixture
def reader(tmp_path: Path) -> Iterator[Reader]:
    reader = Reader(tmp_path)
    yield reader
    reader.leave()


@pytest.mark.slow
def test_the_tutorial_runs_as_it_is_written(reader: Reader) -> None:
    read = blocks(DOCS / "tutorial.md")
    assert {"sh", "python", "html", "text"} <= {block.language for block in read}
    for block in read:
        reader.follow(block)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(services.ROOT)))
def test_every_python_block_can_be_compiled(page: Path) -> None:
    for block in blocks(page):
        if block.language == "python":
            compile(block.text, str(page), "exec")


def headings(page: str, level: str = "##") -> list[str]:
    """Names in code type that head the sections of a page."""
    text = (DOCS / page).read_text(encoding="utf-8")
    return re.findall(rf"^{level} `([^`]+)`", text, re.MULTILINE)


def test_every_setting_is_described_with_its_default() -> None:
    text = (DOCS / "reference" / "settings.md").read_text(encoding="utf-8")
    described = dict(re.findall(r"^\| `([A-Z_]+)` \| `([^`]+)` \|", text, re.MULTILINE))
    assert described == {name: as_written(value) for name, value in conf.DEFAULTS.items()}
    assert sorted(headings("reference/settings.md", "###")) == sorted(conf.DEFAULTS)


def as_written(value: object) -> str:
    return f'"{value}"' if isinstance(value, str) else repr(value)


def test_every_command_is_described() -> None:
    there = {path.stem for path in COMMANDS.glob("neardup_*.py")}
    assert set(headings("reference/commands.md")) == there


def test_every_option_of_a_command_is_described() -> None:
    text = (DOCS / "reference" / "commands.md").read_text(encoding="utf-8")
    sections = dict(re.findall(r"^## `(\w+)`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL))
    for path in COMMANDS.glob("neardup_*.py"):
        options = set(re.findall(r'add(?:_argument)?\(\s*"(--[a-z-]+)"', path.read_text(encoding="utf-8")))
        described = set(re.findall(r"^\| `(--[a-z-]+)", sections[path.stem], re.MULTILINE))
        assert described == options, path.stem


def test_every_attribute_and_method_of_an_adapter_is_described() -> None:
    text = (DOCS / "guide" / "adapters.md").read_text(encoding="utf-8")
    described = set(re.findall(r"^\| `(\w+)", text, re.MULTILINE))
    public = {name for name in vars(adapters.Adapter) if not name.startswith("_")}
    assert described == public - OURS


def test_every_model_is_described() -> None:
    from django.apps import apps

    there = {model.__name__ for model in apps.get_app_config("neardup").get_models()}
    assert set(headings("reference/models.md")) == there


def test_every_signal_is_described() -> None:
    from django.dispatch import Signal

    from django_neardup import signals

    there = {name for name, value in vars(signals).items() if isinstance(value, Signal)}
    assert set(headings("reference/signals.md")) == there


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(services.ROOT)))
def test_every_relative_link_leads_somewhere(page: Path) -> None:
    text = FENCE.sub("", page.read_text(encoding="utf-8"))
    for target in LINK.findall(text):
        if not re.match(r"[a-z]+:", target):
            name, _, anchor = target.partition("#")
            other = (page.parent / name).resolve() if name else page
            assert other.exists(), f"{page.name}: {target}"
            assert not anchor or anchor in anchors(other), f"{page.name}: {target}"


def anchors(page: Path) -> set[str]:
    """What the headings of a page are called in links."""
    titles = re.findall(r"^#+ (.+)$", FENCE.sub("", page.read_text(encoding="utf-8")), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}


@pytest.mark.parametrize("page", ["README.md", "docs/index.md"])
def test_the_version_is_that_of_the_package(page: str) -> None:
    text = (services.ROOT / page).read_text(encoding="utf-8")
    assert re.findall(r"[Vv]ersion (\d[\w.]*\w)", text) == [django_neardup.__version__]


def test_every_page_is_in_the_index() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    linked = {(DOCS / target.partition("#")[0]).resolve() for target in LINK.findall(index)}
    assert {page for page in DOCS.rglob("*.md") if page.name != "index.md"} <= linked
