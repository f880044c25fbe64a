"""Throw-away databases of the example project, each filled and read by a process of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.digest.records import Section, read

ROOT = Path(__file__).resolve().parents[2]
EXAMPLE = ROOT / "example_project"


def scenario_sections(scenario: str, secret: str) -> list[Section]:
    """Run a scenario on an SQLite file in a temporary folder and return its records.

    Raise CalledProcessError if the process fails. Its errors are on standard error.
    """
    with TemporaryDirectory(prefix="neardup-digest-") as folder:
        output = Path(folder, "records")
        command = [sys.executable, "-m", "tools.digest.populate", scenario, secret, os.fspath(output)]
        subprocess.run(
            command, cwd=ROOT, env=environment(Path(folder)), stdout=subprocess.DEVNULL, check=True
        )
        return read(output)


def environment(folder: Path) -> dict[str, str]:
    """Return the environment of the example project with its database in that folder and no Redis."""
    kept = {name: value for name, value in os.environ.items() if name != "REDIS_URL"}
    return {
        **kept,
        "DJANGO_SETTINGS_MODULE": "config.settings",
        "DATABASE_URL": f"sqlite:///{Path(folder, 'db.sqlite3').as_posix()}",
        "PYTHONPATH": os.pathsep.join(map(os.fspath, (ROOT, EXAMPLE))),
        "PYTHONUTF8": "1",
        # Workers share what they know of words among the temporary files. What another version left there would
        # hide a change.
        "TMPDIR": os.fspath(folder),
    }
