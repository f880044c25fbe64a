"""What the migration makes of the two tables, and where STORAGE is refused."""

import pytest
from django.core.exceptions import ImproperlyConfigured
from django.core.management import call_command
from django.db import connection

from django_neardup.index import keys as storage
from django_neardup.index.key_table import unsupported_reason
from django_neardup.models import Key, KeyArray

KEY, ARRAYS = Key._meta.db_table, KeyArray._meta.db_table


def described(table):
    with connection.cursor() as cursor:
        columns = connection.introspection.get_table_description(cursor, table)
        constraints = connection.introspection.get_constraints(cursor, table).values()
    return {column.name: column.null_ok for column in columns}, constraints


@pytest.mark.django_db
def test_the_pair_is_the_whole_row_and_the_primary_key():
    columns, constraints = described(KEY)
    assert columns == {"key": False, "document": False}
    assert [each["columns"] for each in constraints if each["columns"]] == [["key", "document"]]


@pytest.mark.django_db
@pytest.mark.engines("sqlite")
def test_sqlite_keeps_no_rowid():
    with connection.cursor() as cursor:
        cursor.execute("SELECT name, wr FROM pragma_table_list WHERE name IN (%s, %s)", [KEY, ARRAYS])
        assert dict(cursor.fetchall()) == {KEY: 1, ARRAYS: 0}


@pytest.mark.django_db
@pytest.mark.engines("postgresql")
def test_arrays_are_found_by_their_keys():
    _, constraints = described(ARRAYS)
    assert [each["type"] for each in constraints if each["columns"] == ["keys"]] == ["gin"]


@pytest.mark.django_db
def test_the_models_are_the_schema():
    call_command("makemigrations", "neardup", check=True, dry_run=True, verbosity=0)


@pytest.mark.django_db
@pytest.mark.engines("sqlite", "mariadb")
def test_arrays_are_refused_where_there_are_none(settings):
    settings.NEARDUP = {"default": {"STORAGE": "array"}}
    with pytest.raises(ImproperlyConfigured, match="Database 'default': STORAGE \"array\" needs PostgreSQL"):
        storage.read_buckets("default", [1], cap=1)


@pytest.mark.django_db
def test_a_storage_of_any_type_is_refused(settings):
    settings.NEARDUP = {"default": {"STORAGE": ["rows"]}}
    with pytest.raises(ImproperlyConfigured, match="STORAGE is \\['rows'\\]"):
        storage.read_buckets("default", [1], cap=1)


@pytest.mark.parametrize(
    ("vendor", "way", "says"),
    [
        ("oracle", "rows", "neither PostgreSQL, MariaDB, MySQL nor SQLite"),
        ("postgresql", "list", "STORAGE is 'list'"),
        ("mysql", "array", "this is mysql"),
        ("postgresql", "array", ""), ("sqlite", "rows", ""), ("mysql", "rows", ""),
    ],
)  # fmt: skip
def test_what_a_database_refuses(vendor, way, says):
    assert says in unsupported_reason(vendor, way)
    assert bool(unsupported_reason(vendor, way)) is bool(says)


@pytest.mark.django_db
def test_tables_are_dumped(capsys):
    call_command("dumpdata", "neardup.KeyArray", "neardup.Key")
    assert capsys.readouterr().out == "[]"


@pytest.mark.django_db
@pytest.mark.engines("postgresql")
def test_arrays_survive_a_dump_and_a_load(tmp_path):
    KeyArray.objects.create(document=7, keys=[-(2**63), 5])
    path = tmp_path / "dump.json"
    call_command("dumpdata", "neardup.KeyArray", output=str(path), verbosity=0)
    KeyArray.objects.all().delete()
    call_command("loaddata", str(path), verbosity=0)
    assert KeyArray.objects.get(document=7).keys == [-(2**63), 5]
