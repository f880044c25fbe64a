"""The models. Every table about a document lives in the database of its object."""

from .index import (
    LIVE_FIRST_SEEN,
    Boilerplate,
    Contact,
    Document,
    Fingerprint,
    IndexRange,
    Key,
    Scheme,
    Space,
    TermStatistics,
)
from .moderation import Hold, IgnoredPassage, KeyPhrase, MergeRecord, MovedUrl, UndoProof
from .pairs import Cluster, Decision, DecisionMember, FamilyMember, Membership, Pair, Queue, Verdict

__all__ = [
    "LIVE_FIRST_SEEN",
    "Boilerplate",
    "Cluster",
    "Contact",
    "Decision",
    "DecisionMember",
    "Document",
    "FamilyMember",
    "Fingerprint",
    "Hold",
    "IgnoredPassage",
    "IndexRange",
    "Key",
    "KeyPhrase",
    "Membership",
    "MergeRecord",
    "MovedUrl",
    "Pair",
    "Queue",
    "Scheme",
    "Space",
    "TermStatistics",
    "UndoProof",
    "Verdict",
]
