"""The check of a post before publication: the rules, and posts held until they are checked or reviewed."""

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
