"""One document's turn: read, sign and commit, look for candidates and verify, conclude, tell."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

from django.db.models import BooleanField, Case, F, Value, When

from ..adapters import Adapter, Source, adapter_for, registered
from ..conf import get_profile
from ..models import Cluster, Document, Fingerprint, Scheme
from ..signals import cluster_changed, document_checked
from .conclude import Moved, conclude, hide, withdraw
from .ledger import finish, mark_document
from .locks import retrying
from .objects import model_of
from .schemes import active_scheme, canonise
from .sign import Signed, erase, sign, store, why_skipped
from .verify import Verified, candidates, verify

logger = logging.getLogger(__name__)

TRIES = 3
"""How often pairs that moved on between verification and conclusion are verified again."""


def take_turn(document: Document, using: str) -> None:
    """Bring the document up to what was wanted when it was leased. Its lease ends, unless a newer turn has it."""
    wanted, (adapter, source) = document.wanted, read_source(document, using)
    scheme = active_scheme(adapter.settings if adapter else get_profile(), using)
    if source is not None and not document.recheck and _is_finished(document, scheme, source.digest, using):
        _finish(document, wanted, scheme, using)
        return
    if adapter is None or source is None:
        state = Document.State.GONE if source is None and adapter else Document.State.SKIPPED
        _drop(document, wanted, scheme, using, state, "" if adapter else "not registered")
        return
    text = canonise(adapter, source, scheme)
    reason = why_skipped(adapter, source, text)
    if reason:
        _drop(document, wanted, scheme, using, Document.State.SKIPPED, reason)
        return
    _index(document, wanted, sign(adapter, source, scheme, text, using), using)


def take_from_view(document: Document, adapter: Adapter, using: str) -> None:
    """A post that is hidden, compared all the same, and cannot be signed now: it leads no group. Its turn goes on
    waiting."""
    try:
        changed = retrying(hide, document, active_scheme(adapter.settings, using), using)
    except Moved:
        return
    if changed:
        _tell_of_cluster(document, using)


def read_source(document: Document, using: str, strict: bool = True) -> tuple[Adapter | None, Source | None]:
    """The document's adapter and its object as it is now; None where there is none (or, unless ``strict``, where it
    cannot be read)."""
    model = model_of(document)
    if model is None or model not in registered():
        return None, None
    adapter = adapter_for(model)
    key = model._meta.pk.to_python(document.object_id)
    return adapter, adapter.sources([key], using, strict).get(key)


def _index(document: Document, wanted: int, signed: Signed, using: str) -> None:
    if not retrying(store, document, wanted, signed, using):
        return
    verified = verify(document, signed, candidates(document, signed, using), using)
    changed = _conclude(document, wanted, signed, verified, using)
    if changed is None:
        return
    _tell(document, changed, using)
    reason = "truncated" if signed.text.truncated else ""
    _finish(document, wanted, signed.scheme, using, state=Document.State.INDEXED, reason=reason)


def _conclude(
    document: Document, wanted: int, signed: Signed, verified: Sequence[Verified], using: str
) -> bool | None:
    """Step C, with what has moved on meanwhile verified again; None where the document itself has."""
    for _ in range(TRIES):
        try:
            return retrying(conclude, document, wanted, signed.digest, signed.scheme, verified, using)
        except Moved as moved:
            if not moved.documents:
                return None
            still = [each for each in verified if each.other(document.pk).document not in moved.documents]
            again = Fingerprint.objects.using(using).filter(
                document__in=moved.documents, scheme=signed.scheme, document__space=signed.space
            )
            verified = still + verify(document, signed, list(again), using)
    mark_document(document.pk, using, recheck=True)
    return False


def _drop(document: Document, wanted: int, scheme: Scheme, using: str, state: str, reason: str) -> None:
    if not retrying(erase, document, wanted, using):
        return
    try:
        changed = retrying(withdraw, document, wanted, scheme, using)
    except Moved:
        return
    _tell(document, changed, using)
    _finish(document, wanted, scheme, using, state=state, reason=reason, live=False)


def _is_finished(document: Document, scheme: Scheme, digest: str, using: str) -> bool:
    rows = Fingerprint.objects.using(using).filter(document=document, scheme=scheme)
    return rows.filter(source_digest=digest, finished=True).exists()


def _finish(document: Document, wanted: int, scheme: Scheme, using: str, **changes: Any) -> None:
    Fingerprint.objects.using(using).filter(document=document, scheme=scheme, version=wanted).update(
        finished=True
    )
    still = Case(
        When(wanted__gt=wanted, then=F("recheck")), default=Value(False), output_field=BooleanField()
    )
    finish(Document, document.pk, wanted, using, recheck=still, **changes)


def _tell(document: Document, changed: bool, using: str) -> None:
    sender = model_of(document)
    document_checked.send_robust(sender=sender, document=document, using=using)
    if changed:
        _tell_of_cluster(document, using)


def _tell_of_cluster(document: Document, using: str) -> None:
    cluster = Cluster.objects.using(using).filter(memberships__document=document).first()
    cluster_changed.send_robust(sender=model_of(document), document=document, cluster=cluster, using=using)
