"""The default key index: a table in the database of the documents."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from ..db.key_tables import get_key_table, unsupported_reason
from .base import KeyIndex

if TYPE_CHECKING:
    from ..db.key_tables.key_table import BucketRows, Numbers


class DatabaseIndex(KeyIndex):
    """Keys as rows of the table ``neardup_key``, on PostgreSQL, MariaDB, MySQL or SQLite.

    Its changes are part of the transactions of the database.
    """

    def configuration_problem(self) -> str:
        return unsupported_reason(self.using)

    def change(self, document: int, removed: Sequence[int], added: Sequence[int]) -> None:
        get_key_table(self.using).change_keys(document, removed, added)

    def add_run(self, keys: Numbers, documents: Numbers, assume_new: bool) -> None:
        get_key_table(self.using).add_run(keys, documents, assume_new)

    def remove_run(self, keys: Numbers, documents: Numbers) -> None:
        get_key_table(self.using).remove_run(keys, documents)

    def read_buckets(self, keys: Sequence[int], cap: int) -> BucketRows:
        return get_key_table(self.using).newest_documents(keys, cap)

    def compact(self) -> None:
        get_key_table(self.using).compact()
