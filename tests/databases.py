"""The databases of the suite: two aliases on the engine that NEARDUP_TEST_DATABASE names, else on SQLite."""

from __future__ import annotations

import json
import os
from typing import Any

from tests import services

ENGINES = ("sqlite", "postgresql", "mariadb")
ALIASES = ("default", "other")


def engine() -> str:
    """The engine of this run."""
    chosen = os.environ.get("NEARDUP_TEST_DATABASE") or "sqlite"
    if chosen not in ENGINES:
        raise ValueError(f"NEARDUP_TEST_DATABASE={chosen}: it is one of {', '.join(ENGINES)}")
    return chosen


def databases() -> dict[str, dict[str, Any]]:
    """Django's DATABASES. The first process of the run that asks starts the server, the rest share it.

    A child process of a test finds the names of the test databases in NEARDUP_TEST_NAMES and works on those.
    """
    names = json.loads(os.environ.get("NEARDUP_TEST_NAMES", "{}"))
    described = {alias: _describe(alias) for alias in ALIASES}
    for alias, name in names.items():
        described[alias]["NAME"] = name
    return described


def _describe(alias: str) -> dict[str, Any]:
    if engine() == "sqlite":
        return _sqlite(alias)
    server = services.shared(engine())
    settings = {
        "NAME": f"neardup_{alias}", "HOST": server["host"], "PORT": str(server["port"]),
        "USER": server["user"], "PASSWORD": server["password"],
    }  # fmt: skip
    if engine() == "postgresql":
        return {"ENGINE": "django.db.backends.postgresql", **settings}
    _install_mysql_driver()
    return {"ENGINE": "django.db.backends.mysql", **settings, "OPTIONS": {"charset": "utf8mb4"}}


def _sqlite(alias: str) -> dict[str, Any]:
    """A file, not memory: the tests with threads and processes open it more than once."""
    path = str(services.shared_directory() / f"{alias}.sqlite3")
    options = {"timeout": 20, "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=OFF"}
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": path, "TEST": {"NAME": path}, "OPTIONS": options}


def _install_mysql_driver() -> None:
    """PyMySQL stands in where mysqlclient, which needs a compiler, is not installed."""
    try:
        import MySQLdb  # type: ignore[import-untyped]  # noqa: F401
    except ImportError:
        import pymysql  # type: ignore[import-untyped]

        pymysql.install_as_MySQLdb()
