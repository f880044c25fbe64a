"""Pages of documentation, and a reader who does what a page says in an empty directory."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import time
import urllib.error
import urllib.request
from html import unescape
from pathlib import Path
from typing import NamedTuple

import pytest

from tests import services

DOCS = services.ROOT / "docs"
README = services.ROOT / "README.md"
ADDRESS = "http://127.0.0.1:8000"
APPENDED = ", at the end"
"""After a file's name: the block is added to the file that is there."""
FENCE = re.compile(r"^```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
SESSION = """
import doctest, json, sys
import django

django.setup()
answers, sys.stdout = sys.stdout, sys.stderr
names = {}
for number, line in enumerate(sys.stdin):
    problems = []
    example = doctest.DocTestParser().get_doctest(json.loads(line), names, f"block {number + 1}", None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE)
    runner.run(example, out=problems.append, clear_globs=False)
    names = example.globs
    print(json.dumps("".join(problems)), file=answers, flush=True)
"""
"""Runs the examples of one block after another, in one process with the project's settings."""


class Block(NamedTuple):
    """A fenced block: its language and its text."""

    language: str
    text: str

    @property
    def first(self) -> str:
        return self.text.splitlines()[0]

    @property
    def rest(self) -> list[str]:
        return [line for line in self.text.splitlines()[1:] if line.strip()]

    @property
    def file(self) -> str:
        """The file that the first line names. An empty text if it names none."""
        match = re.fullmatch(r"(?:# |\{# |--- )([\w./-]+\.\w+(?:, at the end)?)(?: #\})?", self.first)
        return match[1] if match else ""


def blocks(page: Path) -> list[Block]:
    return [Block(*found) for found in FENCE.findall(page.read_text(encoding="utf-8"))]


class Reader:
    """A person who does what a page says, in a directory.

    - ``sh`` blocks are run, and a ``text`` block is compared with what the last one has printed.
    - ``python`` and ``html`` blocks that begin with a file's name are written to it.
    - ``diff`` blocks change a file: the lines with ``-`` must be there, one after the other.
    - ``text`` blocks that begin with an address are compared with that page.
    - ``pycon`` blocks are run as examples, all in one session of the project.
    - ``console`` blocks, and ``django`` blocks that name no file, are left out.
    """

    def __init__(self, home: Path) -> None:
        self.home = home
        self.printed = ""
        self.port = services.free_port()
        self.server: subprocess.Popen[bytes] | None = None
        self.session: subprocess.Popen[str] | None = None
        path = os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]])
        kept = {
            name: value for name, value in os.environ.items() if not name.startswith(("DJANGO_", "NEARDUP_"))
        }
        self.environment = kept | {
            "PATH": path,
            "PYTHONPATH": os.pathsep.join([os.fspath(services.ROOT), os.fspath(home)]),
            "NO_COLOR": "1",
        }

    def follow(self, block: Block) -> None:
        if block.language == "sh":
            self.run(block.text)
        elif block.language in ("python", "html") or (block.language == "django" and block.file):
            self.write(block)
        elif block.language == "diff":
            self.change(block)
        elif block.language == "pycon":
            self.try_examples(block.text)
        elif block.language == "text" and block.first.startswith(ADDRESS):
            in_order(block.rest, self.open(block.first.removeprefix(ADDRESS)))
        elif block.language == "text":
            in_order(block.text.splitlines(), self.printed)
        else:
            assert block.language in ("console", "django"), (
                f"what is a reader to do with a block of {block.language}?"
            )

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
        self.printed = done.stdout + done.stderr

    def write(self, block: Block) -> None:
        assert block.file, f"a reader does not know where this goes:\n{block.text}"
        path = self.home / block.file.removesuffix(APPENDED)
        path.parent.mkdir(parents=True, exist_ok=True)
        before = path.read_text(encoding="utf-8") if block.file.endswith(APPENDED) else ""
        path.write_text(f"{before}\n{block.text}" if before else block.text, encoding="utf-8")

    def change(self, block: Block) -> None:
        path, lines = self.home / block.file, block.text.splitlines(keepends=True)[1:]
        before = "".join(line[1:] for line in lines if line[0] in "- ")
        after = "".join(line[1:] for line in lines if line[0] in "+ ")
        text = path.read_text(encoding="utf-8")
        assert text.count(before) == 1, f"{block.file} does not have these lines once:\n{before}"
        path.write_text(text.replace(before, after), encoding="utf-8")

    def try_examples(self, text: str) -> None:
        if self.session is None:
            settings = {"DJANGO_SETTINGS_MODULE": "mysite.settings"}
            with (self.home / "session.log").open("wb") as log:
                self.session = subprocess.Popen(
                    [sys.executable, "-c", SESSION],
                    cwd=self.home,
                    env=self.environment | settings,
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=log,
                    text=True,
                )
        assert self.session.stdin and self.session.stdout
        self.session.stdin.write(json.dumps(text) + "\n")
        self.session.stdin.flush()
        answer = self.session.stdout.readline()
        assert answer, (self.home / "session.log").read_text(encoding="utf-8")
        assert not (problems := json.loads(answer)), problems

    def open(self, path: str) -> str:
        """Return the text of that page, without tags, line by line."""
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
        """Stop the web server and the session."""
        for process in (self.server, self.session):
            if process is not None:
                process.kill()
                process.wait()
        if self.session is not None and self.session.stdin and self.session.stdout:
            self.session.stdin.close()
            self.session.stdout.close()
        self.server = self.session = None


def as_read(page: str) -> str:
    """Return the words of a page without tags, line by line."""
    return "\n".join(" ".join(unescape(re.sub(r"<[^>]*>", "", line)).split()) for line in page.splitlines())


def in_order(lines: list[str], text: str) -> None:
    """Require each of the lines in the text, as a line of its own, after the one before."""
    position, read = 0, [line.strip() for line in text.splitlines()]
    for line in (line.strip() for line in lines if line.strip()):
        assert line in read[position:], f"{line!r} is not there (any more):\n{text}"
        position = read.index(line, position) + 1
