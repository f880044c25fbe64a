"""What a visitor was shown and goes on with: signed, so that nothing need be remembered, and nothing can be made up."""

from __future__ import annotations

from collections.abc import Sequence

from django.core import signing
from django.db.models import Model

from ..finding import Match
from ..pipeline import canonical_id
from ..text.hashing import digest
from .looking import Visitor
from .rules import ACTIONS, Decision

SALT = "neardup.publication"
SECONDS = 24 * 60 * 60
"""How long a confirmation holds."""


def token_of(decision: Decision[Match], instance: Model, visitor: Visitor) -> str:
    """The confirmation that goes with those posts, for that visitor and that post."""
    return signing.dumps(
        [_place(instance, visitor), decision.action, sorted(map(_name, decision.causes))],
        salt=SALT,
        compress=True,
    )


def confirms(token: str, decision: Decision[Match], instance: Model, visitor: Visitor) -> bool:
    """Whether all that stands against the post now, and all that will be done, was shown to that visitor."""
    try:
        place, action, shown = signing.loads(token, salt=SALT, max_age=SECONDS)
    except (signing.BadSignature, ValueError, TypeError):
        return False
    as_strong = ACTIONS.index(decision.action) <= ACTIONS.index(action)
    return bool(place == _place(instance, visitor) and as_strong and _names(decision.causes) <= set(shown))


def _place(instance: Model, visitor: Visitor) -> str:
    """Whose publication of which post it is, as a digest."""
    key = "" if instance._state.adding else canonical_id(instance.pk)
    author = "" if visitor.author is None else str(visitor.author)
    return _digest([instance._meta.label_lower, key, author, visitor.trust])


def _names(matches: Sequence[Match]) -> set[str]:
    return set(map(_name, matches))


def _name(match: Match) -> str:
    if match.object is None:
        return _digest(["deleted", str(match.deleted)])
    return _digest([match.object._meta.label_lower, canonical_id(match.object.pk)])


def _digest(parts: Sequence[str]) -> str:
    return digest(part.encode("utf-8", "surrogatepass") for part in parts).hex()
