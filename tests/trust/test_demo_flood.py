"""The demo withstands a flood of drafts: its form and its typing check still show the victim's advert to a thief."""

import json
import os
import subprocess
import sys

import pytest

from tests.example.conftest import PROJECT, environment

SECONDS = 300


def answers_of(folder, *options):
    """What the thief is shown. See ``tests.trust.demo_flood``."""
    file = folder / "answers.json"
    done = subprocess.run(
        [sys.executable, "-m", "tests.trust.demo_flood", os.fspath(file), *options],
        cwd=PROJECT,
        env={**environment(folder / "db.sqlite3"), "DEBUG": "0", "ALLOWED_HOSTS": "testserver"},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    return json.loads(file.read_text(encoding="utf-8"))


@pytest.mark.slow
def test_the_victim_is_shown_behind_a_flood_of_drafts(tmp_path):
    answers = answers_of(tmp_path)
    assert answers["drafts"] == 100
    assert answers["victim"] in answers["typing"]
    assert answers["victim"] in answers["form"] and answers["adverts"] == 101


@pytest.mark.slow
def test_control_without_the_defences_the_copy_is_published(tmp_path):
    answers = answers_of(tmp_path, "--undefended")
    assert answers["drafts"] == 100
    assert answers["typing"] == [] and answers["adverts"] == 102
