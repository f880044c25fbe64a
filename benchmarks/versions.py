"""Two versions of the app, each in a process of its own: a commit's, and that of this tree."""

from __future__ import annotations

import io
import json
import os
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any

from benchmarks.figures import NotMeasured
from tests.services import ROOT

CHILD = Path(__file__).with_name("version_child.py")


class Version:
    """A running version. ``name``: the commit, or "" for this tree."""

    def __init__(self, name: str, tree: Path) -> None:
        self.name, self.tree = name, tree
        # A child must not import the package of this tree, nor share its databases.
        given = {name: value for name, value in os.environ.items() if name != "NEARDUP_TEST_DIRECTORY"}
        self._process = subprocess.Popen(
            [sys.executable, str(CHILD)],
            cwd=tree,
            env={**given, "PYTHONPATH": str(tree)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )

    def ask(self, name: str, **arguments: Any) -> Any:
        """Return the answer of the child to a request of ``version_child``. RuntimeError if the child fails."""
        assert self._process.stdin and self._process.stdout
        print(json.dumps([name, arguments]), file=self._process.stdin, flush=True)
        line = self._process.stdout.readline()
        if not line:
            raise RuntimeError(f"version {self.name or 'of this tree'} failed at {name!r}: see above")
        return json.loads(line)

    def end(self) -> None:
        assert self._process.stdin
        self._process.stdin.close()
        self._process.wait()


@contextmanager
def two_versions(commit: str) -> Iterator[tuple[Version, Version]]:
    """Give the version of a commit and that of this tree. ``commit`` may be any name that git knows."""
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="neardup-version-")))
        name = _unpack(commit, folder)
        versions = Version(name, folder), Version("", ROOT)
        for version in versions:
            stack.callback(version.end)
        yield versions


def _unpack(commit: str, folder: Path) -> str:
    """Write the files of a commit to a folder. Return its short name. NotMeasured if git does not have it."""
    try:
        name = _git("rev-parse", "--short=9", f"{commit}^{{commit}}").decode().strip()
        archive = _git("archive", name)
    except (OSError, subprocess.CalledProcessError) as error:
        said = getattr(error, "stderr", b"") or str(error).encode()
        raise NotMeasured(
            f"git has no version {commit!r} to compare with: {said.decode().strip()}"
        ) from error
    with tarfile.open(fileobj=io.BytesIO(archive)) as files:
        files.extractall(folder, filter="data")
    return name


def _git(*arguments: str) -> bytes:
    return subprocess.run(["git", *arguments], cwd=ROOT, check=True, capture_output=True).stdout
