"""The example as its visitors meet it: its own settings, its own database, a running server."""

from __future__ import annotations

import os
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.example.browser import Browser

ROOT = Path(__file__).resolve().parents[2]
PROJECT = ROOT / "example_project"
START_SECONDS = 60


def environment(database: Path | str) -> dict[str, str]:
    """The environment of the example's processes on that file or URL, without what this suite or a developer set."""
    own = (
        "DJANGO_SETTINGS_MODULE",
        "REDIS_URL",
        "DEBUG",
        "DEMO",
        "ALLOWED_HOSTS",
        "SECRET_KEY",
        "HOST",
        "PORT",
        "SITE_ADDRESS",
    )
    kept = {name: value for name, value in os.environ.items() if name not in own}
    path = os.pathsep.join(filter(None, [os.fspath(ROOT), os.environ.get("PYTHONPATH", "")]))
    url = database if isinstance(database, str) else f"sqlite:///{database.as_posix()}"
    kept |= {"DATABASE_URL": url, "PYTHONPATH": path, "PYTHONUTF8": "1"}
    return {**kept, "DJANGO_SETTINGS_MODULE": "config.settings"}


def free_port() -> int:
    with closing(socket.socket()) as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def wait_for(port: int, process: subprocess.Popen[str]) -> None:
    end = time.monotonic() + START_SECONDS
    while process.poll() is None and time.monotonic() < end:
        try:
            socket.create_connection(("127.0.0.1", port), 1).close()
        except OSError:
            time.sleep(0.1)
        else:
            return
    raise AssertionError(f"nothing answers on port {port}")


@dataclass(frozen=True)
class Site:
    """The example with its content in a database of its own, not indexed, served on ``address``."""

    database: Path
    address: str

    def manage(self, *arguments: str, **variables: str) -> str:
        """Output of a management command."""
        return manage(self.database, *arguments, **variables)

    def value(self, query: str, *parameters: object) -> int:
        """The first value of the first row of a query on the database."""
        with closing(sqlite3.connect(self.database)) as connection:
            return int(connection.execute(query, parameters).fetchone()[0])

    def browser(self, language: str = "ru") -> Browser:
        return Browser(self.address, language)


def manage(database: Path, *arguments: str, **variables: str) -> str:
    done = subprocess.run(
        [sys.executable, "manage.py", *arguments],
        cwd=PROJECT,
        env={**environment(database), **variables},
        capture_output=True,
        encoding="utf-8",
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


@contextmanager
def served(database: Path, **variables: str) -> Iterator[Site]:
    """The example on that database, served until the block ends. ``variables``: of its environment."""
    port = free_port()
    server = subprocess.Popen(
        [sys.executable, "manage.py", "runserver", "--noreload", f"127.0.0.1:{port}"],
        cwd=PROJECT,
        env={**environment(database), **variables},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    try:
        wait_for(port, server)
        yield Site(database, f"http://127.0.0.1:{port}")
    finally:
        server.terminate()
        server.wait(30)


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    database = tmp_path_factory.mktemp("example") / "db.sqlite3"
    manage(database, "migrate", "--verbosity", "0")
    manage(database, "load_example")
    with served(database) as running:
        yield running


@pytest.fixture(scope="session")
def indexed(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Site]:
    """The example as it is loaded, indexed and served. No test adds anything to it."""
    database = tmp_path_factory.mktemp("indexed") / "db.sqlite3"
    manage(database, "migrate", "--verbosity", "0")
    manage(database, "load_example")
    manage(database, "neardup_index")
    with served(database) as running:
        yield running


@pytest.fixture
def browser(site: Site) -> Browser:
    return site.browser()
