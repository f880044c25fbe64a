"""What is stored. Every table of a document lives in its object's database."""

from .cluster import Cluster, Membership, Queue
from .document import LIVE_NUMBER, Contact, Document, Fingerprint, Key, KeyArray
from .hold import Hold
from .merge import MergeRecord
from .moved import MovedUrl
from .pair import Decision, DecisionMember, Pair, Verdict
from .phrase import KeyPhrase
from .run import IndexRange
from .scheme import Scheme, Space
from .statistics import TermStatistics

__all__ = [
    "LIVE_NUMBER",
    "Cluster",
    "Contact",
    "Decision",
    "DecisionMember",
    "Document",
    "Fingerprint",
    "Hold",
    "IndexRange",
    "Key",
    "KeyArray",
    "KeyPhrase",
    "Membership",
    "MergeRecord",
    "MovedUrl",
    "Pair",
    "Queue",
    "Scheme",
    "Space",
    "TermStatistics",
    "Verdict",
]
