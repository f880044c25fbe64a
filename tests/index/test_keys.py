"""Keys as numbers, as bytes and as arrays."""

import numpy as np
import pytest

from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.comparison.packed_keys import pack_keys, to_signed, unpack_keys
from django_neardup.index import full_buckets, key_arrays
from tests.index.contract import HIGHEST, LOWEST, SIZES, columns, sample_pairs, shuffled


def test_keys_are_packed_sorted():
    assert list(unpack_keys(pack_keys([5, -7, HIGHEST]))) == [-7, 5, HIGHEST]


def test_unsigned_keys_become_signed_ones():
    assert [to_signed(key) for key in (2**64 - 1, 2**63, 5)] == [-1, LOWEST, 5]


def test_full_buckets_have_as_many_documents_as_the_cap():
    assert full_buckets(np.array([0, 0, 2, 2, 2, 5]), BucketLimit(0, 2)).tolist() == [0, 2]
    assert full_buckets(np.array([], np.int64), BucketLimit(1, 1)).tolist() == []


@pytest.mark.parametrize("count", [0, *SIZES])
def test_pairs_are_sorted_by_key_and_document(count):
    pairs = sample_pairs(count)
    keys, documents = key_arrays.sort_pairs(*(columns(shuffled(pairs)) or ([], [])))
    assert list(zip(keys.tolist(), documents.tolist())) == pairs
