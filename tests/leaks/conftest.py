"""What each visitor is answered on a small site, without hidden posts and with some."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest

from tests import services
from tests.databases import engine
from tests.example.conftest import PROJECT, environment

SECONDS = 600


@pytest.fixture(scope="session")
def seen(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], dict[str, Any]]:
    """What the stage says in that state: "alone", "older" or "newer"; each is made once."""
    found: dict[str, dict[str, Any]] = {}

    def look(state: str) -> dict[str, Any]:
        if state not in found:
            folder = tmp_path_factory.mktemp("leaks")
            with database(folder / "db.sqlite3") as url:
                found[state] = staged(url, state, folder / "answers.json")
        return found[state]

    return look


def staged(url: str, state: str, file: Path) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.leaks.stage", state, os.fspath(file)],
        cwd=PROJECT,
        env={**environment(url), "DEBUG": "0", "ALLOWED_HOSTS": "testserver"},
        capture_output=True,
        encoding="utf-8",
        timeout=SECONDS,
    )
    assert done.returncode == 0, done.stderr
    answer: dict[str, Any] = json.loads(file.read_text(encoding="utf-8"))
    return answer


@contextmanager
def database(file: Path) -> Iterator[str]:
    """The URL of an empty database on the engine of this run."""
    if engine() == "sqlite":
        yield f"sqlite:///{file.as_posix()}"
        return
    server = services.shared(engine())
    name = f"leaks_{uuid4().hex}"  # the suite's other processes use the same server
    scheme = {"postgresql": "postgres", "mariadb": "mysql"}[engine()]
    order(server, f"CREATE DATABASE {name}")
    yield f"{scheme}://{server['user']}:{server['password']}@{server['host']}:{server['port']}/{name}"
    order(server, f"DROP DATABASE {name}")


def order(server: dict[str, Any], statement: str) -> None:
    """Have the server of this run do that."""
    account = {key: server[key] for key in ("host", "port", "user", "password")}
    if engine() == "postgresql":
        import psycopg

        with psycopg.connect(**account, dbname="postgres", autocommit=True) as connection:
            connection.execute(statement)
        return
    import pymysql

    with pymysql.connect(**account) as connection, connection.cursor() as cursor:
        cursor.execute(statement)
