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

    def read_buckets(self, keys: Sequence[int], cap: int) -> BucketRows:
        return self._table().newest_documents(keys, cap)

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
