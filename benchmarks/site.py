"""A Django of our own: the suite's models on private databases, started when a row first asks for one."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any

from benchmarks.timing import on_cores, other_cores
from tests import services
from tests.opensearch_service import OpenSearch

APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django_neardup",
    "tests.testapp",
    "benchmarks.board",
]
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
ENGINES = ("sqlite", "postgresql", "mariadb")
PREPARED = {"server_side_binding": True, "prepare_threshold": 5}
"""Options of PostgreSQL as docs/guide/operations.md advises them where no pooler stands between."""

UNMAPPED = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"
MAPPED = f"{UNMAPPED}; PRAGMA mmap_size=2147418112"
"""What SQLite is told at the start of a connection, as docs/guide/operations.md advises; unmapped in processes whose
memory is measured: pages of a mapped file would count as theirs."""


class DurablePostgreSQL(services.PostgreSQL):
    """The suite's PostgreSQL as a site runs it: fsync at a commit, room for a large table."""

    def command(self) -> list[str]:
        asked = (
            "fsync=on", "synchronous_commit=on", "full_page_writes=on", "shared_buffers=1GB", "max_wal_size=4GB",
            "autovacuum=on", "work_mem=32MB", "maintenance_work_mem=256MB",
        )  # fmt: skip
        return [*super().command(), *(part for setting in asked for part in ("-c", setting))]


class DurableMariaDB(services.MariaDB):
    """The suite's MariaDB as a site runs it: the log is flushed at a commit, room for a large table."""

    def command(self) -> list[str]:
        asked = (
            "--innodb-flush-log-at-trx-commit=1", "--innodb-flush-method=fsync", "--innodb-doublewrite=1",
            "--debug-no-sync=0", "--innodb-buffer-pool-size=1G", "--innodb-log-file-size=512M",
        )  # fmt: skip
        return [*super().command(), *asked]


SERVERS: dict[str, type[services.Service]] = {
    "postgresql": DurablePostgreSQL,
    "mariadb": DurableMariaDB,
    "opensearch": OpenSearch,
}


def start() -> None:
    """Set Django up, once, without a database."""
    import django
    from django.conf import settings

    from tests.settings import MIGRATION_MODULES

    if settings.configured:
        return
    settings.configure(
        SECRET_KEY="benchmarks",
        USE_TZ=True,
        INSTALLED_APPS=APPS,
        TEMPLATES=TEMPLATES,
        ROOT_URLCONF="django_neardup.urls",
        DATABASES={"default": _sqlite("default")},
        MIGRATION_MODULES=MIGRATION_MODULES,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        # That of the processes which index the sites: this one signs texts like theirs.
        NEARDUP={"default": {"BACKEND": None, "SECRET": "benchmarks"}},
    )
    django.setup()


@cache
def database(engine: str, purpose: str = "site") -> str:
    """The alias of a migrated database, one for each purpose, which every row of the run shares.

    `engine`: "sqlite" (a file with the write-ahead log), "postgresql", "mariadb" (servers that flush a commit), or
    "unsafe", a PostgreSQL without fsync.  ``MissingServiceError`` where its server is not installed.
    """
    from django.core.management import call_command

    alias = empty_database(engine, purpose)
    call_command("migrate", database=alias, verbosity=0)
    return alias


def empty_database(engine: str, purpose: str) -> str:
    """The alias of a new database without tables."""
    from django.db import connections

    alias = f"{engine}_{purpose}"
    described = _sqlite(alias) if engine == "sqlite" else _on_server(engine, purpose)
    connections.settings[alias] = connections.configure_settings({"default": {}, alias: described})[alias]
    return alias


def copied(alias: str, purpose: str) -> str:
    """The alias of a copy of a PostgreSQL database, on the same server."""
    import psycopg
    from django.db import connections

    connections[alias].close()
    described = connections.settings[alias]
    name, other = f"{described['NAME']}_{purpose}", f"{alias}_{purpose}"
    asked = {key.lower(): described[key] for key in ("HOST", "PORT", "USER", "PASSWORD")}
    with psycopg.connect(dbname="postgres", autocommit=True, **asked) as connection:
        connection.execute(f'CREATE DATABASE "{name}" TEMPLATE "{described["NAME"]}"')
    connections.settings[other] = {**described, "NAME": name}
    return other


def unprepared(alias: str) -> str:
    """The alias of a second connection to a PostgreSQL database, which prepares nothing, as behind a pooler."""
    from django.db import connections

    other = f"{alias}_unprepared"
    connections.settings[other] = {**connections.settings[alias], "OPTIONS": {}}
    return other


def empty_file() -> Path:
    """A migrated SQLite file that nobody has open, to copy."""
    from django.db import connections

    alias = database("sqlite", "empty")
    connections[alias].close()
    return file_of(alias)


def attach(path: Path) -> str:
    """The alias of an SQLite file that is migrated already: another process's, or a copy."""
    from django.db import connections

    described = {**_sqlite(path.stem), "NAME": str(path)}
    connections.settings[path.stem] = connections.configure_settings({"default": {}, path.stem: described})[
        path.stem
    ]
    return path.stem


@cache
def server(name: str) -> services.Service:
    """The run's own "postgresql", "mariadb", "unsafe" (the suite's PostgreSQL), "redis" or "opensearch".

    It runs on the other cores."""
    kind = SERVERS.get(name) or services.KINDS["postgresql" if name == "unsafe" else name]
    service = kind()
    with on_cores(other_cores()):
        service.start()
    return service


def file_of(alias: str) -> Path:
    """The file of an SQLite database."""
    from django.db import connections

    return Path(str(connections[alias].settings_dict["NAME"]))


def _sqlite(name: str) -> dict[str, Any]:
    """As docs/guide/operations.md advises."""
    path = Path(services.shared_directory()) / f"benchmarks-{name}.sqlite3"
    options = {"transaction_mode": "IMMEDIATE", "init_command": MAPPED}
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": options}


def _on_server(engine: str, purpose: str) -> dict[str, Any]:
    """A new database of a server."""
    parameters, name = server(engine).parameters, f"neardup_{purpose}"
    {"mariadb": _create_mariadb}.get(engine, _create_postgresql)(parameters, name)
    described = {
        "NAME": name,
        "HOST": parameters["host"],
        "PORT": str(parameters["port"]),
        "USER": parameters["user"],
        "PASSWORD": parameters["password"],
    }
    if engine == "mariadb":
        return {"ENGINE": "django.db.backends.mysql", **described, "OPTIONS": {"charset": "utf8mb4"}}
    return {"ENGINE": "django.db.backends.postgresql", **described, "OPTIONS": PREPARED}


def _create_postgresql(parameters: dict[str, Any], name: str) -> None:
    import psycopg

    keys = ("host", "port", "user", "password")
    asked = {key: parameters[key] for key in keys}
    with psycopg.connect(dbname="postgres", autocommit=True, **asked) as connection:
        connection.execute(f'CREATE DATABASE "{name}"')


def _create_mariadb(parameters: dict[str, Any], name: str) -> None:
    import pymysql

    pymysql.install_as_MySQLdb()
    keys = ("host", "port", "user", "password")
    connection = pymysql.connect(**{key: parameters[key] for key in keys})
    try:
        connection.cursor().execute(f"CREATE DATABASE `{name}` CHARACTER SET utf8mb4")
    finally:
        connection.close()


@contextmanager
def unheard(label: str) -> Iterator[None]:
    """Saves of posts of that model tell nobody while the context lasts."""
    from django.apps import apps
    from django.db.models.signals import post_save, pre_save

    from django_neardup.pipeline.receivers import connect_model

    model = apps.get_model(label)
    for signal in (pre_save, post_save):
        if not signal.disconnect(sender=model, dispatch_uid=f"neardup.{model._meta.label}"):
            raise RuntimeError("the receiver was not connected: its dispatch_uid is another one")
    try:
        yield
    finally:
        connect_model(model)
