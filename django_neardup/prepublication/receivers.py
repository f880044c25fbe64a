"""What becomes of held posts when the worker has compared them, and when people decide: receivers of our signals.

Everything is read anew under the locks of the post's space and row, so a signal that comes twice, too late or after an
edit does nothing that the next one would not do."""

from __future__ import annotations

import logging
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any

from django.db.models import Model
from django.utils import timezone

from ..adapters import Adapter, adapter_for, adapters_of
from ..exceptions import JOB_TIMEOUT_ERRORS
from ..models import Decision, DecisionMember, Document, Fingerprint, Hold, Pair, Scheme
from ..pipeline import call_with_retries, model_of, space_lock
from ..pipeline.decision_lookup import DecisionScope
from ..pipeline.pairs import is_current, pairs_of, source_digests_of
from ..signals import decision_made, document_checked
from ..visibility import VisibilityFilter
from .holds import hide_records_of, is_live, lock_post, match_columns, publish_held, refuse_held
from .rules import apply_rules, scope_values

logger = logging.getLogger(__name__)

State = Hold.State


@dataclass(frozen=True)
class HeldPostMatch:
    """A post that a held one is like, as the rules see it."""

    verdict: str
    exact: bool
    own: bool
    deleted: bool = False


def connect_receivers() -> None:
    """Listen to the worker and to people's decisions."""
    document_checked.connect(on_document_checked, dispatch_uid="neardup.publishing")
    decision_made.connect(on_decision_made, dispatch_uid="neardup.publishing")


def on_document_checked(sender: type[Model] | None, document: Document, using: str, **kwargs: Any) -> None:
    """``document_checked``: a post that waits for its check, or was edited while it waits, is judged by the rules."""
    if _can_be_held(document) and Hold.objects.using(using).filter(document=document.pk).exists():
        _judge_safely(document, using, is_decision=False)


def on_decision_made(sender: type[Decision], decision: Decision, using: str, **kwargs: Any) -> None:
    """``decision_made``: posts that wait for a person are published where nothing stands against them any more."""
    if decision.kind != Decision.Kind.DIFFERENT:
        return
    members = DecisionMember.objects.using(using).filter(
        decision=decision, document__hold__state=State.REVIEW
    )
    told = DecisionScope.from_decision(decision).opposed_members
    for member in members.select_related("document"):
        if member.document_id in told:
            _judge_safely(member.document, using, is_decision=True)


def _can_be_held(document: Document) -> bool:
    """Nearly every post is not, and costs no query: whoever holds one asks for a recheck, after which it is known and
    not live."""
    return document.recheck or (document.done > 0 and not document.live)


def _judge_safely(document: Document, using: str, *, is_decision: bool) -> None:
    """Judge it; where that fails, a person sees to it, and nothing is half done."""
    try:
        if not call_with_retries(_judge_if_current, document, using, is_decision):
            # the turn that is to come must not be silent, whatever it finds
            Document.objects.using(using).filter(pk=document.pk).update(recheck=True)
    except tuple(JOB_TIMEOUT_ERRORS):
        raise
    except Exception:
        logger.exception("neardup: the held post of document %s waits for a moderator", document.pk)
        waiting = Hold.objects.using(using).filter(document=document.pk, state=State.CHECKING)
        waiting.update(state=State.REVIEW)


def _judge_if_current(checked_document: Document, using: str, is_decision: bool) -> bool:
    """False where the post is another by now than the one that was compared."""
    known = Document.objects.using(using).get(pk=checked_document.pk)
    with space_lock([known.space_id] if known.space_id is not None else [], using):
        found = Document.objects.using(using).get(pk=checked_document.pk)
        held = Hold.objects.using(using).filter(document=checked_document.pk)
        instance = _lock_post_of(found, using)
        if instance is None or is_live(instance, using):  # gone, or published by hand
            held.delete()
            return True
        row, digest = held.first(), _current_digest(found, checked_document, instance, using)
        if row is None or digest is None:
            return row is None
        if row.state == State.CHECKING or (row.verdict and (is_decision or row.digest != digest)):
            _apply_decision(row, found, instance, digest, using)
    return True


def _lock_post_of(document: Document, using: str) -> Model | None:
    """The document's post, its row locked; None where it is gone or nobody registers its model any more."""
    model = model_of(document)
    if model is None or not adapters_of(model):
        return None
    key = model._meta.pk.to_python(document.object_id)
    return lock_post(adapter_for(model), key, using)


def _current_digest(
    document: Document, checked_document: Document, instance: Model, using: str
) -> str | None:
    """The source digest of the post as it is; None where it was not compared as it is: another turn will come."""
    source = adapter_for(instance).sources([instance.pk], using, strict=True)[instance.pk]
    stored = Fingerprint.objects.using(using).filter(document=document, scheme__state=Scheme.State.ACTIVE)
    compared = set(stored.values_list("source_digest", flat=True))
    now = source.digest in compared if compared else document.wanted <= checked_document.wanted
    return source.digest if now else None


def _apply_decision(hold: Hold, document: Document, instance: Model, digest: str, using: str) -> None:
    adapter = adapter_for(instance)
    facts = find_held_post_matches(document, adapter, using)
    decision = apply_rules(facts, adapter, trust=hold.trust, scope=scope_values(adapter, instance))
    held = Hold.objects.using(using).filter(pk=hold.pk)
    if decision.action in ("ignore", "warn"):
        if _is_hidden_by_staff(hold, document, adapter, using):
            held.update(state=State.REVIEW, digest=digest)
        else:
            publish_held(instance, adapter, held, using)
    elif decision.action == "hold":
        held.update(state=State.REVIEW, digest=digest, **match_columns(decision.causes[0]))
    else:
        refuse_held(instance, adapter, held, using, digest=digest, **match_columns(decision.causes[0]))


def _is_hidden_by_staff(hold: Hold, document: Document, adapter: Adapter, using: str) -> bool:
    """Whether staff have hidden the post since it was held, until when it was published, or had hidden it already: it
    is theirs to show it again."""
    return hide_records_of(document, adapter, using).filter(created__gte=hold.created).exists()


def find_held_post_matches(document: Document, adapter: Adapter, using: str) -> list[HeldPostMatch]:
    """Posts of ``live()`` that the document's current pairs hold it to be like, and the deleted one that it repeats;
    none that a person has told apart."""
    facts = [_build_match(pair, document) for pair in live_pairs(document, adapter, using)]
    lost = document.repeats if document.repeats_id is not None else None
    if lost is not None and lost.forget_at is not None and lost.forget_at > timezone.now():
        exact = bool(document.repeats_exactly)
        verdict = "duplicate" if exact else "related"
        facts.append(HeldPostMatch(verdict, exact, _is_same_author(lost, document), deleted=True))
    return facts


def live_pairs(document: Document, adapter: Adapter, using: str) -> list[Pair]:
    """The document's pairs with posts of ``live()``, the likest first, but for those that a person has told apart; the
    documents of both sides are fetched.

    They are current, or the other post waits for its turn: it may have been published a moment ago."""
    schemes = Scheme.objects.using(using).filter(profile=adapter.profile, state=Scheme.State.ACTIVE)
    scheme = schemes.values_list("pk", flat=True).first()
    pairs = [] if scheme is None else pairs_of([document.pk], scheme, using)
    stored = source_digests_of(
        [side for pair in pairs for side in (pair.a_id, pair.b_id)], scheme or 0, using
    )
    others = Document.objects.using(using).in_bulk([pair.other_id(document.pk) for pair in pairs])
    apart = _different_pair_ids([pair for pair in pairs if pair.decision_id is not None], using)
    shown = _live_document_ids(others, adapter, using)
    found = []
    for pair in pairs:
        other = others.get(pair.other_id(document.pk))
        if other is None or other.pk not in shown or pair.pk in apart:
            continue
        pair.a, pair.b = (document, other) if pair.a_id == document.pk else (other, document)
        if is_current(pair, stored) or (
            other.wanted > other.done and _is_own_text_current(pair, document, stored)
        ):
            found.append(pair)
    return sorted(found, key=lambda pair: (not pair.exact, -pair.score, pair.pk))


def _is_own_text_current(pair: Pair, document: Document, current_digests: Mapping[int, str]) -> bool:
    """Whether the pair was judged on the document's own text as it is."""
    own: str = pair.digest_a if pair.a_id == document.pk else pair.digest_b
    return current_digests.get(document.pk) == own


def _different_pair_ids(pairs: Collection[Pair], using: str) -> set[int]:
    """Those pairs that the decision in force on them says are different things."""
    wanted = {pair.decision_id for pair in pairs if pair.decision_id is not None}
    apart = Decision.objects.using(using).filter(pk__in=wanted, kind=Decision.Kind.DIFFERENT, withdrawn=None)
    different = set(apart.values_list("pk", flat=True)) if wanted else set()
    return {pair.pk for pair in pairs if pair.decision_id in different}


def _live_document_ids(documents: dict[int, Document], adapter: Adapter, using: str) -> set[int]:
    """Those documents whose posts ``live()`` holds now."""
    keys = {}
    for pk, document in documents.items():
        model = model_of(document)
        if model is not None:
            keys[pk] = (model, document.object_id)
    live = VisibilityFilter([each.live() for each in adapter.partner_adapters])
    held = live.visible_keys(keys.values(), using) if keys else {}
    return {pk for pk, key in keys.items() if key in held}


def _build_match(pair: Pair, document: Document) -> HeldPostMatch:
    other = pair.b if pair.a_id == document.pk else pair.a
    return HeldPostMatch(pair.verdict, pair.exact, _is_same_author(other, document))


def _is_same_author(other_document: Document, document: Document) -> bool:
    return bool(document.author) and other_document.author == document.author
