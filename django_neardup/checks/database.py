"""Checks that ask a database. Django runs them for ``check --database`` and ``migrate``.

Missing tables and missing workers are also told at the start of ``runserver`` and of our own commands.
"""

from __future__ import annotations

import json
import pkgutil
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from django.apps import apps
from django.core.checks import CheckMessage
from django.core.exceptions import ImproperlyConfigured
from django.db import DatabaseError, connections, router
from django.db.migrations.recorder import MigrationRecorder
from django.db.models import Model

from .. import migrations
from ..adapters import registered
from ..conf import Profile, get_profile
from ..models import Document, Scheme
from ..models.fields import DatabaseClock
from ..pipeline.readiness import lacking, unready_kinds
from ..pipeline.schemes import chosen_secret, described
from ..pipeline.work import pending
from ..signatures.registry import UnknownAlgorithm
from .table import problem

Check = Callable[[str], Iterator[CheckMessage]]
CRON = "every minute from cron python manage.py neardup_worker --once."
WORKERS = {
    "rq": f"Run python manage.py rqworker {{queue}}, and {CRON}",
    "tasks": f"Run the worker of your TASKS backend, and {CRON}",
    "inline": f"Run {CRON}",
    None: f"Run python manage.py neardup_worker, or {CRON}",
}


def check_tables(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return of_each(databases, _tables, "runserver", "neardup_")


def check_waiting(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return of_each(databases, _waiting, "runserver")


def check_schemes(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return of_each(databases, _schemes)


def check_transactions(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return of_each(databases, _transactions)


def check_statistics(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return of_each(databases, _statistics)


def homes() -> set[str]:
    """The databases where the objects of registered models are written, and that of our own tables."""
    models: list[type[Model]] = [*registered(), Document]
    found = {router.db_for_write(model) for model in models}
    return {alias for alias in found if router.allow_migrate_model(alias, Document)}


def _tables(alias: str) -> Iterator[CheckMessage]:
    why = outdated(alias)
    if why and _command() != "migrate":
        yield problem("W104", f"Database {alias!r}: {why}.", _how_to_update(alias))


def _waiting(alias: str) -> Iterator[CheckMessage]:
    profile = _profile("default")
    if profile is None or outdated(alias):
        return
    late = DatabaseClock() - int(profile.late_seconds * 1000)
    waiting = pending(alias, without=unready_kinds(alias))  # of which check_statistics speaks
    if any(rows.filter(leased_until__gt=DatabaseClock()).exists() for rows in waiting):
        return
    count = sum(rows.filter(pending_since__lt=late).count() for rows in waiting)
    if count:
        hint = WORKERS.get(profile.backend, WORKERS[None]).format(queue=profile.queue)
        yield problem(
            "W105",
            f"Database {alias!r}: {count} posts or groups have waited for more than "
            f"{profile.late_seconds:g} seconds, and no worker is at it.",
            hint,
        )


def _schemes(alias: str) -> Iterator[CheckMessage]:
    if outdated(alias):
        return
    for name in sorted({adapter.profile for adapter in registered().values()}):
        schemes = Scheme.objects.using(alias).filter(profile=name, state=Scheme.State.ACTIVE)
        active, profile = schemes.order_by("-generation").first(), _profile(name)
        unlike = _unlike(active, profile, alias) if active is not None and profile is not None else []
        if unlike:
            yield problem(
                "W106",
                f"Database {alias!r}: NEARDUP[{name!r}] is unlike the active scheme in "
                f"{', '.join(unlike)}; the scheme goes on as it is.",
                "Run python manage.py neardup_index --rebuild to build a new one, or set NEARDUP back.",
            )


def _transactions(alias: str) -> Iterator[CheckMessage]:
    connection = connections[alias]
    mode = connection.settings_dict.get("OPTIONS", {}).get("transaction_mode") or ""
    if connection.vendor == "sqlite" and str(mode).upper() not in ("IMMEDIATE", "EXCLUSIVE"):
        yield problem(
            "W107",
            f"Database {alias!r} is SQLite, whose transactions begin without the write lock.",
            "While a worker writes, a request that reads before it writes can fail with "
            '"database is locked": set "OPTIONS": {"transaction_mode": "IMMEDIATE"}.',
        )


def _statistics(alias: str) -> Iterator[CheckMessage]:
    if outdated(alias):
        return
    for name in sorted(lacking(alias)):
        yield problem(
            "W108",
            f"Database {alias!r}: the algorithm of NEARDUP[{name!r}] needs statistics of the posts, and there "
            "are none; its posts wait.",
            f"Run python manage.py neardup_index --database {alias}: it gathers them first. Add --rebuild where there "
            "were some and they are lost.",
        )


def of_each(databases: Sequence[str] | None, check: Check, *commands: str) -> list[CheckMessage]:
    """What a check says of every database that holds our tables and is to be asked.

    Without ``databases`` Django has not allowed queries: then those, at the start of these commands alone.
    """
    if databases is None:
        databases = sorted(homes()) if _command().startswith(commands) else []
    return [message for alias in databases if alias in homes() for message in _asked(check, alias)]


def _asked(check: Check, alias: str) -> list[CheckMessage]:
    try:
        return list(check(alias))
    except DatabaseError:
        return []  # Django itself says, at the first query, that the database does not answer


def outdated(alias: str) -> str:
    """What is missing in that database, in words; empty where nothing is."""
    connection = connections[alias]
    present = set(connection.introspection.table_names())
    models = apps.get_app_config("neardup").get_models()
    missing = sorted({model._meta.db_table for model in models if model._meta.managed} - present)
    if missing:
        return f"tables of neardup are missing ({', '.join(missing[:3])}{', …' if missing[3:] else ''})"
    applied, waiting = _migrations(alias)
    return f"migrations of neardup are not applied ({', '.join(waiting)})" if applied and waiting else ""


def _migrations(alias: str) -> tuple[set[str], list[str]]:
    """Our migrations that are applied in that database, and those that are not, in order."""
    rows = MigrationRecorder(connections[alias]).applied_migrations()
    applied = {name for app, name in rows if app == "neardup"}
    return applied, sorted({module.name for module in pkgutil.iter_modules(migrations.__path__)} - applied)


def _how_to_update(alias: str) -> str:
    """The command that makes the tables; more where migrate finds nothing to do, as they are of an older 0001."""
    applied, waiting = _migrations(alias)
    if waiting or not applied:
        return f"Run python manage.py migrate --database {alias}."
    return (
        "The tables are of an earlier form of the first migration, and migrate finds nothing to do. Drop them and "
        "build them anew (decisions and journals are lost): "
        f"python manage.py migrate neardup zero --database {alias}, "
        f"then python manage.py migrate --database {alias} and neardup_index."
    )


def _unlike(active: Scheme, profile: Profile, using: str) -> list[str]:
    """The columns in which the settings ask for another scheme. Newer statistics are no matter of the settings."""
    try:
        wanted = described(profile, using)
    except (ImproperlyConfigured, UnknownAlgorithm, TypeError, ValueError, AttributeError):
        return []
    wanted.pop("synonyms")
    unlike = [name for name, value in wanted.items() if _plain(value) != _plain(getattr(active, name))]
    synonyms = [each.get("synonyms") for each in (wanted["parameters"], active.parameters)]
    return (
        unlike
        + (["synonyms"] if synonyms[0] != synonyms[1] else [])
        + (["secret"] if chosen_secret(profile) not in ("", active.secret) else [])
    )


def _plain(value: Any) -> str:
    """A column's value, written so that two compare; of parameters those that are the algorithm's own."""
    if isinstance(value, dict):
        value = {name: each for name, each in value.items() if name not in ("statistics", "synonyms")}
    return json.dumps(value, sort_keys=True, default=str)


def _profile(alias: str) -> Profile | None:
    """The profile; None where NEARDUP is not as it should be, of which other checks speak."""
    try:
        return get_profile(alias)
    except (ImproperlyConfigured, TypeError, AttributeError):
        return None


def _command() -> str:
    return sys.argv[1] if len(sys.argv) > 1 else ""
