"""Keys as numbers, as bytes and as arrays."""

import numpy as np
import pytest

from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.comparison.packed_keys import LIVE_BIT, compared_key, pack_keys, to_signed, unpack_keys
from django_neardup.index import full_buckets, key_arrays
from django_neardup.models import Key
from django_neardup.pipeline import drain
from tests.index.contract import HIGHEST, LOWEST, SIZES, columns, sample_pairs, shuffled
from tests.pipeline.helpers import SOFA, SOFA_EDITED, document, pair, post


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


@pytest.mark.django_db(transaction=True)
class TestBucketsOfLivePosts:
    """Posts that visitors see share no bucket with others."""

    def keys_of(self, ad):
        return set(Key.objects.filter(document=document(ad).pk).values_list("key", flat=True))

    def test_the_lowest_bit_of_a_key_says_whether_its_post_is_live(self):
        shown, hidden = post(SOFA), post(SOFA, published=False)
        drain()
        live_keys, other_keys = self.keys_of(shown), self.keys_of(hidden)
        assert {key & LIVE_BIT for key in live_keys} == {LIVE_BIT}
        assert {key & LIVE_BIT for key in other_keys} == {0}
        assert {compared_key(key) for key in live_keys} == other_keys

    def test_publishing_and_hiding_moves_the_keys(self):
        ad = post(SOFA, published=False)
        drain()
        keys = [self.keys_of(ad)]
        for published in (True, False):
            ad.published = published
            ad.save()
            drain()
            keys.append(self.keys_of(ad))
            assert set(unpack_keys(document(ad).fingerprints.get().keys)) == keys[-1]
        assert keys[0] == keys[2] == {compared_key(key) for key in keys[1]} != keys[1]

    def test_a_remembered_deleted_post_leaves_the_buckets_of_live_ones(self, settings):
        settings.NEARDUP = {"default": {"MEMORY_DAYS": 30}}
        ad = post(SOFA)
        drain()
        stored, live_keys = document(ad), self.keys_of(ad)
        ad.delete()
        drain()
        keys = set(Key.objects.filter(document=stored.pk).values_list("key", flat=True))
        assert keys == {compared_key(key) for key in live_keys}
        assert keys == set(unpack_keys(stored.fingerprints.get().keys))

    def test_a_post_is_compared_with_hidden_ones_too(self):
        one, other = post(SOFA, published=False), post(SOFA_EDITED)
        drain()
        assert pair(one, other)
