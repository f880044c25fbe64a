"""The key table: what is added, removed and found."""

import pytest

from django_neardup.models import Key
from django_neardup.storage import keys as storage

pytestmark = pytest.mark.django_db(databases=["default"])


def rows():
    return sorted(Key.objects.values_list("key", "document"))


def test_replace_writes_only_what_differs(django_assert_num_queries):
    storage.replace("default", 7, (), [3, -5, 2**63 - 1, -(2**63)])
    assert rows() == [(-(2**63), 7), (-5, 7), (3, 7), (2**63 - 1, 7)]
    with django_assert_num_queries(2):
        storage.replace("default", 7, [3, -5, 2**63 - 1, -(2**63)], [3, 4, 2**63 - 1, -(2**63)])
    with django_assert_num_queries(0):
        storage.replace("default", 7, [3], [3])
    assert (-5, 7) not in rows() and (4, 7) in rows()


def test_a_document_keeps_its_keys_when_another_loses_them():
    storage.replace("default", 7, (), [1, 2])
    storage.replace("default", 8, (), [1, 2])
    storage.replace("default", 7, [1, 2], ())
    assert rows() == [(1, 8), (2, 8)]


def test_adding_twice_changes_nothing():
    storage.replace("default", 7, (), [1])
    storage.replace("default", 7, (), [1])
    assert rows() == [(1, 7)]


def test_candidates_are_counted_by_shared_keys(django_assert_num_queries):
    for document, keys in {1: [10, 20, 30], 2: [20, 30], 3: [40]}.items():
        storage.replace("default", document, (), keys)
    with django_assert_num_queries(1):
        assert storage.candidates("default", [10, 20, 30, 50], cap=64) == {1: 3, 2: 2}


def test_of_a_hot_bucket_only_the_newest_are_read():
    for document in range(1, 101):
        storage.replace("default", document, (), [5])
    assert set(storage.candidates("default", [5], cap=64)) == set(range(37, 101))


def test_long_texts_are_asked_for_in_chunks(django_assert_num_queries):
    storage.replace("default", 1, (), range(250))
    with django_assert_num_queries(3):
        assert storage.candidates("default", range(250), cap=64) == {1: 250}


def test_keys_travel_as_bytes_and_as_signed_numbers():
    assert list(storage.unpack(storage.pack([5, -7, 2**63 - 1]))) == [-7, 5, 2**63 - 1]
    assert storage.signed(2**64 - 1) == -1 and storage.signed(2**63) == -(2**63) and storage.signed(5) == 5
