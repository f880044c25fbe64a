"""Process many documents together: read, sign, store, compare, send signals.

A stage takes the documents that the previous stage returned, in the same order. All documents of a call have one
scheme. Each stage commits its writes in short transactions. Never call it inside a transaction.

The order prevents two faults:

- ``store_many`` commits the keys of all documents before ``candidates_many`` reads a bucket. So two copies saved in
  the same second find each other, also within one batch.
- ``conclude_many`` checks under the lock of the space whether a text has changed since it was compared.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from ..adapters import Adapter, Source
from ..algorithms.statistics import StatisticsMissing
from ..conf import get_profile
from ..db.queries import fingerprints as fingerprint_queries
from ..exceptions import SecretMissing
from ..models import Cluster, Document, Scheme
from ..signals import JobSignal, cluster_changed, document_checked
from .clusters.moves import ConcurrentChange, demote_hidden, remove_relations
from .compare_documents import compare_documents
from .content_objects import model_of
from .deleted_posts import remember_deleted, should_remember
from .leases import Completion, finish_documents, finish_many, renew_leases
from .locks import call_with_retries
from .read import read_many, split_by_length
from .reposts import recheck_reposts
from .scheme_cache import cached_scheme, cached_space, clear_cache
from .schemes import active_scheme, scheme_of_space
from .sign import sign_many
from .stage_types import ReadDocument, SignedDocument
from .store import erase_document, store_many
from .stored_posts import StoredPosts
from .version_guard import SchemeChanged

document_check_skipped = JobSignal()
"""A post was read, and ``document_checked`` is not sent for it.

Its source has not changed, it is skipped again for the same reason, or it stays pending. Something outside the
source, such as its address, may have changed.

Arguments: the same as for ``document_checked``, and ``stays_pending=True`` for the last of these.
"""


StoredCallback = Callable[[Collection[int]], None]
"""Receives the ids of documents whose keys are stored, before they are compared."""


def ignore_stored(documents: Collection[int]) -> None:
    """Do nothing."""


def process_documents(
    documents: Sequence[Document], using: str, on_stored: StoredCallback = ignore_stored
) -> None:
    """Process leased documents: answer the requests that each had when it was leased. End their leases.

    Raise the error if an object cannot be read or a stage fails. Then process the documents one by one, so
    that only the faulty one fails. It does no harm to process a document twice. Raise StatisticsMissing or
    SecretMissing if texts cannot be signed. ``on_stored`` tells of the progress.
    """
    if not documents:
        return
    by_profile: dict[str, list[ReadDocument]] = {}
    # Strict: a post that cannot be read must be retried, not treated as deleted.
    for read_document in read_many(documents, using, strict=True):
        if read_document.adapter is None or read_document.source is None:
            state = Document.State.GONE if read_document.adapter else Document.State.SKIPPED
            remove_document(read_document, using, state, "" if read_document.adapter else "not registered")
        else:
            by_profile.setdefault(read_document.adapter.profile, []).append(read_document)
    for profile, profile_documents in by_profile.items():
        for batch in split_by_length(profile_documents):
            _process_with_cached_scheme(profile, batch, using, on_stored)


def run_stages(
    read_documents: Sequence[ReadDocument],
    scheme: Scheme,
    using: str,
    on_stored: StoredCallback = ignore_stored,
) -> tuple[list[SignedDocument], dict[int, bool]]:
    """Run the stages from signing to conclusion.

    Return the signed documents, and by document id whether its cluster has changed. Documents that are not
    compared, or that a newer request has overtaken, are left out. Leases are renewed between the stages.
    """
    documents = [read_document.document for read_document in read_documents]
    signed, skipped = sign_many(read_documents, scheme, using)
    for skipped_document in skipped:
        remove_document(
            skipped_document.read_document, using, Document.State.SKIPPED, skipped_document.reason
        )
    renew_leases(documents, using)
    signed = store_many(signed, using) if signed else []
    if not signed:
        return [], {}
    stored_ids = {signed_document.document_id for signed_document in signed}
    for document in documents:
        if document.pk in stored_ids:
            document.version = document.wanted
    on_stored(stored_ids)
    renew_leases(documents, using)
    posts = StoredPosts.of(signed, using)
    return signed, compare_documents(signed, posts, lambda: renew_leases(documents, using))


def hide_unsignable(document: Document, adapter: Adapter, using: str) -> None:
    """Stop a hidden post from leading its cluster.

    The post is still compared but cannot be signed now. It stays pending.
    """
    document_check_skipped.send_robust(
        sender=adapter.model, document=document, using=using, stays_pending=True
    )
    try:
        changed = call_with_retries(demote_hidden, document, active_scheme(adapter.settings, using), using)
    except ConcurrentChange:
        return
    if changed:
        send_cluster_changed(document, using)


def read_source(document: Document, using: str, strict: bool = True) -> tuple[Adapter | None, Source | None]:
    """Return the document's adapter, and its current object.

    The adapter is None if the model has none. The source is None if the object is gone. Unless ``strict``, it
    is also None if the object cannot be read.
    """
    (read_document,) = read_many([document], using, strict)
    return read_document.adapter, read_document.source


def _process_with_cached_scheme(
    profile: str, read_documents: Sequence[ReadDocument], using: str, on_stored: StoredCallback
) -> None:
    """Process documents with the cached scheme.

    If it is no longer the active one, read it again and repeat.
    """
    try:
        _process_read_documents(read_documents, cached_scheme(get_profile(profile), using), using, on_stored)
    except (SchemeChanged, StatisticsMissing, SecretMissing):
        clear_cache(using)
        _process_read_documents(read_documents, cached_scheme(get_profile(profile), using), using, on_stored)


def _process_read_documents(
    read_documents: Sequence[ReadDocument], scheme: Scheme, using: str, on_stored: StoredCallback
) -> None:
    unchanged = _find_unchanged(read_documents, scheme, using)
    finished = [document for document in unchanged if not document.recheck and not document.unaligned]
    for document in finished:
        document_check_skipped.send_robust(sender=model_of(document), document=document, using=using)
    if finished:
        finish_documents({document.pk: Completion(document.wanted) for document in finished}, using)
        finished_ids = {document.pk for document in finished}
        read_documents = [
            read_document for read_document in read_documents if read_document.document.pk not in finished_ids
        ]
    if not read_documents:
        return
    interrupted_ids = {
        read_document.document.pk
        for read_document in read_documents
        if _was_interrupted(read_document.document)
    }
    signed, changed = run_stages(read_documents, scheme, using, on_stored)
    documents = {read_document.document.pk: read_document.document for read_document in read_documents}
    unchanged_ids = {document.pk for document in unchanged}
    concluded = [signed_document for signed_document in signed if signed_document.document_id in changed]
    # Signals first: if the process dies here, the next attempt sends them again.
    for signed_document in concluded:
        send_signals(
            documents[signed_document.document_id],
            changed[signed_document.document_id] or signed_document.document_id in interrupted_ids,
            using,
            is_unchanged=signed_document.document_id in unchanged_ids,
        )
    finish_many(concluded, using)


def _was_interrupted(document: Document) -> bool:
    """Return whether an earlier attempt for the same request was stored and then broke off.

    It may have changed the cluster without sending a signal.
    """
    if document.unaligned and document.done < document.version:
        return True  # it broke off after its later turn was requested
    return document.version == document.wanted


def _find_unchanged(read_documents: Iterable[ReadDocument], scheme: Scheme, using: str) -> list[Document]:
    """Return documents with a stored digest equal to the source's. Some may be compared again nevertheless."""
    processed = {
        read_document.document.pk: read_document
        for read_document in read_documents
        if read_document.document.version
    }
    stored_digests = fingerprint_queries.settled_digests(using, [*processed], scheme.pk)
    return [
        processed[pk].document
        for pk, digest in stored_digests.items()
        if (source := processed[pk].source) and source.digest == digest
    ]


def remove_document(read_document: ReadDocument, using: str, state: str, reason: str) -> None:
    """Remove what is stored of a document that is no longer compared.

    If its post was deleted and the profile remembers deleted posts, keep its keys and its fingerprint for
    their days.
    """
    document, changed, was_interrupted = (
        read_document.document,
        False,
        _was_interrupted(read_document.document),
    )
    memory = _memory_adapter_and_scheme(read_document, using) if state == Document.State.GONE else None
    was_signed = (
        call_with_retries(remember_deleted, document, *memory, using)
        if memory
        else call_with_retries(erase_document, document, using)
    )
    # A newer request has already been processed. It decides what is stored.
    if was_signed is None:
        return
    if was_signed:
        scheme = scheme_of_space(document.space_id or 0, using)
        try:
            changed = call_with_retries(remove_relations, document, scheme, using)
        except ConcurrentChange:
            return
        _move_to_present_space(read_document, using)
    if memory:
        recheck_reposts(document, *memory, using)
    is_unchanged = not was_interrupted and document.state == state and document.reason == reason
    send_signals(document, changed or was_interrupted, using, is_unchanged=is_unchanged)
    # ``remember_deleted`` has already written the state, and the time of the deletion as the reason.
    finish_documents(
        {document.pk: Completion(document.wanted) if memory else Completion(document.wanted, state, reason)},
        using,
    )


def _move_to_present_space(read_document: ReadDocument, using: str) -> None:
    """File a document in the space of its source. A post may move and cease to be compared in one edit.

    Of a deleted post there is no source, and the document stays where it was.
    """
    document, adapter, source = read_document.document, read_document.adapter, read_document.source
    if adapter is None or source is None:
        return
    space, _ = cached_space(adapter, source, using)
    if space != document.space_id:
        Document.objects.using(using).filter(pk=document.pk, version=document.wanted).update(space=space)


def _memory_adapter_and_scheme(read_document: ReadDocument, using: str) -> tuple[Adapter, Scheme] | None:
    """Return the adapter and the scheme by which a deleted post is remembered.

    Return None if it is not remembered.
    """
    if read_document.adapter is None or not (
        read_document.adapter.settings.memory_days and read_document.document.version
    ):
        return None
    scheme = active_scheme(read_document.adapter.settings, using)
    return (
        (read_document.adapter, scheme)
        if should_remember(read_document.document, read_document.adapter, scheme, using)
        else None
    )


def send_signals(document: Document, changed: bool, using: str, *, is_unchanged: bool = False) -> None:
    """Send the signals of a finished document.

    ``is_unchanged``: its post is as it was when it was last processed. Then ``document_checked`` is not sent: a
    listener that saves the post would mark it, and its next turn would send the signal again, for ever.
    """
    signal = document_check_skipped if is_unchanged else document_checked
    signal.send_robust(sender=model_of(document), document=document, using=using)
    if changed:
        send_cluster_changed(document, using)


def send_cluster_changed(document: Document, using: str) -> None:
    """Send ``cluster_changed`` with the document's present cluster.

    Without listeners the cluster is not even read.
    """
    if not cluster_changed.has_listeners(model_of(document)):
        return
    cluster = Cluster.objects.using(using).filter(memberships__document=document).first()
    cluster_changed.send_robust(sender=model_of(document), document=document, cluster=cluster, using=using)
