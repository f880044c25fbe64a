"""The path of a post, from a save to its cluster. Plain functions: no queue is needed to call them.

The stages, one module each, in their order:

- ``receivers``: marks a post's document when the post is saved or deleted.
- ``open_saves``: notes saves in autocommit before they begin.
- ``failed_marks``: tries marks again that failed.
- ``work_queue``: the pending columns: mark a row, lease it, retry it, finish it.
- ``leases``: the same for many documents per statement.
- ``worker``: drains the queue in batches: posts that were never tried first, oldest first.
- ``quarantine``: sets posts aside that were tried too often, and tries some of them again daily.
- ``process_documents``: takes one batch through the stages below.
- ``read``: reads the current posts.
- ``sign``: reduces texts to keys, fingerprints and contacts.
- ``store``: commits them (step A), guarded by ``version_guard``.
- ``compare_documents``: finds candidates and judges the pairs (step B, by ``comparison``), then concludes.
- ``conclude``: writes pairs and updates clusters under the lock of the space (step C).
- ``reposts``: finds posts that repeat a deleted one.

Shared by the stages:

- ``stage_types``: the values that one stage passes to the next.
- ``content_objects``: objects to documents and back.
- ``source_properties``: reasons to skip a post, and its contacts.
- ``stored_posts``: the posts of the database, as ``comparison`` asks for them.
- ``pairs``, ``decision_lookup``, ``shared_evidence``: read what is stored.
- ``schemes``, ``scheme_cache``, ``synonym_files``, ``key_phrases``, ``text_cache``: what texts are signed
  with.
- ``statistics_builder``, ``statistics_store``, ``missing_statistics``: statistics of the posts, and posts
  that wait for them.
- ``availability``: whether pages may ask the index: the switch of the app, and its tables.
- ``locks``, ``batch_size``, ``index_progress``: transactions, batch sizes, progress of ``neardup_index``.

Next to the path:

- ``clusters/``: assigns documents to clusters and repairs clusters that lost their leader.
- ``decisions``: stores and withdraws moderators' decisions.
- ``deleted_posts``: remembers deleted posts for a limited time.
- ``emptied_journals``: takes the words out of the journals of merge records.
- ``record_queries``, ``record_keys``: find the merge records of a post.
- ``open_items/``: forms the rows of the review queue.
- ``reconcile``: finds posts for which no signal was sent.
- ``periodic_searches``: searches that workers repeat, for example for posts without a mark. One worker at a
  time.
- ``backfill/``: builds the index of all existing posts, through the stages above.
- ``stale_pairs``, ``rejudgement``: find pairs of another version of the judge, and judge them again.
- ``boilerplate_builder``, ``boilerplate_store``, ``boilerplate_preview``: find passages that many posts share, keep
  snapshots of them, and show what another passage would change.
"""

from .content_objects import canonical_id, documents_of, model_of, object_of, objects_of
from .decisions import decide, withdraw
from .locks import call_with_retries, space_lock
from .work_queue import mark, mark_document, mark_key, mark_queryset
from .worker import (
    DrainResult,
    document_databases,
    drain,
    has_pending,
    has_tables,
    log_failed_drain,
    routed_databases,
)

__all__ = [
    "DrainResult",
    "call_with_retries",
    "canonical_id",
    "decide",
    "document_databases",
    "documents_of",
    "drain",
    "has_pending",
    "has_tables",
    "log_failed_drain",
    "mark",
    "mark_document",
    "mark_key",
    "mark_queryset",
    "model_of",
    "object_of",
    "objects_of",
    "routed_databases",
    "space_lock",
    "withdraw",
]
