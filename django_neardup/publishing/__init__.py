"""Before a post is published: what the rules say of it, and posts that wait for their check or for a person."""

from .holding import hold, refuse, release
from .rules import ACTIONS, DEFAULT, Decision, Rule, decide, rules_of

__all__ = ["ACTIONS", "DEFAULT", "Decision", "Rule", "decide", "hold", "refuse", "release", "rules_of"]
