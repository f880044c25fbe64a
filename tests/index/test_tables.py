"""The key table that the migration creates, and databases that cannot have one."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection

from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.index import read_buckets
from django_neardup.models import Key

TABLE = Key._meta.db_table


@pytest.mark.django_db
def test_the_pair_is_the_whole_row_and_the_primary_key():
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, TABLE)
        constraints = connection.introspection.get_constraints(cursor, TABLE).values()
    assert {column.name: column.null_ok for column in columns} == {"key": False, "document": False}
    assert [constraint["columns"] for constraint in constraints if constraint["columns"]] == [
        ["key", "document"]
    ]


@pytest.mark.django_db
@pytest.mark.engines("sqlite")
def test_sqlite_keeps_no_rowid():
    with connection.cursor() as cursor:
        cursor.execute("SELECT wr FROM pragma_table_list WHERE name = %s", [TABLE])
        assert cursor.fetchall() == [(1,)]


@pytest.mark.django_db
def test_the_models_are_the_schema():
    call_command("makemigrations", "neardup", check=True, dry_run=True, verbosity=0)


def test_an_unsupported_database_is_refused(monkeypatch):
    monkeypatch.setattr(connection, "vendor", "oracle")
    monkeypatch.setattr(connection, "display_name", "Oracle")
    with pytest.raises(ImproperlyConfigured, match="Database 'default': keys cannot be stored on Oracle"):
        read_buckets("default", [1], BucketLimit(0, 1))


@pytest.mark.django_db
def test_the_table_is_dumped(capsys):
    call_command("dumpdata", "neardup.Key")
    assert capsys.readouterr().out == "[]"
