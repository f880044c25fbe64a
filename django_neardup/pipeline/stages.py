"""The stages of processing. Each takes many documents; one document is processed as a batch of one.

``read_many`` → ``sign_many`` → ``store_many`` (step A) → ``candidates_many`` → ``verify_many`` (step B) →
``conclude_many`` (step C) → ``finish_many``.

A stage takes the documents that the previous stage returned, in the same order. It returns the documents
for the next stage. All documents of a call have one scheme. Each stage commits its writes in short
transactions. Never call it inside a transaction.

The order prevents two faults:

- ``store_many`` commits the keys of all documents before ``candidates_many`` reads a bucket. So two copies
  saved in the same second find each other, also within one batch.
- ``conclude_many`` checks under the lock of the space whether a text has changed since it was compared.

``run_stages`` calls all stages between reading and finishing. ``process_documents`` calls all of them.
"""

from .candidates import candidates_many
from .conclude import conclude_many
from .leases import finish_many, lease_many
from .process_documents import process_documents, run_stages
from .read import read_many
from .sign import sign_many
from .stage_types import (
    Candidates,
    JudgedPair,
    ReadDocument,
    SignedDocument,
    SkippedDocument,
    StoredFingerprint,
)
from .store import store_many
from .verify import verify_many

__all__ = [
    "Candidates",
    "JudgedPair",
    "ReadDocument",
    "SignedDocument",
    "SkippedDocument",
    "StoredFingerprint",
    "candidates_many",
    "conclude_many",
    "finish_many",
    "lease_many",
    "process_documents",
    "read_many",
    "run_stages",
    "sign_many",
    "store_many",
    "verify_many",
]
