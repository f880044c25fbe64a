"""What people are told to install and to run, and what `make` runs for them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess

import pytest

from tests.services import ROOT

FOLDERS = ("django_neardup", "benchmarks", "docs", "example_project")
KINDS = {".py", ".md", ".html", ".po", ".txt"}
BY_NAME = re.compile(r"""pip install ["']?django-neardup""")


def told() -> dict[str, str]:
    """The texts that people read, by path."""
    within = [path for folder in FOLDERS for path in (ROOT / folder).rglob("*") if path.suffix in KINDS]
    return {os.fspath(path): path.read_text(encoding="utf-8") for path in [*ROOT.glob("*.md"), *within]}


def make(*arguments: str, **variables: str) -> str:
    """What make would run."""
    if not shutil.which("make"):
        pytest.skip("make is not installed")
    known = {name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL")}
    command = ["make", "-n", *arguments]
    return subprocess.run(
        command, cwd=ROOT, env={**known, **variables}, capture_output=True, text=True, check=True
    ).stdout


def test_nobody_is_told_to_install_a_name_that_is_not_ours():
    """On PyPI it is anybody's until the first release."""
    assert [path for path, text in told().items() if BY_NAME.search(text)] == []


@pytest.mark.parametrize("page", ["README.md", "docs/guide/operations.md"])
def test_static_files_are_not_forgotten(page):
    assert "`collectstatic`" in (ROOT / page).read_text(encoding="utf-8")


def test_the_demo_listens_where_its_own_line_says():
    around = {"HOST": "box.example.org", "PORT": "1"}
    assert 'HOST="127.0.0.1" PORT="8000"' in make("demo", **around)
    assert 'HOST="::1" PORT="8001"' in make("demo", "HOST=::1", "PORT=8001", **around)


def test_a_quick_bench_writes_no_page():
    assert "docs/" not in make("bench", "ROWS=1", "OPTIONS=--quick")
    assert "--json docs/benchmarks.json" in make("bench")
    assert "--merge" in make("bench", "ROWS=1")
