"""The benchmarks run: tiny counts, and nothing asserted of any time."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from benchmarks.figures import Figure
from benchmarks.report import as_json, table
from tests import services


def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    kept = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    return subprocess.run(
        [sys.executable, "-m", "benchmarks", "--rounds", "1", "--saves", "2", *arguments],
        cwd=services.ROOT, env=kept | environment, capture_output=True, text=True, timeout=300,
    )  # fmt: skip


def measured(path: Path, *arguments: str, **environment: str) -> dict[str, Any]:
    done = run("--output", str(path), *arguments, **environment)
    assert done.returncode in (0, 1), done.stderr
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def test_the_rows_that_need_no_server(tmp_path: Path) -> None:
    found = measured(tmp_path / "figures.json", "--rows", "save-sqlite,statements")
    assert {"python", "django"} <= found["versions"].keys()
    assert [row["row"] for row in found["rows"]] == ["save-sqlite"] * 4 + ["statements"] * 3
    assert {row["name"]: row["value"] for row in found["rows"][4:]} == {
        "new post, in a transaction": 3,
        "new post, autocommit": 1,
        "view counter, update_fields": 0,
    }


@pytest.mark.postgresql
def test_the_row_on_postgresql(tmp_path: Path, postgresql: services.Service) -> None:
    server = json.dumps(postgresql.parameters)
    found = measured(tmp_path / "figures.json", "--rows", "save", NEARDUP_TEST_POSTGRESQL=server)
    assert [row["unit"] for row in found["rows"]] == ["ms"] * 4
    assert all(isinstance(row["met"], bool) for row in found["rows"])


def test_help_names_every_row() -> None:
    done = run("--help")
    assert done.returncode == 0
    for name in ("save", "save-durable", "save-sqlite", "statements"):
        assert f"  {name}: " in done.stdout


@pytest.mark.parametrize("arguments", [("--rows", "nonsense"), ("--rows", ","), ("--rounds", "0")])
def test_wrong_options_are_refused(arguments: tuple[str, ...]) -> None:
    done = run(*arguments)
    assert done.returncode == 2
    assert "error:" in done.stderr


@pytest.mark.parametrize(
    ("must", "value", "met", "word"),
    [
        ("<= 1.0", 1.0, True, "met"),
        ("<= 1.0", 1.1, False, "MISSED"),
        (">= 10", 20.0, True, "stretch"),
        (">= 10", 9.0, False, "MISSED"),
        (None, 9.0, None, "9 x"),
    ],
)
def test_bounds(must: str | None, value: float, met: bool | None, word: str) -> None:
    figure = Figure("figure", value, "x", must, ">= 15" if must and must.startswith(">") else None)
    assert figure.met is met
    assert table([("row", figure)]).splitlines()[1].endswith(word)
    assert as_json([("row", figure)])["rows"][0]["met"] is met
