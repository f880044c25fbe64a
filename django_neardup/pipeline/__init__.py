"""The way of a post from a mark to its cluster: plain functions, no queue.

``ledger`` (who waits), ``leases`` → ``work`` (the drain) → ``turn``, which takes many documents through the ``stages``:
``reading``, ``signing``, ``store`` (A) behind the ``fence`` → ``candidates`` in the order of ``ranking``, ``verify``
(B) → ``conclude`` (C) and ``meeting``, over ``traces``, ``facts`` (pairs), ``told`` (what people decided), ``places``,
``graph`` and ``assign`` (clusters). ``moving`` sees to documents on whose place others depend, ``repair`` to clusters,
``decisions`` to people's words, ``reconcile`` to what no signal told.
"""

from .decisions import decide, withdraw
from .ledger import mark, mark_document, mark_key, mark_queryset
from .locks import retrying, space_lock
from .objects import canonical_id, documents_of, model_of, object_of, objects_of
from .work import DrainResult, document_databases, drain, holds_tables, is_pending, own_databases

__all__ = [
    "DrainResult",
    "canonical_id",
    "decide",
    "document_databases",
    "documents_of",
    "drain",
    "holds_tables",
    "is_pending",
    "mark",
    "mark_document",
    "mark_key",
    "mark_queryset",
    "model_of",
    "object_of",
    "objects_of",
    "own_databases",
    "retrying",
    "space_lock",
    "withdraw",
]
