"""Deletes the rows of the whole site, to load the content anew while server and worker run."""

from __future__ import annotations

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection

KEPT = (
    "contenttypes.ContentType", "auth.Permission", "neardup.Scheme", "neardup.Space", "neardup.KeyIndexState",
)  # fmt: skip
"""Running processes remember the numbers of these rows."""


def empty() -> None:
    """Delete all other rows. Numbers go on, so that no process takes a new row for an old one."""
    kept = {apps.get_model(label)._meta.db_table for label in KEPT}
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    statements = connection.ops.sql_flush(no_style(), sorted(set(tables) - kept))
    connection.ops.execute_sql_flush(statements)
