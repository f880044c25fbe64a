"""The documentation as a site: it builds without a warning, and a dead link or a missing picture fails it."""

from __future__ import annotations

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from tests.documents import DOCS
from tests.services import ROOT

PROJECT = (
    "django_neardup/__init__.py",
    "CHANGELOG.md",
    "CONTRIBUTING.md",
    "SECURITY.md",
    "example_project/README.md",
)
"""What the site reads beside its pages."""


def build(root: Path, target: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = [
        sys.executable,
        "-m",
        "sphinx",
        "-W",
        "--keep-going",
        "-q",
        "-c",
        "docs",
        "-d",
        target / "trees",
    ]
    return subprocess.run([*command, *options, ".", target], cwd=root, capture_output=True, text=True)


@pytest.mark.long
@pytest.mark.parametrize(
    ("options", "page", "switch"),
    [
        ((), "docs/guide/for-moderators.html", "../../ru/docs/ru/guide/for-moderators.html"),
        (
            ("-t", "russian", "-D", "language=ru"),
            "docs/ru/guide/for-moderators.html",
            "/docs/guide/for-moderators.html",
        ),
    ],
    ids=["English", "Russian"],
)
def test_the_site_builds_without_a_warning(
    options: tuple[str, ...], page: str, switch: str, tmp_path: Path
) -> None:
    done = build(ROOT, tmp_path, *options)
    assert done.returncode == 0, done.stderr
    assert switch in (tmp_path / page).read_text(encoding="utf-8")
    assert "quarantin" in (tmp_path / "searchindex.js").read_text(encoding="utf-8")
    assert (tmp_path / "index.html").exists()


def write_site(root: Path, **pages: str) -> None:
    """Write a small site with the settings of ours: pages below docs/ by their names without ``.md``."""
    for name in PROJECT:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text('__version__ = "1"\n' if name.endswith(".py") else "# Page\n")
    for folder in ("_static", "_templates", "locale"):
        shutil.copytree(DOCS / folder, root / "docs" / folder)
    shutil.copy(DOCS / "conf.py", root / "docs")
    for name, text in pages.items():
        path = root / "docs" / f"{name}.md"
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("[a page](guide/page.md), [its part](guide/page.md#a-part)", ""),
        ("[a page](guide/nothing.md)", "nothing.md"),
        ("[a page](guide/page.md#another-part)", "another-part"),
        ("[a page](guide/page.md) ![a picture](nothing.png)", "nothing.png"),
        ("No link leads to the other page.", "guide/page.md"),
    ],
    ids=["good", "dead link", "dead anchor", "missing picture", "page without a link"],
)
def test_what_leads_nowhere_fails_the_build(text: str, complaint: str, tmp_path: Path) -> None:
    first = f"# The first page\n\n## To do\n\n{text}\n"
    write_site(tmp_path, **{"index": first, "guide/page": "# Another page\n\n## A part\n"})
    done = build(tmp_path, tmp_path / "build")
    assert (done.returncode != 0) == bool(complaint), done.stderr
    assert complaint in done.stderr
