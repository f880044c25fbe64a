"""The key table of each database: its statements, their number, and how it is packed."""

import contextlib
from itertools import count

import numpy as np
import pytest
from django.db import DatabaseError, OperationalError, connection
from django.test.utils import CaptureQueriesContext

from django_neardup.db.backends import mysql, postgresql, sqlite
from django_neardup.index import add_run, compact, read_buckets, remove_run, replace_keys
from django_neardup.models import Key
from tests.databases import engine
from tests.index.contract import LIMIT, columns, sample_pairs


@pytest.fixture
def stored(db):
    """Return a function that lists the rows of the table, sorted."""
    return lambda: sorted(Key.objects.values_list("key", "document"))


def test_only_what_differs_is_written(stored, django_assert_num_queries):
    replace_keys("default", 7, (), [3, -5])
    with django_assert_num_queries(2):
        replace_keys("default", 7, [3, -5], [3, 4])
    with django_assert_num_queries(0):
        replace_keys("default", 7, [3], [3])
    assert stored() == [(3, 7), (4, 7)]


def test_empty_input_needs_no_statement(db, django_assert_num_queries):
    with django_assert_num_queries(0):
        add_run("default", [], [])
        remove_run("default", [], [])
        read_buckets("default", [], LIMIT)


def test_few_statements_serve_many_documents(stored, django_assert_max_num_queries):
    pairs = sample_pairs(100)
    with django_assert_max_num_queries(3):
        add_run("default", *columns(pairs))
    # Full buckets take a second statement.
    with django_assert_max_num_queries(len(pairs) // 100 + 2 if engine() == "mariadb" else 2):
        read_buckets("default", columns(pairs)[0], LIMIT)
    assert stored() == pairs


def test_a_long_text_is_looked_up_in_few_statements(db, django_assert_num_queries):
    replace_keys("default", 1, (), range(250))
    with django_assert_num_queries(3 if engine() == "mariadb" else 1):
        assert len(read_buckets("default", range(250), LIMIT)[1]) == 250


@pytest.mark.django_db(transaction=True)
def test_a_run_that_fails_between_its_statements_leaves_nothing(stored, monkeypatch):
    monkeypatch.setattr(sqlite, "PAIRS_PER_BATCH", 10)
    for module in (postgresql, mysql):
        monkeypatch.setattr(module, "PAIRS_PER_STATEMENT", 10)
    statements = count()

    def fail_third(execute, *arguments):
        if next(statements) > 2:
            raise OperationalError("failed")
        return execute(*arguments)

    with pytest.raises(OperationalError), connection.execute_wrapper(fail_third):
        add_run("default", *columns(sample_pairs(30)))
    assert stored() == []


@pytest.mark.engines("postgresql")
def test_a_new_run_is_copied(stored):
    pairs = sample_pairs(300)
    with CaptureQueriesContext(connection) as queries:
        add_run("default", *columns(pairs), assume_new=True)
    verbs = [query["sql"].split()[0] for query in queries]
    assert "COPY" in verbs and "INSERT" not in verbs
    add_run("default", *columns(pairs), assume_new=True)
    assert stored() == pairs


@pytest.mark.engines("mariadb")
@pytest.mark.parametrize("removed", [1, 2, 50])
def test_keys_are_removed_without_reading_the_whole_table(stored, removed):
    add_run("default", range(5000), [1] * 5000)
    with CaptureQueriesContext(connection) as queries:
        replace_keys("default", 1, range(removed), ())
        remove_run("default", range(100, 100 + removed), [1] * removed)
    deletes = [query["sql"] for query in queries if "DELETE" in query["sql"]]
    assert len(deletes) == 2 and len(stored()) == 5000 - 2 * removed
    with connection.cursor() as cursor:
        for delete in deletes:
            cursor.execute(f"EXPLAIN {delete}")
            assert cursor.fetchone()[3] == "range"


@pytest.mark.engines("postgresql", "mariadb")
@pytest.mark.django_db(transaction=True)
def test_a_table_that_runs_have_filled_is_packed():
    from benchmarks.keytables import settle, size_of

    random = np.random.default_rng(1)
    keys = random.integers(-(2**63), 2**63, (8, 20_000))
    for number, run in enumerate(keys, 1):
        add_run("default", run, np.full(len(run), number), assume_new=True)
    settle("default")
    loose = size_of("default", "neardup_key")
    compact("default")
    settle("default")
    assert Key.objects.count() == keys.size
    assert size_of("default", "neardup_key") < loose * (0.95 if connection.vendor == "postgresql" else 0.85)


@pytest.mark.engines("postgresql")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("read_table", ["neardup_document", "neardup_key"])
def test_an_error_names_an_index_that_is_left_half_built(read_table):
    """A long transaction prevents the packing. If it has read the key table, also the clean-up after it."""
    other = connection.copy()
    with contextlib.closing(other), other.cursor() as cursor:
        other.set_autocommit(False)
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute(f"SELECT count(*) FROM {read_table}")
        with connection.cursor() as own:
            own.execute("SET lock_timeout = 300")
            with pytest.raises(DatabaseError) as raised:
                compact("default")
            other.rollback()
            own.execute(postgresql.SELECT_INVALID_INDEXES)
            invalid = own.fetchall()
            compact("default")
            own.execute(postgresql.SELECT_INVALID_INDEXES)
            assert not own.fetchall()
            own.execute("RESET lock_timeout")
    message = f'until: DROP INDEX CONCURRENTLY IF EXISTS "{invalid[0][0]}"' if invalid else "lock timeout"
    assert message in str(raised.value) and bool(invalid) == (read_table == "neardup_key")
