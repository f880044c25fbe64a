"""A Django of our own: the suite's models on private databases, started when a row first asks for one."""

from __future__ import annotations

from functools import cache
from pathlib import Path
from typing import Any

from tests import services

APPS = [
    "django.contrib.contenttypes",
    "django.contrib.auth",
    "django_neardup",
    "tests.testapp",
]


class Durable(services.PostgreSQL):
    """The suite's PostgreSQL as a site runs it: a commit is on the disk before it is answered."""

    name = "durable"

    def command(self) -> list[str]:
        asked = ("fsync=on", "synchronous_commit=on", "full_page_writes=on")
        return [*super().command(), *(part for setting in asked for part in ("-c", setting))]


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
        DATABASES={"default": _sqlite("default")},
        MIGRATION_MODULES=MIGRATION_MODULES,
        DEFAULT_AUTO_FIELD="django.db.models.BigAutoField",
        NEARDUP={"default": {"BACKEND": None}},
    )
    django.setup()


@cache
def database(name: str) -> str:
    """The alias of a migrated database: "sqlite", "postgresql" or "durable".

    ``MissingServiceError`` where its server is not installed."""
    from django.core.management import call_command
    from django.db import connections

    described = _sqlite(name) if name == "sqlite" else _postgresql(name)
    connections.settings[name] = connections.configure_settings({"default": {}, name: described})[name]
    call_command("migrate", database=name, verbosity=0)
    return name


def _sqlite(name: str) -> dict[str, Any]:
    """A file with the write-ahead log, as docs/guide/operations.md advises."""
    path = Path(services.shared_directory()) / f"benchmarks-{name}.sqlite3"
    pragmas = "PRAGMA journal_mode=WAL; PRAGMA synchronous=NORMAL"
    options = {"transaction_mode": "IMMEDIATE", "init_command": pragmas}
    return {"ENGINE": "django.db.backends.sqlite3", "NAME": str(path), "OPTIONS": options}


def _postgresql(name: str) -> dict[str, Any]:
    server = _durable() if name == "durable" else services.shared("postgresql")
    return {
        "ENGINE": "django.db.backends.postgresql",
        "NAME": "postgres",
        "HOST": server["host"],
        "PORT": str(server["port"]),
        "USER": server["user"],
        "PASSWORD": server["password"],
    }


@cache
def _durable() -> dict[str, Any]:
    service = Durable()
    service.start()
    return service.parameters
