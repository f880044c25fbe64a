"""The key table one document at a time: what is added, removed and found."""

from collections import Counter

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from django_neardup.index import keys as storage
from tests.databases import engine

LOWEST, HIGHEST = -(2**63), 2**63 - 1


def shared(keys, cap):
    """How many of those keys each document has."""
    return Counter(storage.read_buckets("default", keys, cap)[1].tolist())


def test_replace_writes_only_what_differs(stored, django_assert_num_queries):
    storage.replace_keys("default", 7, (), [3, -5, HIGHEST, LOWEST])
    assert stored() == [(LOWEST, 7), (-5, 7), (3, 7), (HIGHEST, 7)]
    with django_assert_num_queries(2):
        storage.replace_keys("default", 7, [3, -5, HIGHEST, LOWEST], [3, 4, HIGHEST, LOWEST])
    with django_assert_num_queries(0):
        storage.replace_keys("default", 7, [3], [3])
    assert stored() == [(LOWEST, 7), (3, 7), (4, 7), (HIGHEST, 7)]


def test_a_document_keeps_its_keys_when_another_loses_them(stored):
    for document in (7, 8):
        storage.replace_keys("default", document, (), [1, 2])
    storage.replace_keys("default", 7, [1, 2], ())
    assert stored() == [(1, 8), (2, 8)]


def test_keys_of_another_scheme_stay(stored):
    storage.replace_keys("default", 7, (), [1, 2])
    storage.replace_keys("default", 7, (), [3])
    storage.replace_keys("default", 7, [1, 2], ())
    assert stored() == [(3, 7)]


def test_adding_and_removing_twice_changes_nothing(stored):
    for _ in range(2):
        storage.replace_keys("default", 7, (), [1])
    assert stored() == [(1, 7)]
    for _ in range(2):
        storage.replace_keys("default", 7, [1], ())
    assert stored() == []


def test_documents_that_share_keys_are_found(stored, django_assert_num_queries):
    for document, keys in {1: [10, 20, LOWEST], 2: [20, LOWEST], 3: [40]}.items():
        storage.replace_keys("default", document, (), keys)
    with django_assert_num_queries(1):
        assert shared([10, 20, LOWEST, 50], cap=64) == {1: 3, 2: 2}
    with django_assert_num_queries(0):
        assert shared([], cap=64) == {}


def test_of_a_hot_bucket_only_the_newest_are_read(stored):
    for document in range(1, 101):
        storage.replace_keys("default", document, (), [5, 1000 + document])
    assert shared([5], cap=64) == dict.fromkeys(range(37, 101), 1)
    assert shared([5, 1100], cap=3) == {98: 1, 99: 1, 100: 2}


@pytest.mark.parametrize("documents", [3, 4, 5])
def test_at_the_cap_every_way_of_asking_finds_the_same(stored, documents):
    """Two keys of three, four or five documents each, with a cap of four in a bucket and so of few rows at once."""
    for document in range(documents):
        storage.replace_keys("default", document, (), [7, 9])
    assert shared([7], cap=4) == dict.fromkeys(range(max(documents - 4, 0), documents), 1)
    assert shared([5, 7, 9], cap=4) == dict.fromkeys(range(max(documents - 4, 0), documents), 2)


def test_keys_as_unsigned_numbers_ascend_are_asked_for_as_they_are(stored):
    storage.replace_keys("default", 1, (), [3, -5])
    storage.replace_keys("default", 2, (), [-5])
    place, documents = storage.read_buckets("default", [3, 4, -5, -1], cap=4)
    assert sorted(zip(place.tolist(), documents.tolist())) == [(0, 1), (2, 1), (2, 2)]
    assert place.tolist() == sorted(place.tolist())


def test_long_texts_are_asked_for_in_few_statements(stored, django_assert_num_queries):
    storage.replace_keys("default", 1, (), range(250))
    with django_assert_num_queries(3 if engine() == "mariadb" else 1):
        assert shared(range(250), cap=64) == {1: 250}


@pytest.mark.parametrize("count", [1, 6000])
def test_texts_of_any_length_are_stored(stored, count):
    storage.replace_keys("default", 1, (), range(count))
    assert stored() == [(key, 1) for key in range(count)]
    storage.replace_keys("default", 1, range(count), [5])
    assert stored() == [(5, 1)]


def test_keys_travel_as_bytes_and_as_signed_numbers():
    assert list(storage.unpack_keys(storage.pack_keys([5, -7, HIGHEST]))) == [-7, 5, HIGHEST]
    assert [storage.to_signed(key) for key in (2**64 - 1, 2**63, 5)] == [-1, LOWEST, 5]


@pytest.mark.engines("mariadb")
@pytest.mark.parametrize("count", [1, 2, 50])
def test_keys_are_removed_without_reading_the_whole_table(stored, count):
    storage.add_run("default", range(5000), [1] * 5000)
    with CaptureQueriesContext(connection) as asked:
        storage.replace_keys("default", 1, range(count), ())
        storage.remove_run("default", range(100, 100 + count), [1] * count)
    deletes = [each["sql"] for each in asked if "DELETE" in each["sql"]]
    assert len(deletes) == 2 and len(stored()) == 5000 - 2 * count
    with connection.cursor() as cursor:
        for delete in deletes:
            cursor.execute(f"EXPLAIN {delete}")
            assert cursor.fetchone()[3] == "range"
