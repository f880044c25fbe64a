"""The signed list of matches that a visitor has seen and confirmed.

Because of the signature, nothing is stored on the server and a visitor cannot forge the list.
"""

from __future__ import annotations

from collections.abc import Sequence

from django.core import signing
from django.db.models import Model

from ..pipeline import canonical_id
from ..search import Match
from ..text.hashing import digest
from .check import Visitor
from .rules import ACTIONS, PublicationDecision

SALT = "neardup.publication"
MAX_AGE_SECONDS = 24 * 60 * 60
"""How long a confirmation is valid."""


def make_token(decision: PublicationDecision[Match], instance: Model, visitor: Visitor) -> str:
    """Return the token that confirms the causes of the decision, for one visitor and one post."""
    return signing.dumps(
        [_context_digest(instance, visitor), decision.action, sorted(_cause_digests(decision))],
        salt=SALT,
        compress=True,
    )


def is_token_valid(
    token: str, decision: PublicationDecision[Match], instance: Model, visitor: Visitor
) -> bool:
    """Return whether the visitor has seen every current cause and the current action.

    A stronger action than the current one is enough.
    """
    try:
        context_digest, action, shown_digests = signing.loads(token, salt=SALT, max_age=MAX_AGE_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return False
    # A confirmed warning does not confirm a hold.
    is_action_covered = ACTIONS.index(decision.action) <= ACTIONS.index(action)
    return bool(
        context_digest == _context_digest(instance, visitor)
        and is_action_covered
        # Fewer matches than were shown are fine. A new match must be shown first.
        and _cause_digests(decision) <= set(shown_digests)
    )


def _context_digest(instance: Model, visitor: Visitor) -> str:
    """Return a digest of the post and its visitor."""
    key = "" if instance._state.adding else canonical_id(instance.pk)
    author = "" if visitor.author is None else str(visitor.author)
    return _digest([instance._meta.label_lower, key, author, visitor.trust])


def _cause_digests(decision: PublicationDecision[Match]) -> set[str]:
    return {*map(_match_digest, decision.causes), *(_digest(["fact", fact]) for fact in decision.facts)}


def _match_digest(match: Match) -> str:
    if match.object is None:
        return _digest(["deleted", str(match.deleted)])
    return _digest([match.object._meta.label_lower, canonical_id(match.object.pk)])


def _digest(parts: Sequence[str]) -> str:
    return digest(part.encode("utf-8", "surrogatepass") for part in parts).hex()
