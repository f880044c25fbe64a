"""Whether pages may ask this app: the switch ``NEARDUP_ENABLED``, and the tables of a database.

Everything that a visitor's page calls asks here before its first statement. If the answer is no, posts are shown as
if none were similar. A statement that fails would not do: on PostgreSQL it ends the transaction of the whole request.
"""

from __future__ import annotations

import logging
import time
from threading import Lock
from typing import Any

from django.apps import apps
from django.contrib.contenttypes.models import ContentType
from django.db import Error, connections
from django.db.models import Model
from django.db.models.signals import post_migrate

from ..conf import is_enabled
from ..db.backends import get_backend

logger = logging.getLogger(__name__)

RECHECK_SECONDS = 5.0
"""Seconds until tables that were not there are looked for again. A page costs no statement in between."""

_Key = tuple[str, str]
_complete: set[_Key] = set()
_next_checks: dict[_Key, float] = {}
"""Databases that lack something, with the time of the next look."""
_reported: set[_Key] = set()
_report_lock = Lock()


def is_active(using: str) -> bool:
    """Return whether posts of the database are grouped, compared and held.

    Return False if the app is switched off, or if the database lacks a table or a column.
    """
    return is_enabled() and has_current_tables(using)


def has_current_tables(using: str) -> bool:
    """Return whether the database has every table and column of this app.

    The answer True is kept for the life of the process, the answer False for ``RECHECK_SECONDS``. The first False is
    logged, with the command to run. Return True if the database does not answer: the caller's own statement then
    raises its error.
    """
    key = _cache_key(using)
    if key in _complete:
        return True
    if time.monotonic() < _next_checks.get(key, 0.0):
        return False
    try:
        missing = _find_missing(using)
    except Error:
        return True
    if not missing:
        _complete.add(key)
        return True
    _next_checks[key] = time.monotonic() + RECHECK_SECONDS
    _report_once(key, missing)
    return False


def forget_tables(using: str) -> None:
    """Look for the tables again at the next call, and report again if some are missing."""
    for key in [*_complete, *_next_checks, *_reported]:
        if key[0] == using:
            _complete.discard(key)
            _next_checks.pop(key, None)
            _reported.discard(key)


def _cache_key(using: str) -> _Key:
    # With django-tenants, an alias has the tables of one customer after another.
    return using, getattr(connections[using], "schema_name", None) or ""


def _find_missing(using: str) -> str:
    """Name a table or column that the database lacks. Return an empty string if it lacks none."""
    # Pages look up the content types of posts too.
    models: list[type[Model]] = [
        ContentType,
        *apps.get_app_config("neardup").get_models(include_auto_created=True),
    ]
    needed = {
        (model._meta.db_table, str(field.column))
        for model in models
        if model._meta.managed
        for field in model._meta.concrete_fields
    }
    present = get_backend(using).columns_of({table for table, _ in needed})
    missing = sorted(needed - present)
    if not missing:
        return ""
    table, column = missing[0]
    has_table = any(name == table for name, _ in present)
    return f"the column {table}.{column}" if has_table else f"the table {table}"


def _report_once(key: _Key, missing: str) -> None:
    with _report_lock:
        if key in _reported:
            return
        _reported.add(key)
    using = key[0]
    logger.error(
        "neardup: the database %r lacks %s. Posts are shown ungrouped and published unchecked, and some saved posts "
        "may not be marked as pending. Run python manage.py migrate --database %s, then python manage.py neardup_index "
        "--reconcile --database %s.",
        using, missing, using, using,
    )  # fmt: skip


def _on_post_migrate(*, using: str, plan: Any = None, **kwargs: Any) -> None:
    """Forget the tables if a migration ran. ``flush`` sends this signal too, without a plan, and keeps the tables."""
    if plan:
        forget_tables(using)


post_migrate.connect(_on_post_migrate, dispatch_uid="neardup.availability")
