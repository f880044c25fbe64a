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
from .moderation import (
    ChangedDocument,
    Hold,
    IgnoredPassage,
    KeyPhrase,
    MergeRecord,
    MovedUrl,
    OpenItem,
    UndoProof,
)
from .pairs import Cluster, Decision, DecisionMember, FamilyMember, Membership, Pair, Queue, Verdict

__all__ = [
    "LIVE_FIRST_SEEN",
    "Boilerplate",
    "ChangedDocument",
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
    "OpenItem",
    "Pair",
    "Queue",
    "Scheme",
    "Space",
    "TermStatistics",
    "UndoProof",
    "Verdict",
]
