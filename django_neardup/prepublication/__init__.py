"""Before a post is published: what the rules say of it, and posts that wait for their check or for a person."""

from .holds import hold, refuse, release
from .rules import ACTIONS, DEFAULT_RULES, PublicationDecision, Rule, apply_rules, rules_of

__all__ = [
    "ACTIONS",
    "DEFAULT_RULES",
    "PublicationDecision",
    "Rule",
    "apply_rules",
    "hold",
    "refuse",
    "release",
    "rules_of",
]
