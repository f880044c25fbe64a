"""The way of a post from a mark to its cluster: plain functions, no queue.

``ledger`` (who waits) → ``work`` (the drain) → ``turn``: ``sign`` (A) → ``verify`` (B) → ``conclude`` (C), over
``facts`` (pairs), ``graph`` and ``assign`` (clusters); ``repair`` sees to clusters, ``decisions`` to people's words,
``reconcile`` to what no signal told.
"""

from .decisions import decide, withdraw
from .ledger import mark, mark_document, mark_key, mark_queryset
from .locks import retrying, space_lock
from .objects import canonical_id, documents_of, model_of, object_of, objects_of
from .work import DrainResult, document_databases, drain, is_pending

__all__ = [
    "DrainResult",
    "canonical_id",
    "decide",
    "document_databases",
    "documents_of",
    "drain",
    "is_pending",
    "mark",
    "mark_document",
    "mark_key",
    "mark_queryset",
    "model_of",
    "object_of",
    "objects_of",
    "retrying",
    "space_lock",
    "withdraw",
]
