"""What a post about to be published is like, and what the rules say of it. It never stops a publication by failing."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db import router, transaction
from django.db.models import Model
from django.http import HttpRequest

from ..adapters import Adapter
from ..columns import columns_of, value_of
from ..finding import Match, find_similar
from ..visible import Querysets
from .again import Sent, sent_before
from .holding import can_hold, database_of, holds_of, live_post
from .rules import Decision, allows, decide, exempts, scope_of

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

LIMIT = 10
"""Posts that are asked of the index: as many as it compares."""


@dataclass(frozen=True)
class Look:
    """What was found, what the rules make of it, those posts of the visitor's own that may be renewed instead, and the
    one among what was found that waits and says the same."""

    matches: Sequence[Match] = ()
    decision: Decision[Match] = field(default_factory=lambda: Decision("ignore"))
    renewable: Sequence[Match] = ()
    sent: Sent | None = None


@dataclass(frozen=True)
class Visitor:
    """Whoever publishes: the author's key as ``Adapter.author`` gives it, empty for nobody, and the word of trust.

    ``waits``: whether posts of theirs wait until they are checked. ``exempt``: the rules let them through, whatever a
    post is like."""

    author: Any = None
    trust: str = ""
    waits: bool = False
    exempt: bool = False

    def owns(self, instance: Model, adapter: Adapter) -> bool:
        """Whether that post is the visitor's own."""
        author = adapter.author(instance)
        return self.author not in (None, "") and author is not None and str(author) == str(self.author)


def visitor_of(request: HttpRequest, instance: Model, adapter: Adapter) -> Visitor:
    """The visitor of that request; nobody in particular where the site cannot tell."""

    def ask() -> Visitor:
        trust = str(adapter.trust(request))
        exempt = exempts(adapter, trust=trust, scope=scope_of(adapter, instance))
        return Visitor(adapter.request_author(request), trust, waits and not exempt, exempt)

    waits = adapter.hold_until_checked and can_hold(adapter)
    nobody = Visitor(waits=waits)
    return attempt(ask, nobody, database_of(instance), "nobody is known to publish")


def is_as_published(instance: Model, adapter: Adapter) -> bool:
    """Whether the edited post is published, and says what is published of it; not where the site cannot tell."""
    using = database_of(instance)

    def ask() -> bool:
        stored = live_post(instance, using)
        known = columns_of(adapter.model)
        names = {known[name].attname for name in adapter.watched & known.keys()}
        return stored is not None and all(value_of(stored, n) == value_of(instance, n) for n in names)

    return attempt(ask, False, using, "nobody knows whether a post is published")


def look(request: HttpRequest, instance: Model, adapter: Adapter, visitor: Visitor) -> Look:
    """What the unsaved or edited post is like, of what the visitor may see."""
    new, using = instance._state.adding, database_of(instance)

    def ask() -> Look:
        author = visitor.author if new else adapter.author(instance)
        allowed = [each.visible(request) for each in adapter.partner_adapters]
        matches = find_similar(instance, visible=allowed, author=author, limit=LIMIT, using=using)
        renewable = _renewable(matches, adapter, visitor, instance) if new else ()
        sent = _sent(request, instance, adapter, visitor) if new else None
        if sent is not None:
            matches = [sent.match, *(match for match in matches if match.object != sent.match.object)]
        decision = decided(matches, adapter, visitor.trust, scope_of(adapter, instance))
        if sent is not None and decision.action == "hold":  # a moderator has the same before him
            decision = Decision("block", (sent.match,))
        return Look(matches, decision, renewable, sent)

    return attempt(ask, Look(), using, "a post is published unchecked")


def _sent(request: HttpRequest, instance: Model, adapter: Adapter, visitor: Visitor) -> Sent | None:
    """What the visitor has sent before, and waits; nothing where a rule lets them send it again."""
    if visitor.author in (None, ""):
        return None
    sent = sent_before(instance, adapter, visitor.author, request, database_of(instance))
    scope = scope_of(adapter, instance)
    return None if sent and allows(sent.match, adapter, trust=visitor.trust, scope=scope) else sent


def look_at_text(
    text: str, adapter: Adapter, visible: Querysets | None, author: Any, trust: str, scope: Iterable[Any]
) -> Look:
    """The same of a text alone, of what ``visible`` holds, and of nothing that is deleted."""
    values, model = tuple(scope), adapter.model

    def ask() -> Look:
        found = find_similar(text, model, visible=visible, author=author, limit=LIMIT, scope=values)
        matches = [match for match in found if match.object is not None]
        return Look(matches, decided(matches, adapter, trust, values))

    return attempt(ask, Look(), router.db_for_read(model), "a text is let through unchecked")


def decided(matches: Sequence[Match], adapter: Adapter, trust: str, scope: Iterable[Any]) -> Decision[Match]:
    """``rules.decide``; a post that cannot be hidden is warned of where it would be held."""
    found = decide(matches, adapter, trust=trust, scope=scope)
    return Decision("warn", found.causes) if found.action == "hold" and not can_hold(adapter) else found


def _renewable(
    matches: Sequence[Match], adapter: Adapter, visitor: Visitor, instance: Model
) -> Sequence[Match]:
    """Own posts of the same model that the rules speak of. None where another's post would stop the new text: a renewed
    one would say it too."""
    if not adapter.can_renew:
        return ()
    scope = scope_of(adapter, instance)
    strangers = decided([match for match in matches if not match.own], adapter, visitor.trust, scope)
    if strangers.action in ("hold", "block"):
        return ()
    own = [match for match in matches if match.own and match.object is not None]
    spoken_of = decided(own, adapter, visitor.trust, scope).causes
    return [match for match in spoken_of if may_renew(match.object, adapter, visitor)]


def may_renew(old: Model | None, adapter: Adapter, visitor: Visitor) -> bool:
    """Whether the visitor may bring that post up to date: it is their own, and no moderator has it before them."""
    if old is None or not isinstance(old, adapter.model) or not visitor.owns(old, adapter):
        return False
    return not holds_of(old, database_of(old)).exists()


def attempt(ask: Callable[[], Answer], otherwise: Answer, using: str, outcome: str) -> Answer:
    """The answer; where it fails that is logged, the transaction goes on, and ``otherwise`` is the answer."""
    try:
        if not transaction.get_connection(using).in_atomic_block:
            return ask()
        with transaction.atomic(using=using):
            return ask()
    except Exception:
        logger.exception("neardup: %s", outcome)
        return otherwise
