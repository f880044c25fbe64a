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
from ..querysets import concrete_fields_by_name, field_value
from ..search import Match, find_similar
from ..visibility import Querysets
from .holds import can_hold, database_of, holds_of, live_post
from .resubmission import Resubmission, find_resubmission
from .rules import PublicationDecision, apply_rules, is_exempt, is_match_allowed, scope_values

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

MAX_MATCHES = 10
"""Posts that are asked of the index: as many as it compares."""


@dataclass(frozen=True)
class PublicationCheck:
    """What was found, what the rules make of it, those posts of the visitor's own that may be renewed instead, and the
    one among what was found that waits and says the same."""

    matches: Sequence[Match] = ()
    decision: PublicationDecision[Match] = field(default_factory=lambda: PublicationDecision("ignore"))
    renewable: Sequence[Match] = ()
    resubmission: Resubmission | None = None


@dataclass(frozen=True)
class Visitor:
    """Whoever publishes: the author's key as ``Adapter.author`` gives it, empty for nobody, and the word of trust.

    ``waits``: whether posts of theirs wait until they are checked. ``exempt``: the rules let them through, whatever a
    post is like."""

    author: Any = None
    trust: str = ""
    must_wait: bool = False
    is_exempt: bool = False

    def owns(self, instance: Model, adapter: Adapter) -> bool:
        """Whether that post is the visitor's own."""
        author = adapter.author(instance)
        return self.author not in (None, "") and author is not None and str(author) == str(self.author)


def load_visitor(request: HttpRequest, instance: Model, adapter: Adapter) -> Visitor:
    """The visitor of that request; nobody in particular where the site cannot tell."""

    def ask() -> Visitor:
        trust = str(adapter.trust(request))
        exempt = is_exempt(adapter, trust=trust, scope=scope_values(adapter, instance))
        return Visitor(adapter.request_author(request), trust, waits and not exempt, exempt)

    waits = adapter.hold_until_checked and can_hold(adapter)
    nobody = Visitor(must_wait=waits)
    return call_or_default(ask, nobody, database_of(instance), "nobody is known to publish")


def is_published_unchanged(instance: Model, adapter: Adapter) -> bool:
    """Whether the edited post is published, and says what is published of it; not where the site cannot tell."""
    using = database_of(instance)

    def ask() -> bool:
        stored = live_post(instance, using)
        known = concrete_fields_by_name(adapter.model)
        names = {known[name].attname for name in adapter.watched & known.keys()}
        return stored is not None and all(field_value(stored, n) == field_value(instance, n) for n in names)

    return call_or_default(ask, False, using, "nobody knows whether a post is published")


def check_post(request: HttpRequest, instance: Model, adapter: Adapter, visitor: Visitor) -> PublicationCheck:
    """What the unsaved or edited post is like, of what the visitor may see."""
    new, using = instance._state.adding, database_of(instance)

    def ask() -> PublicationCheck:
        author = visitor.author if new else adapter.author(instance)
        allowed = [each.visible(request) for each in adapter.partner_adapters]
        matches = find_similar(instance, visible=allowed, author=author, limit=MAX_MATCHES, using=using)
        renewable = _renewable_matches(matches, adapter, visitor, instance) if new else ()
        sent = _visitor_resubmission(request, instance, adapter, visitor) if new else None
        if sent is not None:
            matches = [sent.match, *(match for match in matches if match.object != sent.match.object)]
        decision = decide_or_warn(matches, adapter, visitor.trust, scope_values(adapter, instance))
        if sent is not None and decision.action == "hold":  # a moderator has the same before him
            decision = PublicationDecision("block", (sent.match,))
        return PublicationCheck(matches, decision, renewable, sent)

    return call_or_default(ask, PublicationCheck(), using, "a post is published unchecked")


def _visitor_resubmission(
    request: HttpRequest, instance: Model, adapter: Adapter, visitor: Visitor
) -> Resubmission | None:
    """What the visitor has sent before, and waits; nothing where a rule lets them send it again."""
    if visitor.author in (None, ""):
        return None
    sent = find_resubmission(instance, adapter, visitor.author, request, database_of(instance))
    scope = scope_values(adapter, instance)
    return None if sent and is_match_allowed(sent.match, adapter, trust=visitor.trust, scope=scope) else sent


def check_text(
    text: str, adapter: Adapter, visible: Querysets | None, author: Any, trust: str, scope: Iterable[Any]
) -> PublicationCheck:
    """The same of a text alone, of what ``visible`` holds, and of nothing that is deleted."""
    values, model = tuple(scope), adapter.model

    def ask() -> PublicationCheck:
        found = find_similar(text, model, visible=visible, author=author, limit=MAX_MATCHES, scope=values)
        matches = [match for match in found if match.object is not None]
        return PublicationCheck(matches, decide_or_warn(matches, adapter, trust, values))

    return call_or_default(
        ask, PublicationCheck(), router.db_for_read(model), "a text is let through unchecked"
    )


def decide_or_warn(
    matches: Sequence[Match], adapter: Adapter, trust: str, scope: Iterable[Any]
) -> PublicationDecision[Match]:
    """``rules.decide``; a post that cannot be hidden is warned of where it would be held."""
    found = apply_rules(matches, adapter, trust=trust, scope=scope)
    return (
        PublicationDecision("warn", found.causes)
        if found.action == "hold" and not can_hold(adapter)
        else found
    )


def _renewable_matches(
    matches: Sequence[Match], adapter: Adapter, visitor: Visitor, instance: Model
) -> Sequence[Match]:
    """Own posts of the same model that the rules speak of. None where another's post would stop the new text: a renewed
    one would say it too."""
    if not adapter.can_renew:
        return ()
    scope = scope_values(adapter, instance)
    strangers = decide_or_warn([match for match in matches if not match.own], adapter, visitor.trust, scope)
    if strangers.action in ("hold", "block"):
        return ()
    own = [match for match in matches if match.own and match.object is not None]
    spoken_of = decide_or_warn(own, adapter, visitor.trust, scope).causes
    return [match for match in spoken_of if can_visitor_renew(match.object, adapter, visitor)]


def can_visitor_renew(old_post: Model | None, adapter: Adapter, visitor: Visitor) -> bool:
    """Whether the visitor may bring that post up to date: it is their own, and no moderator has it before them."""
    if old_post is None or not isinstance(old_post, adapter.model) or not visitor.owns(old_post, adapter):
        return False
    return not holds_of(old_post, database_of(old_post)).exists()


def call_or_default(
    function: Callable[[], Answer], default: Answer, using: str, failure_message: str
) -> Answer:
    """The answer; where it fails that is logged, the transaction goes on, and ``otherwise`` is the answer."""
    try:
        if not transaction.get_connection(using).in_atomic_block:
            return function()
        with transaction.atomic(using=using):
            return function()
    except Exception:
        logger.exception("neardup: %s", failure_message)
        return default
