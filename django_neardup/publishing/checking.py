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
from ..faults import INTERRUPTS
from ..models import Decision, DecisionMember, Document, Fingerprint, Hold, Pair, Scheme
from ..pipeline import model_of, retrying, space_lock
from ..pipeline.facts import digests, is_current, pairs_of
from ..pipeline.told import Told
from ..signals import decision_made, document_checked
from ..visible import Visible
from .holding import facts_of, hidings_of, is_live, locked, publish, turn_down
from .rules import decide, scope_of

logger = logging.getLogger(__name__)

State = Hold.State


@dataclass(frozen=True)
class Fact:
    """A post that a held one is like, as the rules see it."""

    verdict: str
    exact: bool
    own: bool
    deleted: bool = False


def connect() -> None:
    """Listen to the worker and to people's decisions."""
    document_checked.connect(on_checked, dispatch_uid="neardup.publishing")
    decision_made.connect(on_decided, dispatch_uid="neardup.publishing")


def on_checked(sender: type[Model] | None, document: Document, using: str, **kwargs: Any) -> None:
    """``document_checked``: a post that waits for its check, or was edited while it waits, is judged by the rules."""
    if _may_be_held(document) and Hold.objects.using(using).filter(document=document.pk).exists():
        _settle_safely(document, using, decided=False)


def on_decided(sender: type[Decision], decision: Decision, using: str, **kwargs: Any) -> None:
    """``decision_made``: posts that wait for a person are published where nothing stands against them any more."""
    if decision.kind != Decision.Kind.DIFFERENT:
        return
    members = DecisionMember.objects.using(using).filter(
        decision=decision, document__hold__state=State.REVIEW
    )
    told = Told.of(decision).documents
    for member in members.select_related("document"):
        if member.document_id in told:
            _settle_safely(member.document, using, decided=True)


def _may_be_held(document: Document) -> bool:
    """Nearly every post is not, and costs no query: whoever holds one asks for a recheck, after which it is known and
    not live."""
    return document.recheck or (document.done > 0 and not document.live)


def _settle_safely(document: Document, using: str, *, decided: bool) -> None:
    """Judge it; where that fails, a person sees to it, and nothing is half done."""
    try:
        if not retrying(_settle, document, using, decided):
            # the turn that is to come must not be silent, whatever it finds
            Document.objects.using(using).filter(pk=document.pk).update(recheck=True)
    except tuple(INTERRUPTS):
        raise
    except Exception:
        logger.exception("neardup: the held post of document %s waits for a moderator", document.pk)
        waiting = Hold.objects.using(using).filter(document=document.pk, state=State.CHECKING)
        waiting.update(state=State.REVIEW)


def _settle(turn: Document, using: str, decided: bool) -> bool:
    """False where the post is another by now than the one that was compared."""
    known = Document.objects.using(using).get(pk=turn.pk)
    with space_lock([known.space_id] if known.space_id is not None else [], using):
        found = Document.objects.using(using).get(pk=turn.pk)
        held = Hold.objects.using(using).filter(document=turn.pk)
        instance = _post(found, using)
        if instance is None or is_live(instance, using):  # gone, or published by hand
            held.delete()
            return True
        row, digest = held.first(), _digest(found, turn, instance, using)
        if row is None or digest is None:
            return row is None
        if row.state == State.CHECKING or (row.verdict and (decided or row.digest != digest)):
            _judge(row, found, instance, digest, using)
    return True


def _post(document: Document, using: str) -> Model | None:
    """The document's post, its row locked; None where it is gone or nobody registers its model any more."""
    model = model_of(document)
    if model is None or not adapters_of(model):
        return None
    key = model._meta.pk.to_python(document.object_id)
    return locked(adapter_for(model), key, using)


def _digest(document: Document, turn: Document, instance: Model, using: str) -> str | None:
    """The source digest of the post as it is; None where it was not compared as it is: another turn will come."""
    source = adapter_for(instance).sources([instance.pk], using, strict=True)[instance.pk]
    stored = Fingerprint.objects.using(using).filter(document=document, scheme__state=Scheme.State.ACTIVE)
    compared = set(stored.values_list("source_digest", flat=True))
    now = source.digest in compared if compared else document.wanted <= turn.wanted
    return source.digest if now else None


def _judge(row: Hold, document: Document, instance: Model, digest: str, using: str) -> None:
    adapter = adapter_for(instance)
    facts = facts_about(document, adapter, using)
    decision = decide(facts, adapter, trust=row.trust, scope=scope_of(adapter, instance))
    held = Hold.objects.using(using).filter(pk=row.pk)
    if decision.action in ("ignore", "warn"):
        if _is_hidden(row, document, adapter, using):
            held.update(state=State.REVIEW, digest=digest)
        else:
            publish(instance, adapter, held, using)
    elif decision.action == "hold":
        held.update(state=State.REVIEW, digest=digest, **facts_of(decision.causes[0]))
    else:
        turn_down(instance, adapter, held, using, digest=digest, **facts_of(decision.causes[0]))


def _is_hidden(row: Hold, document: Document, adapter: Adapter, using: str) -> bool:
    """Whether staff have hidden the post since it was held, until when it was published, or had hidden it already: it
    is theirs to show it again."""
    return hidings_of(document, adapter, using).filter(created__gte=row.created).exists()


def facts_about(document: Document, adapter: Adapter, using: str) -> list[Fact]:
    """Posts of ``live()`` that the document's current pairs hold it to be like, and the deleted one that it repeats;
    none that a person has told apart."""
    facts = [_fact(pair, document) for pair in live_pairs(document, adapter, using)]
    lost = document.repeats if document.repeats_id is not None else None
    if lost is not None and lost.forget_at is not None and lost.forget_at > timezone.now():
        exact = bool(document.repeats_exactly)
        verdict = "duplicate" if exact else "related"
        facts.append(Fact(verdict, exact, _is_own(lost, document), deleted=True))
    return facts


def live_pairs(document: Document, adapter: Adapter, using: str) -> list[Pair]:
    """The document's pairs with posts of ``live()``, the likest first, but for those that a person has told apart; the
    documents of both sides are fetched.

    They are current, or the other post waits for its turn: it may have been published a moment ago."""
    schemes = Scheme.objects.using(using).filter(profile=adapter.profile, state=Scheme.State.ACTIVE)
    scheme = schemes.values_list("pk", flat=True).first()
    pairs = [] if scheme is None else pairs_of([document.pk], scheme, using)
    stored = digests([side for pair in pairs for side in (pair.a_id, pair.b_id)], scheme or 0, using)
    others = Document.objects.using(using).in_bulk([pair.other(document.pk) for pair in pairs])
    apart = _told_apart([pair for pair in pairs if pair.decision_id is not None], using)
    shown = _shown(others, adapter, using)
    found = []
    for pair in pairs:
        other = others.get(pair.other(document.pk))
        if other is None or other.pk not in shown or pair.pk in apart:
            continue
        pair.a, pair.b = (document, other) if pair.a_id == document.pk else (other, document)
        if is_current(pair, stored) or (other.wanted > other.done and _is_mine(pair, document, stored)):
            found.append(pair)
    return sorted(found, key=lambda pair: (not pair.exact, -pair.score, pair.pk))


def _is_mine(pair: Pair, document: Document, stored: Mapping[int, str]) -> bool:
    """Whether the pair was judged on the document's own text as it is."""
    own: str = pair.digest_a if pair.a_id == document.pk else pair.digest_b
    return stored.get(document.pk) == own


def _told_apart(pairs: Collection[Pair], using: str) -> set[int]:
    """Those pairs that the decision in force on them says are different things."""
    wanted = {pair.decision_id for pair in pairs if pair.decision_id is not None}
    apart = Decision.objects.using(using).filter(pk__in=wanted, kind=Decision.Kind.DIFFERENT, withdrawn=None)
    different = set(apart.values_list("pk", flat=True)) if wanted else set()
    return {pair.pk for pair in pairs if pair.decision_id in different}


def _shown(others: dict[int, Document], adapter: Adapter, using: str) -> set[int]:
    """Those documents whose posts ``live()`` holds now."""
    keys = {}
    for pk, document in others.items():
        model = model_of(document)
        if model is not None:
            keys[pk] = (model, document.object_id)
    live = Visible([each.live() for each in adapter.partner_adapters])
    held = live.held(keys.values(), using) if keys else {}
    return {pk for pk, key in keys.items() if key in held}


def _fact(pair: Pair, document: Document) -> Fact:
    other = pair.b if pair.a_id == document.pk else pair.a
    return Fact(pair.verdict, pair.exact, _is_own(other, document))


def _is_own(other: Document, document: Document) -> bool:
    return bool(document.author) and other.author == document.author
