"""Code run in a fresh interpreter."""

from __future__ import annotations

import os
import subprocess
import sys

from tests.services import ROOT


def run(code: str, **environment: str) -> None:
    """Run code in a fresh interpreter without settings. Fail with the end of its error output."""
    inherited = {name: value for name, value in os.environ.items() if name != "DJANGO_SETTINGS_MODULE"}
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=ROOT,
        env={**inherited, "PYTHONPATH": str(ROOT), **environment},
        capture_output=True,
        text=True,
        timeout=120,
    )
    assert done.returncode == 0, done.stderr[-2000:]
