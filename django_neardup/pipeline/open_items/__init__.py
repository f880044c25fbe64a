"""The rows of the review queue: one question once, formed again around documents that have changed.

- ``changes``: documents whose rows are outdated.
- ``conditions``: which clusters and pairs wait for a moderator.
- ``columns``: what the list is sorted and filtered by, as SQL expressions.
- ``rows``: pairs that ask together are one row.
- ``pair_reader``: reads open pairs by the owner of their row.
- ``refresh``: forms the rows again and stores them.
"""

from .changes import log_changed_documents, log_changed_posts
from .refresh import (
    BACKLOG_ENTRIES,
    log_all_documents,
    rebuild_open_items,
    refresh_if_due,
    refresh_open_items,
)

__all__ = [
    "BACKLOG_ENTRIES",
    "log_all_documents",
    "log_changed_documents",
    "log_changed_posts",
    "rebuild_open_items",
    "refresh_if_due",
    "refresh_open_items",
]
