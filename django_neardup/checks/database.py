"""Checks that query a database. Django runs them for ``check --database`` and ``migrate``.

Missing tables and missing workers are also reported when ``runserver`` starts. Missing tables are reported
before the commands of this app too.
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
from django.db.models import Model, Q

from .. import migrations
from ..adapters import registered_adapters
from ..algorithms.registry import UnknownAlgorithm
from ..conf import DISABLED, Profile, SiteSettings, get_profile, get_site_settings, is_enabled
from ..db.backends import get_backend
from ..exceptions import SecretMissing
from ..models import Document, Scheme
from ..models.fields import DatabaseClock
from ..pipeline.hash_secrets import configured_secret, is_of_settings, secret_of
from ..pipeline.leases import is_leased
from ..pipeline.missing_statistics import profiles_lacking_statistics, unready_content_types
from ..pipeline.schemes import scheme_columns
from ..pipeline.stale_pairs import stale_pairs
from ..pipeline.worker import pending_rows
from .messages import check_message

DatabaseCheck = Callable[[str], Iterator[CheckMessage]]
CRON_HINT = "python manage.py neardup_worker --once every minute from cron."
WORKER_HINTS = {
    "rq": f"Run python manage.py rqworker {{queue}}, and {CRON_HINT}",
    "tasks": f"Run the worker of your TASKS backend, and {CRON_HINT}",
    "inline": f"Run {CRON_HINT}",
    None: f"Run python manage.py neardup_worker, or {CRON_HINT}",
}


def check_tables(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _table_messages, "runserver", "neardup_")


def check_pending_work(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _pending_work_messages, "runserver")


def check_schemes(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _scheme_messages)


def check_transactions(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _transaction_messages)


def check_statistics(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _statistics_messages)


def check_judge(databases: Sequence[str] | None = None, **kwargs: Any) -> list[CheckMessage]:
    return run_on_databases(databases, _judge_messages)


def used_databases() -> set[str]:
    """Return the aliases of databases to which registered models and the models of this app are written."""
    models: list[type[Model]] = [*registered_adapters(), Document]
    aliases = {router.db_for_write(model) for model in models}
    return {alias for alias in aliases if router.allow_migrate_model(alias, Document)}


def _table_messages(alias: str) -> Iterator[CheckMessage]:
    why = schema_problem(alias)
    if why and _command_name() != "migrate":
        yield check_message("W104", f"Database {alias!r}: {why}.", _migration_hint(alias))


def _pending_work_messages(alias: str) -> Iterator[CheckMessage]:
    site = _get_site_settings_or_none()
    if site is None or schema_problem(alias):
        return
    late_limit = DatabaseClock() - int(site.late_seconds * 1000)
    # ``check_statistics`` reports posts that wait for statistics.
    pending = pending_rows(alias, excluded_content_types=unready_content_types(alias))
    # A current lease proves that a worker is running.
    if any(rows.filter(is_leased()).exists() for rows in pending):
        return
    # In autocommit a worker also marks unmarked saves.
    unmarked = Q(pending_since=None, save_begun__lt=late_limit)
    count = sum(rows.filter(pending_since__lt=late_limit).count() for rows in pending)
    count += Document.objects.using(alias).filter(unmarked).count()
    if count:
        hint = WORKER_HINTS.get(site.backend, WORKER_HINTS[None]).format(queue=site.queue)
        if not is_enabled():
            hint = f"{DISABLED}. Set it to True or remove it, and restart the workers."
        yield check_message(
            "W105",
            f"Database {alias!r}: {count} posts or groups have been pending for more than "
            f"{site.late_seconds:g} seconds, and no worker processes them.",
            hint,
        )


def _scheme_messages(alias: str) -> Iterator[CheckMessage]:
    if schema_problem(alias):
        return
    for name in sorted({adapter.profile for adapter in registered_adapters().values()}):
        schemes = Scheme.objects.using(alias).filter(profile=name, state=Scheme.State.ACTIVE)
        active, profile = schemes.order_by("-generation").first(), _get_profile_or_none(name)
        if active is None:
            continue
        try:
            secret_of(active)
        except SecretMissing as error:
            yield check_message(
                "W118",
                f"Database {alias!r}: {error}",
                "Until then no posts are compared, and searches find nothing.",
            )
        changed = _changed_columns(active, profile, alias) if profile is not None else []
        if changed:
            yield check_message(
                "W106",
                f"Database {alias!r}: NEARDUP[{name!r}] differs from the active scheme in "
                f"{', '.join(changed)}. The active scheme stays in use.",
                "Run python manage.py neardup_index --rebuild to use the new settings, or restore the old ones.",
            )


def _transaction_messages(alias: str) -> Iterator[CheckMessage]:
    if get_backend(alias).needs_immediate_transactions():
        yield check_message(
            "W107",
            f"Database {alias!r} is SQLite, and its transactions start without the write lock.",
            'Set "OPTIONS": {"transaction_mode": "IMMEDIATE"}. Otherwise a request can fail with "database is locked" '
            "while a worker writes.",
        )


def _statistics_messages(alias: str) -> Iterator[CheckMessage]:
    if schema_problem(alias):
        return
    for name in sorted(profiles_lacking_statistics(alias)):
        yield check_message(
            "W108",
            f"Database {alias!r}: the algorithm of NEARDUP[{name!r}] needs statistics of the posts, but there "
            "are none. Its posts wait.",
            f"Run python manage.py neardup_index --database {alias}: it collects them first. Add --rebuild if "
            "statistics were lost.",
        )


def _judge_messages(alias: str) -> Iterator[CheckMessage]:
    if schema_problem(alias):
        return
    count = stale_pairs(alias).count()
    if count:
        yield check_message(
            "W111",
            f"Database {alias!r}: {count} pairs were judged by another version of the judge, or with "
            "other boilerplate.",
            f"Run python manage.py neardup_index --rejudge --database {alias}.",
        )


def run_on_databases(
    databases: Sequence[str] | None, check: DatabaseCheck, *commands: str
) -> list[CheckMessage]:
    """Run a check on every database that holds the tables of this app, and return its messages.

    If ``databases`` is None, Django does not allow queries. Then the check runs only if one of ``commands``
    is starting. An entry matches every command that begins with it.
    """
    if databases is None:
        databases = sorted(used_databases()) if _command_name().startswith(commands) else []
    return [
        message for alias in databases if alias in used_databases() for message in _run_check(check, alias)
    ]


def _run_check(check: DatabaseCheck, alias: str) -> list[CheckMessage]:
    try:
        return list(check(alias))
    except DatabaseError:
        # Django reports an unreachable database at the first query.
        return []


def schema_problem(alias: str) -> str:
    """Describe which tables or migrations that database lacks. Return an empty string if it is complete."""
    connection = connections[alias]
    table_names = set(connection.introspection.table_names())
    models = apps.get_app_config("neardup").get_models()
    missing = sorted({model._meta.db_table for model in models if model._meta.managed} - table_names)
    if missing:
        return f"tables of neardup are missing ({', '.join(missing[:3])}{', …' if missing[3:] else ''})"
    applied, unapplied = _neardup_migrations(alias)
    return f"migrations of neardup are not applied ({', '.join(unapplied)})" if applied and unapplied else ""


def _neardup_migrations(alias: str) -> tuple[set[str], list[str]]:
    """Return the applied migrations of this app in that database, and the sorted unapplied ones."""
    recorded = MigrationRecorder(connections[alias]).applied_migrations()
    applied = {name for app, name in recorded if app == "neardup"}
    return applied, sorted({module.name for module in pkgutil.iter_modules(migrations.__path__)} - applied)


def _migration_hint(alias: str) -> str:
    """Return the command that creates the tables."""
    applied, unapplied = _neardup_migrations(alias)
    if unapplied or not applied:
        return f"Run python manage.py migrate --database {alias}."
    # An older form of the first migration was applied here.
    return (
        "The tables were created by an earlier version of the first migration, so migrate finds nothing to do. "
        "Recreate them (decisions and journals are lost): "
        f"python manage.py migrate neardup zero --database {alias}, "
        f"then python manage.py migrate --database {alias} and neardup_index."
    )


def _changed_columns(scheme: Scheme, profile: Profile, using: str) -> list[str]:
    """Return the columns of the scheme that differ from the settings. Newer statistics do not count."""
    try:
        wanted = scheme_columns(profile, using)
    except (ImproperlyConfigured, UnknownAlgorithm, TypeError, ValueError, AttributeError):
        # Other checks report settings that make no scheme.
        return []
    # Synonyms are compared by their digest, which is among the parameters.
    wanted.pop("synonyms")
    changed = [
        name
        for name, value in wanted.items()
        if _comparable_value(value) != _comparable_value(getattr(scheme, name))
    ]
    synonyms = [parameters.get("synonyms") for parameters in (wanted["parameters"], scheme.parameters)]
    return (
        changed
        + (["synonyms"] if synonyms[0] != synonyms[1] else [])
        # Without a configured secret, the scheme keeps its random one.
        # Of a changed secret that only the settings had, ``SecretMissing`` tells.
        + (["secret"] if not is_of_settings(scheme) and configured_secret(profile) else [])
    )


def _comparable_value(value: Any) -> str:
    """Return the value of a column as text, for a comparison.

    Of the parameters, only the algorithm's own count.
    """
    if isinstance(value, dict):
        value = {
            name: parameter for name, parameter in value.items() if name not in ("statistics", "synonyms")
        }
    return json.dumps(value, sort_keys=True, default=str)


def _get_profile_or_none(alias: str) -> Profile | None:
    """Return the profile. Return None if NEARDUP is malformed; other checks report that."""
    try:
        return get_profile(alias)
    except (ImproperlyConfigured, TypeError, AttributeError):
        return None


def _get_site_settings_or_none() -> SiteSettings | None:
    """Return the settings of the site. Return None if NEARDUP is malformed; other checks report that."""
    try:
        return get_site_settings()
    except (ImproperlyConfigured, TypeError, AttributeError):
        return None


def _command_name() -> str:
    return sys.argv[1] if len(sys.argv) > 1 else ""
