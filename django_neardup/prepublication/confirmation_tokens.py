"""What a visitor was shown and goes on with: signed, so that nothing need be remembered, and nothing can be made up."""

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
"""How long a confirmation holds."""


def make_token(decision: PublicationDecision[Match], instance: Model, visitor: Visitor) -> str:
    """The confirmation that goes with those posts, for that visitor and that post."""
    return signing.dumps(
        [_context_digest(instance, visitor), decision.action, sorted(map(_match_digest, decision.causes))],
        salt=SALT,
        compress=True,
    )


def is_token_valid(
    token: str, decision: PublicationDecision[Match], instance: Model, visitor: Visitor
) -> bool:
    """Whether all that stands against the post now, and all that will be done, was shown to that visitor."""
    try:
        place, action, shown = signing.loads(token, salt=SALT, max_age=MAX_AGE_SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return False
    as_strong = ACTIONS.index(decision.action) <= ACTIONS.index(action)
    return bool(
        place == _context_digest(instance, visitor)
        and as_strong
        and _match_digests(decision.causes) <= set(shown)
    )


def _context_digest(instance: Model, visitor: Visitor) -> str:
    """Whose publication of which post it is, as a digest."""
    key = "" if instance._state.adding else canonical_id(instance.pk)
    author = "" if visitor.author is None else str(visitor.author)
    return _digest([instance._meta.label_lower, key, author, visitor.trust])


def _match_digests(matches: Sequence[Match]) -> set[str]:
    return set(map(_match_digest, matches))


def _match_digest(match: Match) -> str:
    if match.object is None:
        return _digest(["deleted", str(match.deleted)])
    return _digest([match.object._meta.label_lower, canonical_id(match.object.pk)])


def _digest(parts: Sequence[str]) -> str:
    return digest(part.encode("utf-8", "surrogatepass") for part in parts).hex()
