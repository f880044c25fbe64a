"""Deletes the rows of the whole site, to load the content again while server and worker run."""

from __future__ import annotations

from django.apps import apps
from django.core.management.color import no_style
from django.db import connection

from board.models import Ad

KEPT = {
    "contenttypes.contenttype", "auth.permission", "neardup.scheme", "neardup.space", "neardup.keyindexstate",
    "site_search.searchchange", "site_search.searchcounter",
}  # fmt: skip
"""Running processes and search indexes remember the numbers of these rows."""


def empty() -> None:
    """Delete all other rows. Numbers go on, so that no process takes a new row for an old one."""
    if apps.is_installed("site_search"):
        Ad.objects.all().delete()  # its receivers note what leaves the index of the search
    kept = {model._meta.db_table for model in apps.get_models() if model._meta.label_lower in KEPT}
    tables = connection.introspection.django_table_names(only_existing=True, include_views=False)
    statements = connection.ops.sql_flush(no_style(), sorted(set(tables) - kept))
    connection.ops.execute_sql_flush(statements)
