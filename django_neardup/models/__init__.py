"""What is stored. Every table of a document lives in its object's database."""

from .cluster import Cluster, Membership
from .document import LIVE_NUMBER, Contact, Document, Fingerprint, Key
from .merge import MergeRecord
from .pair import Decision, DecisionMember, Pair, Verdict
from .scheme import Scheme, Space

__all__ = [
    "LIVE_NUMBER",
    "Cluster",
    "Contact",
    "Decision",
    "DecisionMember",
    "Document",
    "Fingerprint",
    "Key",
    "Membership",
    "MergeRecord",
    "Pair",
    "Scheme",
    "Space",
    "Verdict",
]
