"""Turns of many documents: read, sign and commit, look for candidates and verify, conclude, tell. One is the case of
one."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from ..adapters import Adapter, Source
from ..conf import get_profile
from ..models import Cluster, Document, Scheme
from ..signals import JobSignal, cluster_changed, document_checked
from ..signatures.statistics import StatisticsMissing
from .candidates import candidates_many
from .conclude import conclude_many
from .fence import Outdated
from .leases import End, end, finish_many, keep
from .locks import retrying
from .meeting import meet_leaders
from .memory import is_worth_it, remember
from .moving import Moved, hide, withdraw
from .objects import model_of
from .reading import by_length, read_many
from .records import Read, Signed
from .remembering import forget, remembered_scheme
from .repeats import look_again, notice
from .schemes import active_scheme, scheme_in
from .signing import sign_many
from .sql import rows_in
from .store import erase, store_many
from .verify import verify_many

looked_at = JobSignal()
"""A turn has looked at a post of which ``document_checked`` is silent: it is as it was, or goes on waiting. What no
source tells, its address say, may be another. Arguments: as of ``document_checked``."""

FINISHED = (
    'SELECT f."document_id", f."source_digest" FROM "neardup_fingerprint" f '
    'JOIN "neardup_document" d ON d."id" = f."document_id" JOIN "neardup_scheme" s ON s."id" = f."scheme_id" '
    'WHERE s."id" = %s AND s."state" = \'active\' AND d."state" = \'indexed\' '
    'AND f."version" <= d."done" AND f."document_id" IN ({})'
)


def take_turns(documents: Sequence[Document], using: str) -> None:
    """Bring leased documents up to what was wanted of each when it was leased. Their leases end.

    An object that cannot be read, or an error in any stage, is raised: take the turns one by one then, and only the
    guilty one fails. Turns that are taken twice do no harm. ``StatisticsMissing`` where they cannot be signed."""
    if not documents:
        return
    by_profile: dict[str, list[Read]] = {}
    for read in read_many(documents, using, strict=True):
        if read.adapter is None or read.source is None:
            state = Document.State.GONE if read.adapter else Document.State.SKIPPED
            drop(read, using, state, "" if read.adapter else "not registered")
        else:
            by_profile.setdefault(read.adapter.profile, []).append(read)
    for profile, reads in by_profile.items():
        for portion in by_length(reads):
            _take_anew(profile, portion, using)


def job(reads: Sequence[Read], scheme: Scheme, using: str) -> tuple[list[Signed], dict[int, bool]]:
    """The stages from signing to conclusion: what is signed, and of which documents the cluster changed.

    Those that are not compared, or were overtaken by a newer turn, are left out. Leases are renewed between stages."""
    documents = [read.document for read in reads]
    signed, skipped = sign_many(reads, scheme, using)
    for each in skipped:
        drop(each.read, using, Document.State.SKIPPED, each.reason)
    keep(documents, using)
    signed = store_many(signed, using) if signed else []
    if not signed:
        return [], {}
    stored = {one.document for one in signed}
    for document in documents:
        if document.pk in stored:
            document.version = document.wanted
    keep(documents, using)
    found = candidates_many(signed, using)
    keep(documents, using)
    verified = verify_many(signed, found, using)
    keep(documents, using)
    changed = conclude_many(signed, found, verified, using)
    keep(documents, using)
    if len(signed) > 1:
        meet_leaders(signed, found, verified, changed, using)
    notice(signed, found, using)
    return signed, changed


def take_from_view(document: Document, adapter: Adapter, using: str) -> None:
    """A post that is hidden, compared all the same, and cannot be signed now: it leads no group. Its turn goes on
    waiting."""
    looked_at.send_robust(sender=adapter.model, document=document, using=using)
    try:
        changed = retrying(hide, document, active_scheme(adapter.settings, using), using)
    except Moved:
        return
    if changed:
        tell_of_cluster(document, using)


def read_source(document: Document, using: str, strict: bool = True) -> tuple[Adapter | None, Source | None]:
    """The document's adapter and its object as it is now; None where there is none (or, unless ``strict``, where it
    cannot be read)."""
    (read,) = read_many([document], using, strict)
    return read.adapter, read.source


def _take_anew(profile: str, reads: Sequence[Read], using: str) -> None:
    """Take the turns by the scheme that this process knows; again where it is not the active one any more."""
    try:
        _take(reads, remembered_scheme(get_profile(profile), using), using)
    except (Outdated, StatisticsMissing):
        forget(using)
        _take(reads, remembered_scheme(get_profile(profile), using), using)


def _take(reads: Sequence[Read], scheme: Scheme, using: str) -> None:
    finished = _finished(reads, scheme, using)
    for document in finished:
        looked_at.send_robust(sender=model_of(document), document=document, using=using)
    if finished:
        end({document.pk: End(document.wanted) for document in finished}, using)
        known = {document.pk for document in finished}
        reads = [read for read in reads if read.document.pk not in known]
    if not reads:
        return
    again = {read.document.pk for read in reads if _was_tried(read.document)}
    signed, changed = job(reads, scheme, using)
    documents = {read.document.pk: read.document for read in reads}
    done = [one for one in signed if one.document in changed]
    for one in done:
        tell(documents[one.document], changed[one.document] or one.document in again, using)
    finish_many(done, using)


def _was_tried(document: Document) -> bool:
    """Whether a turn for the same request has got as far as writing and broke off: it may have changed the cluster,
    and told nobody."""
    return document.version == document.wanted


def _finished(reads: Iterable[Read], scheme: Scheme, using: str) -> list[Document]:
    """Those that a finished turn has signed as they are, and nobody asks to look at again."""
    known = {each.document.pk: each for each in reads if each.document.version and not each.document.recheck}
    stored = rows_in(using, FINISHED, known, scheme.pk)
    return [
        known[pk].document
        for pk, digest in stored
        if (source := known[pk].source) and source.digest == digest
    ]


def drop(read: Read, using: str, state: str, reason: str) -> None:
    """A document that is compared no more: what was stored of it goes, or is kept of a deleted post for its days."""
    document, changed, again = read.document, False, _was_tried(read.document)
    remembering = _remembering(read, using) if state == Document.State.GONE else None
    had = (
        retrying(remember, document, *remembering, using) if remembering else retrying(erase, document, using)
    )
    if had is None:
        return
    if had:
        scheme = scheme_in(document.space_id or 0, using)
        try:
            changed = retrying(withdraw, document, scheme, using)
        except Moved:
            return
    if remembering:
        look_again(document, *remembering, using)
    tell(document, changed or again, using)
    end({document.pk: End(document.wanted) if remembering else End(document.wanted, state, reason)}, using)


def _remembering(read: Read, using: str) -> tuple[Adapter, Scheme] | None:
    """By which adapter and scheme a deleted post is to be remembered; None where it is not."""
    if read.adapter is None or not (read.adapter.settings.memory_days and read.document.version):
        return None
    scheme = active_scheme(read.adapter.settings, using)
    return (read.adapter, scheme) if is_worth_it(read.document, read.adapter, scheme, using) else None


def tell(document: Document, changed: bool, using: str) -> None:
    """Send the signals of a turn that came to its end."""
    sender = model_of(document)
    document_checked.send_robust(sender=sender, document=document, using=using)
    if changed:
        tell_of_cluster(document, using)


def tell_of_cluster(document: Document, using: str) -> None:
    """Send ``cluster_changed`` with the cluster that the document is in by now; it is read where somebody listens."""
    if not cluster_changed.has_listeners(model_of(document)):
        return
    cluster = Cluster.objects.using(using).filter(memberships__document=document).first()
    cluster_changed.send_robust(sender=model_of(document), document=document, cluster=cluster, using=using)
