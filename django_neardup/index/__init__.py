"""The key index: which documents have which keys.

- ``keys``: the functions that the pipeline calls. They go through the index that the setting INDEX names.
- ``base``: the interface of an index. ``database``: the default one, a table.
- ``opensearch``: another one, outside the database.
- ``index_class``: the class that the setting names.
"""

from .base import KeyIndex, TextSearch, WaitingChanges
from .database import DatabaseIndex
from .keys import (
    add_run,
    compact,
    frequent_keys,
    full_buckets,
    read_buckets,
    remove_run,
    replace_keys,
    ship,
    ship_all,
)

__all__ = [
    "DatabaseIndex",
    "KeyIndex",
    "TextSearch",
    "WaitingChanges",
    "add_run",
    "compact",
    "frequent_keys",
    "full_buckets",
    "read_buckets",
    "remove_run",
    "replace_keys",
    "ship",
    "ship_all",
]
