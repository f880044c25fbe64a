"""The contract of a key index: every property that the pipeline relies on.

A subclass of ``IndexContract`` names an index by its dotted path. All tests go through the functions of
``django_neardup.index``, as the pipeline does.
"""

from collections import defaultdict
from random import Random

import numpy as np
import pytest
from django.db import transaction

from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.comparison.packed_keys import pack_keys, unpack_keys
from django_neardup.db.queries import fingerprints, key_changes
from django_neardup.index import DatabaseIndex, compact, frequent_keys, full_buckets, read_buckets
from django_neardup.index import keys as storage
from django_neardup.index.index_class import get_index
from django_neardup.models import Key

LOWEST, HIGHEST = -(2**63), 2**63 - 1
LIMIT = BucketLimit.of(64)
SIZES = [1, 30, 700]
"""Numbers of documents in a run."""


class Cancelled(Exception):
    """Ends a transaction of a test."""


def replace_keys(using, document, old, new):
    """Change the keys of a document and of its fingerprint in one transaction, as the pipeline does."""
    with transaction.atomic(using=using):
        storage.replace_keys(using, document, old, new)
        declare(using, {document: (set(old), set(new))})


def add_run(using, run, documents, **options):
    """Add pairs, and declare them."""
    with transaction.atomic(using=using):
        storage.add_run(using, run, documents, **options)
        declare(using, {document: (set(), owned) for document, owned in grouped(run, documents).items()})


def remove_run(using, run, documents):
    """Remove pairs, and declare the rest."""
    with transaction.atomic(using=using):
        storage.remove_run(using, run, documents)
        declare(using, {document: (owned, set()) for document, owned in grouped(run, documents).items()})


def grouped(run, documents):
    keys_by_document = defaultdict(set)
    for key, document in zip(np.asarray(run, np.int64).tolist(), documents, strict=True):
        keys_by_document[int(document)].add(key)
    return keys_by_document


def declare(using, changes):
    """Store fingerprints with the keys that documents have after a change: keys that are gone, and new ones."""
    rows = key_changes.declared_keys(using, changes)
    present = {document: {*unpack_keys(packed)} for document, packed in rows}
    fingerprints.write(
        using,
        [
            [document, 1, 1, "", "", 0, b"", pack_keys(present.get(document, set()) - gone | new), ""]
            for document, (gone, new) in changes.items()
        ],
    )


def stored_pairs(using="default"):
    """Return all pairs of an index, sorted. The interface lists none: only tests ask for them."""
    index = get_index(using)
    if hasattr(index, "stored_pairs"):
        return index.stored_pairs()
    if isinstance(index, DatabaseIndex):
        return sorted(Key.objects.using(using).values_list("key", "document"))
    return sorted(
        (key, document) for key, documents in index.documents_by_key.items() for document in documents
    )


def sample_pairs(count, seed=1):
    """Return pairs of ``count`` documents, sorted.

    A document has keys of its own, keys that some others have, and up to three that half of all have.
    """
    random = Random(seed)
    common, shared = ([random.randrange(LOWEST, 2**63) for _ in range(size)] for size in (3, count))
    return sorted(
        {
            (key, document)
            for document in range(1, count + 1)
            for key in (
                *(random.randrange(LOWEST, 2**63) for _ in range(3)),
                *random.sample(shared, min(4, count)),
                *common[: random.randrange(4)],
            )
        }
    )


def columns(pairs):
    """Return the keys and the documents of pairs as two arrays."""
    return [np.array(column, np.int64) for column in zip(*pairs)]


def shuffled(items, seed=2):
    items = list(items)
    return Random(seed).sample(items, len(items))


def buckets(keys, limit, using="default"):
    """Read buckets. Return the rows of position and document, sorted, after a look at their form."""
    positions, documents = read_buckets(using, keys, limit)
    assert (positions.dtype, documents.dtype) == (np.int64, np.int64)
    assert positions.ndim == documents.ndim == 1
    assert (np.diff(positions) >= 0).all()
    return sorted(zip(positions.tolist(), documents.tolist()))


def expected_buckets(pairs, keys, limit):
    """Return the same rows by brute force."""
    documents_by_key = defaultdict(list)
    for key, document in pairs:
        documents_by_key[key].append(document)
    return sorted(
        (position, document)
        for position, key in enumerate(keys)
        for rank, document in enumerate(sorted(documents_by_key[key]))
        if rank < limit.oldest or rank >= len(documents_by_key[key]) - limit.newest
    )


@pytest.mark.django_db(transaction=True)
class IndexContract:
    """Tests of one index class. They commit: an index may change at the commit only."""

    path: str

    @pytest.fixture(autouse=True)
    def _index(self, settings):
        settings.NEARDUP = {"default": {"BACKEND": None, "INDEX": self.path}}

    # One document

    def test_keys_of_a_document_are_replaced(self):
        replace_keys("default", 7, (), [3, -5, 8])
        assert stored_pairs() == [(-5, 7), (3, 7), (8, 7)]
        replace_keys("default", 7, [8, 3, -5], [4, 3])
        assert stored_pairs() == [(3, 7), (4, 7)]
        replace_keys("default", 7, [3, 4], [3, 4])
        assert stored_pairs() == [(3, 7), (4, 7)]

    def test_keys_are_all_signed_numbers_of_64_bits(self):
        extremes = [LOWEST, LOWEST + 1, -1, 0, 1, HIGHEST - 1, HIGHEST]
        replace_keys("default", 7, (), shuffled(extremes))
        add_run("default", extremes, [HIGHEST - 1] * len(extremes))
        assert stored_pairs() == [(key, document) for key in extremes for document in (7, HIGHEST - 1)]
        assert buckets(extremes, BucketLimit(0, 1)) == [
            (position, HIGHEST - 1) for position in range(len(extremes))
        ]
        remove_run("default", extremes, [HIGHEST - 1] * len(extremes))
        assert buckets(extremes, BucketLimit(0, 9)) == [(position, 7) for position in range(len(extremes))]
        replace_keys("default", 7, extremes, ())
        assert stored_pairs() == []

    def test_adding_and_removing_again_changes_nothing(self):
        for _ in range(2):
            replace_keys("default", 7, (), [1, 2])
        assert stored_pairs() == [(1, 7), (2, 7)]
        for _ in range(2):
            replace_keys("default", 7, [1, 3], ())
        assert stored_pairs() == [(2, 7)]

    def test_keys_of_other_documents_stay(self):
        for document in (7, 8):
            replace_keys("default", document, (), [1, 2])
        replace_keys("default", 7, [1, 2], ())
        assert stored_pairs() == [(1, 8), (2, 8)]

    def test_other_keys_of_the_document_stay(self):
        """They belong to another scheme."""
        replace_keys("default", 7, (), [1, 2])
        replace_keys("default", 7, (), [3])
        replace_keys("default", 7, [1, 2], ())
        assert stored_pairs() == [(3, 7)]

    @pytest.mark.parametrize("count", [1, 6000])
    def test_a_document_has_any_number_of_keys(self, count):
        replace_keys("default", 1, (), range(count))
        assert stored_pairs() == [(key, 1) for key in range(count)]
        assert buckets(range(count), BucketLimit(0, 4)) == [(position, 1) for position in range(count)]
        replace_keys("default", 1, range(count), [5])
        assert stored_pairs() == [(5, 1)]

    # Buckets

    def test_documents_are_found_by_their_keys(self):
        for document, keys in {1: [10, 20, LOWEST], 2: [20, LOWEST], 3: [40]}.items():
            replace_keys("default", document, (), keys)
        assert buckets([10, 20, LOWEST, 50], LIMIT) == [(0, 1), (1, 1), (1, 2), (2, 1), (2, 2)]
        assert buckets([50], LIMIT) == []

    @pytest.mark.parametrize("limit", [(1, 3), (0, 4), (4, 0), (2, 2)])
    @pytest.mark.parametrize("size", [3, 4, 5, 9])
    def test_a_bucket_gives_the_lowest_and_the_highest_ids_up_to_the_limit(self, size, limit):
        limit = BucketLimit(*limit)
        for document in shuffled(range(1, size + 1)):
            replace_keys("default", document, (), [7, 9])
        found = sorted(
            {*range(1, size + 1)[: limit.oldest], *range(1, size + 1)[max(size - limit.newest, 0) :]}
        )
        if size <= 4:
            assert found == [*range(1, size + 1)]
        assert buckets([7], limit) == [(0, document) for document in found]
        assert buckets([5, 7, 9], limit) == [
            (position, document) for position in (1, 2) for document in found
        ]
        full = full_buckets(read_buckets("default", [5, 7, 9], limit)[0], limit)
        assert full.tolist() == ([1, 2] if size >= 4 else [])

    def test_a_hot_bucket_takes_no_place_from_another(self):
        add_run("default", [5] * 100, range(1, 101))
        add_run("default", range(1001, 1101), range(1, 101))
        assert buckets([5], LIMIT) == [(0, document) for document in (*range(1, 17), *range(53, 101))]
        limit = BucketLimit(1, 2)
        assert buckets([1001, 5, 1100], limit) == [(0, 1), (1, 1), (1, 99), (1, 100), (2, 100)]

    def test_a_repeated_key_has_its_documents_at_each_position(self):
        add_run("default", [5, 5, 6], [1, 2, 2])
        assert buckets([6, 5, 6, 4, 5], BucketLimit(0, 4)) == [(0, 2), (1, 1), (1, 2), (2, 2), (4, 1), (4, 2)]
        assert buckets([5, 5], BucketLimit(0, 1)) == [(0, 2), (1, 2)]

    def test_requested_keys_are_in_any_order(self):
        replace_keys("default", 1, (), [3, -5])
        replace_keys("default", 2, (), [-5])
        assert buckets([4, -1, 3, -5], BucketLimit(0, 4)) == [(2, 1), (3, 1), (3, 2)]
        # Ascending as unsigned numbers.
        assert buckets([3, 4, -5, -1], BucketLimit(0, 4)) == [(0, 1), (2, 1), (2, 2)]

    @pytest.mark.parametrize("limit", [(0, 1), (2, 3), (100, 900), (1, 0)])
    @pytest.mark.parametrize("count", SIZES)
    def test_buckets_of_many_documents(self, count, limit):
        pairs = sample_pairs(count)
        add_run("default", *columns(pairs))
        requested = [*[key for key, _ in shuffled(pairs)][:900], 17, pairs[0][0], 17]
        limit = BucketLimit(*limit)
        assert buckets(np.array(requested), limit) == expected_buckets(pairs, requested, limit)

    @pytest.mark.parametrize("limit", [1, 2, 9])
    def test_the_keys_of_most_documents_come_first(self, limit):
        for document, keys in {1: [7, LOWEST, 5], 2: [7, LOWEST], 3: [7, 5], 4: [9], 5: [7]}.items():
            replace_keys("default", document, (), keys)
        assert list(frequent_keys("default", 2, limit)) == [7, LOWEST, 5][:limit]
        assert list(frequent_keys("default", 4, limit)) == [7]
        assert list(frequent_keys("default", 5, limit)) == []

    # Runs

    @pytest.mark.parametrize("assume_new", [True, False])
    @pytest.mark.parametrize("count", SIZES)
    def test_a_run_is_added_whatever_exists(self, count, assume_new):
        pairs = sample_pairs(count)
        replace_keys("default", pairs[0][1], (), [pairs[0][0]])
        for _ in range(2):
            add_run("default", *columns(shuffled(pairs)), assume_new=assume_new)
            assert stored_pairs() == pairs

    @pytest.mark.parametrize("count", SIZES)
    def test_a_run_of_new_pairs_only(self, count):
        pairs = sample_pairs(count)
        for half in (pairs[::2], pairs[1::2]):
            if half:
                add_run("default", *columns(half), assume_new=True)
        assert stored_pairs() == pairs

    @pytest.mark.parametrize("assume_new", [False, True])
    def test_a_pair_that_a_run_repeats_is_stored_once(self, assume_new):
        for _ in range(2):
            add_run("default", [5] * 900, [7] * 900, assume_new=assume_new)
            assert stored_pairs() == [(5, 7)]

    @pytest.mark.parametrize("count", SIZES)
    def test_a_run_is_removed_and_nothing_else(self, count):
        pairs = sample_pairs(count)
        add_run("default", *columns(pairs))
        for _ in range(2):
            remove_run("default", *columns(shuffled([*pairs[::2], (-1, 1), pairs[0]])))
            assert stored_pairs() == pairs[1::2]

    def test_a_run_across_the_borders_of_statements(self):
        pairs = [(key, 1 + key % 3) for key in range(-11_000, 11_000)]
        add_run("default", *columns(shuffled(pairs)))
        assert stored_pairs() == pairs
        remove_run("default", *columns(pairs[100:-1]))
        assert stored_pairs() == [*pairs[:100], pairs[-1]]

    def test_unsigned_keys_are_stored_as_signed_ones(self):
        keys = np.array([2**64 - 1, 2**63, 5], np.uint64)
        add_run("default", keys, [1, 2, 3])
        assert stored_pairs() == [(LOWEST, 2), (-1, 1), (5, 3)]
        assert buckets(keys, BucketLimit(0, 1)) == [(0, 1), (1, 2), (2, 3)]

    def test_empty_input_is_accepted(self):
        add_run("default", [5], [1])
        replace_keys("default", 1, (), ())
        add_run("default", [], [])
        remove_run("default", [], [])
        assert stored_pairs() == [(5, 1)]
        assert buckets([], LIMIT) == []

    @pytest.mark.parametrize(("keys", "documents"), [([1, 2], [1]), ([1], [1, 2]), ([[1]], [[1]])])
    @pytest.mark.parametrize("write", [add_run, remove_run])
    def test_runs_of_different_lengths_are_refused(self, write, keys, documents):
        add_run("default", [1], [1])
        with pytest.raises(ValueError, match="documents"):
            write("default", keys, documents)
        assert stored_pairs() == [(1, 1)]

    # Transactions

    @pytest.mark.parametrize("assume_new", [True, False])
    def test_a_transaction_that_is_rolled_back_leaves_nothing(self, assume_new):
        pairs = sample_pairs(200)
        add_run("default", *columns(pairs[::2]))
        with pytest.raises(Cancelled), transaction.atomic():
            replace_keys("default", pairs[0][1], [pairs[0][0]], [5])
            add_run("default", *columns(pairs[1::2]), assume_new=assume_new)
            remove_run("default", *columns(pairs[::4]))
            raise Cancelled
        assert stored_pairs() == pairs[::2]

    def test_a_savepoint_that_is_rolled_back_leaves_nothing(self):
        with transaction.atomic():
            replace_keys("default", 1, (), [5])
            with pytest.raises(Cancelled), transaction.atomic():
                replace_keys("default", 1, [5], [6])
                raise Cancelled
        assert stored_pairs() == [(5, 1)]

    def test_a_transaction_is_complete_once_it_has_committed(self):
        pairs = sample_pairs(200)
        add_run("default", *columns(pairs[::2]))
        with transaction.atomic():
            replace_keys("default", pairs[0][1], [pairs[0][0]], ())
            add_run("default", *columns(pairs[1::2]))
            remove_run("default", *columns(pairs[2:10]))
            replace_keys("default", pairs[2][1], (), [pairs[2][0]])
        assert stored_pairs() == [*pairs[1:3], *pairs[10:]]

    # The whole index

    def test_a_packed_index_holds_the_same(self):
        pairs = sample_pairs(100)
        add_run("default", *columns(pairs))
        compact("default")
        assert stored_pairs() == pairs

    @pytest.mark.django_db(transaction=True, databases=["default", "other"])
    def test_databases_are_apart(self):
        replace_keys("default", 1, (), [5])
        add_run("other", [5, 6], [2, 2])
        assert (stored_pairs("default"), stored_pairs("other")) == ([(5, 1)], [(5, 2), (6, 2)])
        assert buckets([6, 5], LIMIT, "other") == [(0, 2), (1, 2)]
        remove_run("other", [5], [1])
        replace_keys("default", 2, [6], ())
        assert (stored_pairs("default"), stored_pairs("other")) == ([(5, 1)], [(5, 2), (6, 2)])
