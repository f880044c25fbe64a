"""The stages of a turn, each over many documents at once; one turn is the case of one.

``read_many`` → ``sign_many`` → ``store_many`` (A) → ``candidates_many`` → ``verify_many`` (B) → ``conclude_many`` (C) →
``finish_many``. Each takes what the one before has given, in the order given, and returns those that go on. All that
are given together are of one scheme. A stage writes in short transactions of its own, and is never called inside one.

The order makes it sound: the keys of all are committed by ``store_many`` before ``candidates_many`` reads a bucket, so
that twins meet, in one batch too; ``conclude_many`` reads under the space's lock whether anybody has moved on.
``job`` is all of them between reading and finishing, ``take_turns`` all of them.
"""

from .candidates import candidates_many
from .conclude import conclude_many
from .leases import finish_many, lease_many
from .reading import read_many
from .records import Found, Print, Read, Signed, Skipped, Verified
from .signing import sign_many
from .store import store_many
from .turn import job, take_turns
from .verify import verify_many

__all__ = [
    "Found",
    "Print",
    "Read",
    "Signed",
    "Skipped",
    "Verified",
    "candidates_many",
    "conclude_many",
    "finish_many",
    "job",
    "lease_many",
    "read_many",
    "sign_many",
    "store_many",
    "take_turns",
    "verify_many",
]
