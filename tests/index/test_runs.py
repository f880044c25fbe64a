"""The key table many documents at a time."""

import contextlib
from collections import defaultdict
from itertools import count
from random import Random

import numpy as np
import pytest
from django.db import DatabaseError, OperationalError, connection
from django.test.utils import CaptureQueriesContext

from django_neardup.db.key_tables import mysql_keys, postgresql_keys, sqlite_keys
from django_neardup.db.key_tables.postgresql_keys import SELECT_INVALID_INDEXES
from django_neardup.index import key_arrays
from django_neardup.index import keys as storage
from django_neardup.models import Key
from tests.databases import engine

SIZES = [1, 30, 700]


def documents(count, seed=1):
    """Pairs of a key and a document: keys of their own, some shared with others, a few that half of all have."""
    chance = Random(seed)
    common = [chance.randrange(-(2**63), 2**63) for _ in range(3)]
    shared = [chance.randrange(-(2**63), 2**63) for _ in range(count)]
    for document in range(1, count + 1):
        own = [chance.randrange(-(2**63), 2**63) for _ in range(3)]
        for key in {*own, *chance.sample(shared, min(4, count)), *common[: chance.randrange(4)]}:
            yield key, document


def columns(pairs):
    return [np.array(each, np.int64) for each in zip(*pairs)]


def expected(pairs, asked, cap):
    """For every place of ``asked`` the newest documents of the key, by brute force."""
    owners = defaultdict(list)
    for key, document in pairs:
        owners[key].append(document)
    return sorted(
        (place, document) for place, key in enumerate(asked) for document in sorted(owners[key])[-cap:]
    )


@pytest.mark.parametrize("fresh", [True, False])
@pytest.mark.parametrize("count", SIZES)
def test_a_run_is_added_whatever_is_there(stored, count, fresh):
    pairs = sorted(documents(count))
    storage.replace_keys("default", pairs[0][1], (), [pairs[0][0]])
    for _ in range(2):
        storage.add_run("default", *columns(Random(2).sample(pairs, len(pairs))), assume_new=fresh)
        assert stored() == pairs


@pytest.mark.parametrize("count", SIZES)
def test_a_run_of_none_but_new_pairs(stored, count):
    pairs = sorted(documents(count))
    for half in (pairs[::2], pairs[1::2]):
        if half:
            storage.add_run("default", *columns(half), assume_new=True)
    assert stored() == pairs


@pytest.mark.engines("postgresql")
def test_a_new_run_is_copied(db):
    pairs = sorted(documents(300))
    with CaptureQueriesContext(connection) as queries:
        storage.add_run("default", *columns(pairs), assume_new=True)
    said = [query["sql"].strip().split()[0] for query in queries]
    assert "COPY" in said and "INSERT" not in said
    storage.add_run("default", *columns(pairs), assume_new=True)
    assert sorted(Key.objects.values_list("key", "document")) == pairs


def test_a_pair_given_twice_is_one(stored):
    for fresh in (False, True):
        storage.add_run("default", [5] * 900, [7] * 900, assume_new=fresh)
        assert stored() == [(5, 7)]


@pytest.mark.parametrize("count", SIZES)
def test_a_run_is_removed_and_no_more(stored, count):
    pairs = sorted(documents(count))
    storage.add_run("default", *columns(pairs))
    gone = pairs[::2]
    for _ in range(2):
        storage.remove_run("default", *columns([*gone, (-1, 1)]))
        assert stored() == pairs[1::2]


def test_an_empty_run_and_empty_questions(stored, django_assert_num_queries):
    with django_assert_num_queries(0):
        storage.add_run("default", [], [])
        storage.remove_run("default", [], [])
        place, document = storage.read_buckets("default", [], cap=64)
    assert (len(place), len(document), place.dtype, document.dtype) == (0, 0, np.int64, np.int64)
    place, document = storage.read_buckets("default", [5], cap=64)
    assert (len(place), len(document)) == (0, 0)


@pytest.mark.django_db(transaction=True)
def test_a_run_is_added_as_a_whole_or_not_at_all(stored, monkeypatch):
    """A run is cut off between its statements: nothing of it is there."""
    monkeypatch.setattr(sqlite_keys, "PAIRS_PER_BATCH", 10)
    for module in (postgresql_keys, mysql_keys):
        monkeypatch.setattr(module, "PAIRS_PER_STATEMENT", 10)
    statements = count()

    def cut(execute, *arguments):
        if next(statements) > 2:
            raise OperationalError("cut off")
        return execute(*arguments)

    with pytest.raises(OperationalError), connection.execute_wrapper(cut):
        storage.add_run("default", *columns(sorted(documents(30))))
    assert stored() == []


@pytest.mark.parametrize("cap", [1, 5, 1000])
@pytest.mark.parametrize("count", SIZES)
def test_buckets_of_many_documents(stored, count, cap):
    pairs = sorted(documents(count))
    storage.add_run("default", *columns(pairs))
    asked = [*[key for key, _ in Random(3).sample(pairs, len(pairs))][:900], 17, pairs[0][0], 17]
    place, document = storage.read_buckets("default", np.array(asked), cap)
    assert sorted(zip(place.tolist(), document.tolist())) == expected(pairs, asked, cap)
    assert (np.diff(place) >= 0).all()


def test_unsigned_keys_are_the_signed_ones(stored):
    keys = np.array([2**64 - 1, 2**63, 5], np.uint64)
    storage.add_run("default", keys, [1, 2, 3])
    assert stored() == [(-(2**63), 2), (-1, 1), (5, 3)]
    place, document = storage.read_buckets("default", keys, cap=1)
    assert (place.tolist(), document.tolist()) == ([0, 1, 2], [1, 2, 3])


def test_few_statements_for_many_documents(stored, django_assert_max_num_queries):
    pairs = sorted(documents(100))
    with django_assert_max_num_queries(3):
        storage.add_run("default", *columns(pairs))
    with django_assert_max_num_queries(len(pairs) // 100 + 1 if engine() == "mariadb" else 1):
        storage.read_buckets("default", columns(pairs)[0], cap=64)


def test_full_buckets_are_told():
    assert storage.full_buckets(np.array([0, 0, 2, 2, 2, 5]), 2).tolist() == [0, 2]
    assert storage.full_buckets(np.array([], np.int64), 2).tolist() == []


@pytest.mark.parametrize("count", [0, *SIZES])
def test_a_run_goes_by_key_and_document(count):
    pairs = list(documents(count))
    Random(4).shuffle(pairs)
    keys, owners = key_arrays.sort_pairs(*(columns(pairs) or ([], [])))
    assert list(zip(keys.tolist(), owners.tolist())) == sorted(pairs)


@pytest.mark.parametrize(("keys", "owners"), [([1, 2], [1]), ([[1]], [[1]])])
def test_lengths_must_agree(keys, owners):
    with pytest.raises(ValueError, match="documents"):
        key_arrays.sort_pairs(keys, owners)


@pytest.mark.engines("postgresql", "mariadb")
@pytest.mark.django_db(transaction=True)
def test_a_table_that_runs_have_filled_is_packed():
    from benchmarks.keytables import settle, size_of

    chance = np.random.default_rng(1)
    keys = chance.integers(-(2**63), 2**63, (8, 20_000))
    for number, run in enumerate(keys, 1):
        storage.add_run("default", run, np.full(len(run), number), assume_new=True)
    settle("default")
    loose = size_of("default", "neardup_key")
    storage.compact("default")
    settle("default")
    assert Key.objects.count() == keys.size
    assert size_of("default", "neardup_key") < loose * (0.95 if connection.vendor == "postgresql" else 0.85)


@pytest.mark.engines("postgresql")
@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("looked_at", ["neardup_document", "neardup_key"])
def test_nothing_half_built_is_left_unsaid(looked_at):
    """Somebody's long transaction keeps the table from being packed; where it has looked at it, from being tidied."""
    other = connection.copy()
    with contextlib.closing(other), other.cursor() as cursor:
        other.set_autocommit(False)
        cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ")
        cursor.execute(f"SELECT count(*) FROM {looked_at}")
        with connection.cursor() as own:
            own.execute("SET lock_timeout = 300")
            with pytest.raises(DatabaseError) as raised:
                storage.compact("default")
            other.rollback()
            own.execute(SELECT_INVALID_INDEXES)
            left = own.fetchall()
            storage.compact("default")
            own.execute(SELECT_INVALID_INDEXES)
            assert not own.fetchall()
            own.execute("RESET lock_timeout")
    told = f'until: DROP INDEX CONCURRENTLY IF EXISTS "{left[0][0]}"' if left else "lock timeout"
    assert told in str(raised.value) and bool(left) == (looked_at == "neardup_key")
