"""A key index of a site's own, as docs/guide/key-index.md shows it."""

from collections import defaultdict
from functools import partial
from heapq import nlargest, nsmallest

import numpy as np
from django.db import transaction

from django_neardup.index import KeyIndex


class MemoryIndex(KeyIndex):
    """Keys in the memory of one process."""

    def __init__(self, using):
        super().__init__(using)
        self.documents_by_key = defaultdict(set)

    def change(self, document, removed, added):
        self._after_commit([(key, document) for key in removed], [(key, document) for key in added])

    def add_run(self, keys, documents, assume_new):
        self._after_commit([], list(zip(keys.tolist(), documents.tolist())))

    def remove_run(self, keys, documents):
        self._after_commit(list(zip(keys.tolist(), documents.tolist())), [])

    def read_buckets(self, keys, oldest, newest):
        rows = []
        for position, key in enumerate(keys):
            bucket = self.documents_by_key.get(key, ())
            found = {*nsmallest(oldest, bucket), *nlargest(newest, bucket)}
            rows += [(position, document) for document in found]
        positions, documents = np.array(rows, np.int64).reshape(-1, 2).T
        return positions, documents

    def frequent_keys(self, min_documents, limit):
        counts = {key: len(documents) for key, documents in self.documents_by_key.items()}
        frequent = sorted(
            (key for key in counts if counts[key] >= min_documents), key=lambda key: (-counts[key], key)
        )
        return frequent[:limit]

    def _after_commit(self, removed, added):
        """Change the index when the transaction commits, or at once if there is none."""
        transaction.on_commit(partial(self._apply, removed, added), using=self.using)

    def _apply(self, removed, added):
        for key, document in removed:
            self.documents_by_key[key].discard(document)
        for key, document in added:
            self.documents_by_key[key].add(document)
