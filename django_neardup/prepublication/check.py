"""The check of a post before publication: similar posts and the decision of the rules.

A failing check never prevents a publication.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

from django.db import router, transaction
from django.db.models import Model, Q
from django.http import HttpRequest

from ..adapters import Adapter
from ..exceptions import without_message
from ..models import Pair, Scheme, Verdict
from ..pipeline.availability import is_active
from ..pipeline.content_objects import documents_of, post_id_of
from ..querysets import concrete_fields_by_name, field_value
from ..search import Match, find_for_request
from ..visibility import Querysets
from .holds import can_hold, database_of, holds_of, live_post
from .resubmission import Resubmission, find_resubmission
from .rules import PublicationDecision, apply_rules, is_exempt, is_match_allowed, scope_values
from .text_facts import facts_of

logger = logging.getLogger(__name__)

Answer = TypeVar("Answer")

MAX_MATCHES = 10
"""Number of matches to search for. It equals the number of posts that a search compares."""


@dataclass(frozen=True)
class PublicationCheck:
    """The result of a check.

    ``matches``: similar posts. ``decision``: the decision of the rules. ``renewable``: the visitor's own
    posts that may be renewed instead. ``resubmission``: the visitor's own waiting post that has the same
    text.
    """

    matches: Sequence[Match] = ()
    decision: PublicationDecision[Match] = field(default_factory=lambda: PublicationDecision("ignore"))
    renewable: Sequence[Match] = ()
    resubmission: Resubmission | None = None


@dataclass(frozen=True)
class Visitor:
    """The person who publishes.

    ``author``: the author's key as ``Adapter.author`` returns it. None or empty if not known. ``trust``: the
    word of trust. ``must_wait``: their posts wait until they are checked. ``is_exempt``: the rules let all
    their posts through.
    """

    author: Any = None
    trust: str = ""
    must_wait: bool = False
    is_exempt: bool = False

    def owns(self, instance: Model, adapter: Adapter) -> bool:
        """Return whether the post is the visitor's own."""
        author = adapter.author(instance)
        return self.author not in (None, "") and author is not None and str(author) == str(self.author)


def load_visitor(request: HttpRequest, instance: Model, adapter: Adapter) -> Visitor:
    """Return the visitor of a request. If the site's code fails, return a visitor without an author."""

    def read_visitor() -> Visitor:
        trust = str(adapter.trust(request))
        has_exemption = is_exempt(adapter, trust=trust, scope=scope_values(adapter, instance))
        return Visitor(adapter.request_author(request), trust, must_wait and not has_exemption, has_exemption)

    using = database_of(instance)
    # No worker would check the post and publish it.
    must_wait = adapter.hold_until_checked and can_hold(adapter) and is_active(using)
    unknown_visitor = Visitor(must_wait=must_wait)
    return call_or_default(read_visitor, unknown_visitor, using, "nobody is known to publish")


def is_published_unchanged(instance: Model, adapter: Adapter) -> bool:
    """Return whether the edited post is published and its watched fields equal the stored ones.

    If the site's code fails, return False.
    """
    using = database_of(instance)

    def compare_fields() -> bool:
        stored = live_post(instance, using)
        fields_by_name = concrete_fields_by_name(adapter.model)
        attnames = {fields_by_name[name].attname for name in adapter.watched & fields_by_name.keys()}
        return stored is not None and all(
            field_value(stored, attname) == field_value(instance, attname) for attname in attnames
        )

    return call_or_default(compare_fields, False, using, "nobody knows whether a post is published")


def check_post(request: HttpRequest, instance: Model, adapter: Adapter, visitor: Visitor) -> PublicationCheck:
    """Return the check of an unsaved or edited post. It names only posts that the visitor may see.

    If the app is not active, nothing is found and the post is let through.
    """
    is_new, using = instance._state.adding, database_of(instance)
    if not is_active(using):
        return PublicationCheck()

    def run_check() -> PublicationCheck:
        # A post that staff edit is still its author's post.
        author = visitor.author if is_new else adapter.author(instance)
        visible_querysets = [partner.visible(request) for partner in adapter.partner_adapters]
        found = find_for_request(
            instance, visible=visible_querysets, author=author, limit=MAX_MATCHES, using=using
        )
        matches: Sequence[Match] = found
        if not is_new:
            matches = _without_younger_copies(matches, instance, using)
        renewable = _renewable_matches(matches, adapter, visitor, instance) if is_new else ()
        resubmission = _visitor_resubmission(request, instance, adapter, visitor) if is_new else None
        if resubmission is not None:
            matches = [
                resubmission.match,
                *(match for match in matches if match.object != resubmission.match.object),
            ]
        decision = decide_or_warn(
            matches, adapter, visitor.trust, scope_values(adapter, instance), facts_of(found)
        )
        # A moderator already has the same text to review.
        if resubmission is not None and decision.action == "hold":
            decision = PublicationDecision("block", (resubmission.match,))
        return PublicationCheck(matches, decision, renewable, resubmission)

    return call_or_default(run_check, PublicationCheck(), using, "a post is published unchecked")


def _without_younger_copies(matches: Sequence[Match], instance: Model, using: str) -> Sequence[Match]:
    """Leave out posts of other authors that copied the edited post: its author is not to be blamed for them."""
    objects = [match.object for match in matches if match.object is not None and not match.own]
    documents = documents_of([instance, *objects], using)
    own_document = documents.get(post_id_of(instance, using))
    if own_document is None:
        return matches
    pairs = Pair.objects.using(using).filter(
        Q(a=own_document) | Q(b=own_document), scheme__state=Scheme.State.ACTIVE, verdict=Verdict.DUPLICATE
    )
    known_duplicates = {pair.other_id(own_document.pk) for pair in pairs.only("a", "b")}
    copies = {
        post_id
        for post_id, document in documents.items()
        if document.pk in known_duplicates and document.text_age > own_document.text_age
    }
    return [
        match for match in matches if match.object is None or post_id_of(match.object, using) not in copies
    ]


def _visitor_resubmission(
    request: HttpRequest, instance: Model, adapter: Adapter, visitor: Visitor
) -> Resubmission | None:
    """Return the visitor's waiting post with the same text.

    Return None if there is none, or if a rule lets them submit the text again.
    """
    if visitor.author in (None, ""):
        return None
    resubmission = find_resubmission(instance, adapter, visitor.author, request, database_of(instance))
    scope = scope_values(adapter, instance)
    return (
        None
        if resubmission and is_match_allowed(resubmission.match, adapter, trust=visitor.trust, scope=scope)
        else resubmission
    )


def check_text(
    text: str, adapter: Adapter, visible: Querysets | None, author: Any, trust: str, scope: Iterable[Any]
) -> PublicationCheck:
    """Return the check of a plain text against the posts of ``visible``. Deleted posts are left out."""
    values, model = tuple(scope), adapter.model

    def run_check() -> PublicationCheck:
        all_matches = find_for_request(
            text, model, visible=visible, author=author, limit=MAX_MATCHES, scope=values
        )
        matches = [match for match in all_matches if match.object is not None]
        return PublicationCheck(
            matches, decide_or_warn(matches, adapter, trust, values, facts_of(all_matches))
        )

    return call_or_default(
        run_check, PublicationCheck(), router.db_for_write(model), "a text is let through unchecked"
    )


def decide_or_warn(
    matches: Sequence[Match],
    adapter: Adapter,
    trust: str,
    scope: Iterable[Any],
    facts: Iterable[str] = (),
) -> PublicationDecision[Match]:
    """Return the decision of ``rules.apply_rules``.

    If the decision is to hold and the model cannot be held, it is to warn.
    """
    decision = apply_rules(matches, adapter, trust=trust, scope=scope, facts=facts)
    return (
        PublicationDecision("warn", decision.causes, decision.facts)
        if decision.action == "hold" and not can_hold(adapter)
        else decision
    )


def _renewable_matches(
    matches: Sequence[Match], adapter: Adapter, visitor: Visitor, instance: Model
) -> Sequence[Match]:
    """Return the visitor's own posts of the same model that the rules act on.

    Return () if a post by another author would hold or block the new text.
    """
    if not adapter.can_renew:
        return ()
    scope = scope_values(adapter, instance)
    decision_on_others = decide_or_warn(
        [match for match in matches if not match.own], adapter, visitor.trust, scope
    )
    # A renewed post would have the same text.
    if decision_on_others.action in ("hold", "block"):
        return ()
    own_matches = [match for match in matches if match.own and match.object is not None]
    causes = decide_or_warn(own_matches, adapter, visitor.trust, scope).causes
    return [match for match in causes if can_visitor_renew(match.object, adapter, visitor)]


def can_visitor_renew(old_post: Model | None, adapter: Adapter, visitor: Visitor) -> bool:
    """Return whether the visitor may renew the old post: it is their own, and it is not held."""
    if old_post is None or not isinstance(old_post, adapter.model) or not visitor.owns(old_post, adapter):
        return False
    return not holds_of(old_post, database_of(old_post)).exists()


def call_or_default(
    function: Callable[[], Answer], default: Answer, using: str, failure_message: str
) -> Answer:
    """Return the function's result.

    If it raises, log the error, keep the transaction usable and return ``default``.
    """
    try:
        if not transaction.get_connection(using).in_atomic_block:
            return function()
        with transaction.atomic(using=using):
            return function()
    except Exception as error:
        logger.error("neardup: %s", failure_message, exc_info=without_message(error))
        return default
