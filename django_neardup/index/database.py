"""The default key index: a table in the database of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from django.core.exceptions import ImproperlyConfigured

from ..db.backends import get_backend
from .base import KeyIndex

if TYPE_CHECKING:
    from ..db.backends.key_table import BucketRows, KeyTable, Numbers


class DatabaseIndex(KeyIndex):
    """Keys as rows of the table ``neardup_key``, on PostgreSQL, MariaDB, MySQL or SQLite.

    Its changes are part of the transactions of the database.
    """

    def configuration_problem(self) -> str:
        backend = get_backend(self.using)
        if backend.key_table is not None:
            return ""
        name = backend.connection.display_name
        return f"keys cannot be stored on {name}: it is neither PostgreSQL, MariaDB, MySQL nor SQLite"

    def change(self, document: int, removed: Sequence[int], added: Sequence[int]) -> None:
        self._table().change_keys(document, removed, added)

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        self._table().add_run(keys, documents, assume_new)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        self._table().remove_run(keys, documents)

    def read_buckets(self, keys: Sequence[int], oldest: int, newest: int) -> BucketRows:
        import numpy as np

        table, size = self._table(), oldest + newest
        positions, documents = table.newest_documents(keys, size)
        if len(documents) < size:  # most new posts share few keys
            return positions, documents
        from .key_arrays import full_buckets, outer_rows

        # A second query, only for full buckets: few posts have any.
        full = full_buckets(positions, size).tolist() if oldest else []
        if not full:
            return positions, documents
        indexes, old_documents = table.oldest_documents([keys[position] for position in full], oldest)
        return outer_rows(
            np.concatenate([positions, np.array(full)[indexes]]),
            np.concatenate([documents, old_documents]),
            oldest,
            newest,
        )

    def frequent_keys(self, min_documents: int, limit: int) -> Sequence[int]:
        return self._table().frequent_keys(min_documents, limit)

    def compact(self) -> None:
        self._table().compact()

    def _table(self) -> KeyTable:
        """Return the key table. Raise ``ImproperlyConfigured`` if the database cannot store keys."""
        key_table = get_backend(self.using).key_table
        if key_table is None:
            raise ImproperlyConfigured(f"Database {self.using!r}: {self.configuration_problem()}.")
        return key_table(self.using)
