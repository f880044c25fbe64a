"""Signal receivers for held posts: the worker has compared a post, or a moderator has decided.

Everything is read again under the locks of the post's space and row. So a repeated, late or outdated signal
is harmless: it does only what the next signal would do.
"""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Model
from django.utils import timezone

from ..adapters import Adapter, adapter_for, adapters_of
from ..exceptions import JOB_TIMEOUT_ERRORS, without_message
from ..models import Decision, DecisionMember, Document, Fingerprint, Hold, Pair, Scheme, Verdict
from ..pipeline import call_with_retries, model_of, space_lock
from ..pipeline.decision_lookup import DecisionScope
from ..pipeline.open_items import log_changed_documents
from ..pipeline.pairs import is_current, pairs_of, source_digests_of
from ..pipeline.process_documents import document_check_skipped
from ..signals import decision_made, document_checked
from ..visibility import VisibilityFilter
from .holds import hide_records_of, is_live, lock_post, match_columns, publish_held, refuse_held
from .rules import apply_rules, scope_values
from .text_facts import facts_of_text

logger = logging.getLogger(__name__)

State = Hold.State


@dataclass(frozen=True)
class HeldPostMatch:
    """A post that a held post is similar to, as the rules read it."""

    verdict: str
    exact: bool
    own: bool
    deleted: bool = False
    doubtful: bool = False


def connect_receivers() -> None:
    """Connect the receivers of the worker's signal and of the signal for decisions."""
    for signal in (document_checked, document_check_skipped):
        signal.connect(on_document_checked, dispatch_uid="neardup.publishing")
    decision_made.connect(on_decision_made, dispatch_uid="neardup.publishing")


def on_document_checked(
    sender: type[Model] | None, document: Document, using: str, stays_pending: bool = False, **kwargs: Any
) -> None:
    """Handle ``document_checked``: apply the rules to a held post.

    The post was checked, or it was edited while it was held. ``stays_pending``: it could not be compared yet.
    """
    if (
        not stays_pending
        and _can_be_held(document)
        and Hold.objects.using(using).filter(document=document.pk).exists()
    ):
        _judge_safely(document, using, is_decision=False)


def on_decision_made(sender: type[Decision], decision: Decision, using: str, **kwargs: Any) -> None:
    """Handle ``decision_made``: publish posts in review if no match stands against them any more."""
    if decision.kind != Decision.Kind.DIFFERENT:
        return
    members = DecisionMember.objects.using(using).filter(
        decision=decision, document__hold__state=State.REVIEW
    )
    opposed_ids = DecisionScope.from_decision(decision).opposed_members
    for member in members.select_related("document"):
        if member.document_id in opposed_ids:
            _judge_safely(member.document, using, is_decision=True)


def _can_be_held(document: Document) -> bool:
    """Return whether the document's post may have a hold.

    This takes no query, and for nearly all posts the answer is no.
    """
    # A new hold sets `recheck`. After the recheck, the document is done and not live.
    return document.recheck or (document.done > 0 and not document.live)


def _judge_safely(document: Document, using: str, *, is_decision: bool) -> None:
    """Apply the rules. If that fails, leave the post to a moderator, without half-done changes."""
    try:
        if not call_with_retries(_judge_if_current, document, using, is_decision):
            # The next job must report the document even if it finds nothing new.
            Document.objects.using(using).filter(pk=document.pk).update(recheck=True)
    except tuple(JOB_TIMEOUT_ERRORS):
        raise
    except Exception as error:
        logger.error(
            "neardup: the held post of document %s waits for a moderator",
            document.pk,
            exc_info=without_message(error),
        )
        waiting = Hold.objects.using(using).filter(document=document.pk, state=State.CHECKING)
        waiting.update(state=State.REVIEW)
        log_changed_documents([document.pk], using)


def _judge_if_current(checked_document: Document, using: str, is_decision: bool) -> bool:
    """Apply the rules to the current post. Return False if the post has changed since it was compared."""
    stored_document = Document.objects.using(using).get(pk=checked_document.pk)
    # Two duplicates may be checked at the same time. With the lock, only one of them is published.
    with space_lock([stored_document.space_id] if stored_document.space_id is not None else [], using):
        locked_document = Document.objects.using(using).get(pk=checked_document.pk)
        holds = Hold.objects.using(using).filter(document=checked_document.pk)
        instance = _lock_post_of(locked_document, using)
        # The post is gone, or it was published by hand.
        if instance is None or is_live(instance, using):
            holds.delete()
            return True
        hold_row, digest = holds.first(), _current_digest(locked_document, checked_document, instance, using)
        if hold_row is None or digest is None:
            return hold_row is None
        # A hold without a verdict was made by the site for its own reasons. It stays in review.
        if hold_row.state == State.CHECKING or (
            hold_row.verdict and (is_decision or hold_row.digest != digest)
        ):
            _apply_decision(hold_row, locked_document, instance, digest, using)
    return True


def _lock_post_of(document: Document, using: str) -> Model | None:
    """Return the document's post with its row locked.

    Return None if it is gone or its model is no longer registered.
    """
    model = model_of(document)
    if model is None or not adapters_of(model):
        return None
    key = model._meta.pk.to_python(document.object_id)
    return lock_post(adapter_for(model), key, using)


def _current_digest(
    document: Document, checked_document: Document, instance: Model, using: str
) -> str | None:
    """Return the source digest of the current post.

    Return None if this version was not compared. Another job will follow.
    """
    source = adapter_for(instance).sources([instance.pk], using, strict=True)[instance.pk]
    fingerprints = Fingerprint.objects.using(using).filter(
        document=document, scheme__state=Scheme.State.ACTIVE
    )
    compared_digests = set(fingerprints.values_list("source_digest", flat=True))
    is_compared = (
        source.digest in compared_digests if compared_digests else document.wanted <= checked_document.wanted
    )
    return source.digest if is_compared else None


def _apply_decision(hold: Hold, document: Document, instance: Model, digest: str, using: str) -> None:
    adapter = adapter_for(instance)
    matches = find_held_post_matches(document, adapter, using)
    source = adapter.source(instance, compared=True, live=False)
    decision = apply_rules(
        matches,
        adapter,
        trust=hold.trust,
        scope=scope_values(adapter, instance),
        facts=facts_of_text(source.text, adapter),
    )
    # A fact about the text decides without a similar post.
    cause = next(iter(decision.causes), None)
    holds = Hold.objects.using(using).filter(pk=hold.pk)
    log_changed_documents([document.pk], using)
    if decision.action in ("ignore", "warn"):
        # If staff hid the post, only staff show it again.
        if _is_hidden_by_staff(hold, document, adapter, using):
            holds.update(state=State.REVIEW, digest=digest)
        else:
            publish_held(instance, adapter, holds, using)
    elif decision.action == "hold":
        holds.update(state=State.REVIEW, digest=digest, **match_columns(cause))
    else:
        refuse_held(instance, adapter, holds, using, digest=digest, **match_columns(cause))


def _is_hidden_by_staff(hold: Hold, document: Document, adapter: Adapter, using: str) -> bool:
    """Return whether staff hid the post after the start of the hold, or had hidden it before the hold.

    A hold of a post that was already hidden starts at that hiding. See ``holds._backdate_hold``.
    """
    return hide_records_of(document, adapter, using).filter(created__gte=hold.created).exists()


def find_held_post_matches(document: Document, adapter: Adapter, using: str) -> list[HeldPostMatch]:
    """Return the live posts that the document's pairs call similar, and the deleted post that it repeats.

    Pairs that a moderator has marked as different are left out, and other authors' posts with a younger text: they
    copied the held post, while it was shown.
    """
    held_since = Hold.objects.using(using).filter(document=document).values_list("created", flat=True).first()
    matches = [
        _build_match(pair, document)
        for pair in live_pairs(document, adapter, using)
        if not _is_copy(pair, document, held_since)
    ]
    deleted_document = document.repeats if document.repeats_id is not None else None
    if (
        deleted_document is not None
        and deleted_document.forget_at is not None
        and deleted_document.forget_at > timezone.now()
    ):
        is_exact = bool(document.repeats_exactly)
        verdict = "duplicate" if is_exact else "related"
        matches.append(
            HeldPostMatch(verdict, is_exact, _is_same_author(deleted_document, document), deleted=True)
        )
    return matches


def live_pairs(document: Document, adapter: Adapter, using: str) -> list[Pair]:
    """Return the document's pairs with posts of ``live()``, the most similar first.

    Pairs that a moderator has marked as different are left out. The documents of both sides are loaded. A
    pair is current, or the other post is pending.
    """
    schemes = Scheme.objects.using(using).filter(profile=adapter.profile, state=Scheme.State.ACTIVE)
    scheme = schemes.values_list("pk", flat=True).first()
    pairs = [] if scheme is None else pairs_of([document.pk], scheme, using)
    current_digests = source_digests_of(
        [side for pair in pairs for side in (pair.a_id, pair.b_id)], scheme or 0, using
    )
    other_documents = Document.objects.using(using).in_bulk([pair.other_id(document.pk) for pair in pairs])
    different_ids = _different_pair_ids([pair for pair in pairs if pair.decision_id is not None], using)
    live_ids = _live_document_ids(other_documents, adapter, using)
    live = []
    for pair in pairs:
        other = other_documents.get(pair.other_id(document.pk))
        if other is None or other.pk not in live_ids or pair.pk in different_ids:
            continue
        pair.a, pair.b = (document, other) if pair.a_id == document.pk else (other, document)
        # A pending post may have been published a moment ago.
        if is_current(pair, current_digests) or (
            other.wanted > other.done and _is_own_text_current(pair, document, current_digests)
        ):
            live.append(pair)
    return sorted(live, key=lambda pair: (not pair.exact, -pair.score, pair.pk))


def _is_own_text_current(pair: Pair, document: Document, current_digests: Mapping[int, str]) -> bool:
    """Return whether the pair was judged on the document's current text."""
    own_digest: str = pair.digest_a if pair.a_id == document.pk else pair.digest_b
    return current_digests.get(document.pk) == own_digest


def _different_pair_ids(pairs: Collection[Pair], using: str) -> set[int]:
    """Return the ids of pairs with an effective decision "different"."""
    decision_ids = {pair.decision_id for pair in pairs if pair.decision_id is not None}
    different_decisions = Decision.objects.using(using).filter(
        pk__in=decision_ids, kind=Decision.Kind.DIFFERENT, withdrawn=None
    )
    different_ids = set(different_decisions.values_list("pk", flat=True)) if decision_ids else set()
    return {pair.pk for pair in pairs if pair.decision_id in different_ids}


def _live_document_ids(documents: dict[int, Document], adapter: Adapter, using: str) -> set[int]:
    """Return the ids of documents with posts that ``live()`` contains now."""
    key_by_document = {}
    for pk, document in documents.items():
        model = model_of(document)
        if model is not None:
            key_by_document[pk] = (model, document.object_id)
    live = VisibilityFilter([partner.live() for partner in adapter.partner_adapters])
    visible_keys = live.visible_keys(key_by_document.values(), using) if key_by_document else {}
    return {pk for pk, key in key_by_document.items() if key in visible_keys}


def _build_match(pair: Pair, document: Document) -> HeldPostMatch:
    other = pair.b if pair.a_id == document.pk else pair.a
    return HeldPostMatch(pair.verdict, pair.exact, _is_same_author(other, document), doubtful=pair.doubtful)


def _is_copy(pair: Pair, document: Document, held_since: datetime | None) -> bool:
    """Return whether the other post is another author's duplicate that copied the document's text.

    Its text is younger, but older than the hold: a held post is not shown, so it cannot be copied. Of two held twins
    only one is published.
    """
    other = pair.b if pair.a_id == document.pk else pair.a
    if pair.verdict != Verdict.DUPLICATE or _is_same_author(other, document):
        return False
    was_shown = held_since is None or other.text_since <= held_since.timestamp() * 1000
    return was_shown and other.text_age > document.text_age


def _is_same_author(other_document: Document, document: Document) -> bool:
    return bool(document.author) and other_document.author == document.author
