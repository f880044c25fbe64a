"""The board's own search index on a real node: one result for each group, and exact totals.

The cases are in ``site_search_cases``, which one process runs with the settings of the example.
"""

from __future__ import annotations

import ast
import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.example.conftest import ROOT, environment

CASES = Path(__file__).with_name("site_search_cases.py")
HISTORIES = int(os.environ.get("HISTORIES", "20"))
RANDOM = "random_histories"
pytestmark = pytest.mark.opensearch


def case_names(decorator: str) -> list[str]:
    functions = [node for node in ast.parse(CASES.read_text()).body if isinstance(node, ast.FunctionDef)]
    return [node.name for node in functions if decorator in map(ast.unparse, node.decorator_list)]


def run_cases(node, database: Path, histories: int, steps: int, *arguments: str) -> dict[str, str]:
    """Run cases, and return their failures by name."""
    command = [
        sys.executable,
        "-m",
        "tests.example.site_search_cases",
        str(histories),
        str(steps),
        *arguments,
    ]
    done = subprocess.run(
        command,
        cwd=ROOT,
        env={**environment(database), "OPENSEARCH_URL": node.host},
        capture_output=True,
        encoding="utf-8",
        timeout=3600,
    )
    assert done.returncode == 0, done.stderr
    results = [json.loads(line) for line in done.stdout.splitlines()]
    return {result["case"]: result["failure"] for result in results}


@pytest.fixture(scope="module")
def failures(opensearch, tmp_path_factory) -> dict[str, str]:
    return run_cases(opensearch, tmp_path_factory.mktemp("search") / "db.sqlite3", 1, 12)


@pytest.mark.parametrize("name", [*case_names("case"), RANDOM])
def test_case(failures, name):
    assert failures[name] == "", failures[name]


@pytest.mark.long
def test_all_cases_and_many_histories(opensearch, tmp_path):
    found = run_cases(opensearch, tmp_path / "db.sqlite3", HISTORIES, 30, "all")
    assert {*found} == {*case_names("case"), *case_names("long_case"), RANDOM}
    assert not [failure for failure in found.values() if failure]
