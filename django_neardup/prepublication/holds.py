"""Held posts: hold, release, refuse. Each changes the post and its row in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import router, transaction
from django.db.models import Model, QuerySet
from django.dispatch import Signal

from ..adapters import Adapter, adapter_for
from ..db.backends import get_backend
from ..db.transactions import call_after_commit
from ..models import Document, Hold, MergeRecord
from ..pipeline import documents_of, mark
from ..pipeline.content_objects import pk_of, post_id_of
from ..pipeline.open_items import log_changed_documents
from ..pipeline.record_queries import records_of_post
from ..querysets import existing_pks, get_or_none
from ..queues import notify_worker
from ..signals import post_held, post_refused, post_released
from .rules import MatchFacts

State = Hold.State
MAX_TRUST_LENGTH = 100
"""Maximum length of a stored word of trust, in letters."""


def hold(instance: Model, match: MatchFacts | None = None) -> Hold:
    """Hold a saved post until a moderator has reviewed it. ``match`` is the post that it is similar to.

    ``Adapter.hide`` is called in one transaction with the row. If it raises, nothing is changed. If the post
    is already held, it keeps waiting, from now on for a moderator.
    """
    return hold_in_state(instance, State.REVIEW, match)


def release(instance: Model) -> bool:
    """Publish a held post: call ``Adapter.show``, and ``Adapter.published`` after the commit.

    The post is read again with its row locked. Return False and do nothing if it is not held (any more) or
    is gone.
    """
    return _end_hold(instance, _publish_locked)


def refuse(instance: Model) -> bool:
    """Leave a held post unpublished. After the commit, call ``Adapter.refused``, which informs the author.

    Return False and do nothing if it is not held, was already refused or is gone.
    """
    return _end_hold(instance, _refuse_locked)


def hold_in_state(
    instance: Model,
    state: str,
    match: MatchFacts | None = None,
    trust: str = "",
    *,
    is_published: bool | None = None,
) -> Hold:
    """Hold a post in the given state.

    ``trust``: the result of ``Adapter.trust`` for the person who saved the post. ``is_published``: whether
    ``live()`` contains the post. None means that it is looked up.

    The next job of the worker reports the post even if it finds nothing new.
    """
    adapter, using = adapter_for(instance), database_of(instance)
    if is_published is None:
        # This reads, so it stands before the transaction. See `begin_writing`.
        is_published = is_live(instance, using)
    with transaction.atomic(using=using):
        adapter.hide(instance)
        mark(instance, using, recheck=True)
        document = documents_of([instance], using)[post_id_of(instance, using)]
        key = pk_of(instance, adapter.model)
        source = adapter.sources([key], using).get(key)
        values = {
            "state": state,
            "trust": trust[:MAX_TRUST_LENGTH],
            "digest": source.digest if source else "",
        }
        # An existing hold of a live post is outdated: the post was published by hand.
        if is_published:
            Hold.objects.using(using).filter(document=document).delete()
        hold_row, is_new = Hold.objects.using(using).update_or_create(
            document=document, defaults={**values, **match_columns(match)}
        )
        if is_new and not is_published:
            _backdate_hold(hold_row, document, adapter, using)
        log_changed_documents([document.pk], using)
        _send_after_commit(post_held, instance, using, hold=hold_row)
        call_after_commit(using, notify_worker, using)
    return hold_row


def _backdate_hold(hold: Hold, document: Document, adapter: Adapter, using: str) -> None:
    """Set the start of the hold to the time when staff hid the post. Change nothing if they did not."""
    hide_records = hide_records_of(document, adapter, using).order_by("-pk")
    hidden_since = hide_records.values_list("created", flat=True).first()
    if hidden_since is not None:
        hold.created = hidden_since
        Hold.objects.using(using).filter(pk=hold.pk).update(created=hidden_since)


def hide_records_of(document: Document, adapter: Adapter, using: str) -> QuerySet[MergeRecord]:
    """Return the records of staff hiding the document's post, without undone ones."""
    records = records_of_post(adapter.model, document.object_id, using)
    return records.filter(action=MergeRecord.Action.HIDE)


def can_hold(adapter: Adapter) -> bool:
    """Return whether posts of the model can be held.

    They can be hidden and shown again, and ``live()`` can tell the difference.
    """
    adapter_class = type(adapter)
    return (
        adapter.can_hide and adapter_class.show is not Adapter.show and adapter_class.live is not Adapter.live
    )


def match_columns(match: MatchFacts | None) -> dict[str, Any]:
    """Return the columns of a hold that describe the match."""
    if match is None:
        return {"verdict": "", "exact": False, "own": False}
    return {"verdict": str(match.verdict), "exact": match.exact, "own": match.own}


def publish_held(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str) -> None:
    """Show a post and delete its hold. The post's row must be locked."""
    adapter.show(instance)
    log_changed_documents(holds.values_list("document", flat=True), using)
    holds.delete()
    call_after_commit(using, adapter.published, instance)
    _send_after_commit(post_released, instance, using)


def refuse_held(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str, **changes: Any) -> None:
    """Refuse a post. Its row must be locked."""
    log_changed_documents(holds.values_list("document", flat=True), using)
    holds.update(state=State.REFUSED, **changes)
    call_after_commit(using, adapter.refused, instance)
    _send_after_commit(post_refused, instance, using)


def holds_of(instance: Model, using: str) -> QuerySet[Hold]:
    """Return the queryset of the post's hold. It has at most one row."""
    content_type_id, object_id = post_id_of(instance, using)
    documents = Document.objects.using(using).filter(content_type_id=content_type_id, object_id=object_id)
    return Hold.objects.using(using).filter(document__in=list(documents.values_list("pk", flat=True)))


def lock_post(adapter: Adapter, key: Any, using: str) -> Model | None:
    """Return the current post with its row locked. Return None if it is gone."""
    post: Model | None = adapter.model._base_manager.using(using).select_for_update().filter(pk=key).first()
    return post


def is_live(instance: Model, using: str) -> bool:
    """Return whether ``live()`` contains the stored post."""
    adapter = adapter_for(instance)
    return bool(existing_pks(adapter.live(), [pk_of(instance, adapter.model)], using))


def live_post(instance: Model, using: str) -> Model | None:
    """Return the stored post if ``live()`` contains it, otherwise None."""
    adapter = adapter_for(instance)
    post: Model | None = get_or_none(adapter.live(), pk_of(instance, adapter.model), using)
    return post


def database_of(instance: Model) -> str:
    """Return the alias of the database that the post is, or will be, written to."""
    return router.db_for_write(type(instance), instance=instance)


def _end_hold(instance: Model, end_action: Callable[[Model, Adapter, QuerySet[Hold], str], bool]) -> bool:
    adapter, using = adapter_for(instance), database_of(instance)
    # This reads, so it stands before the transaction. See `begin_writing`.
    holds = holds_of(instance, using)
    with transaction.atomic(using=using):
        get_backend(using).begin_writing()
        # `show()` may save the whole post. With an outdated instance, an edit by its author would be lost.
        post = lock_post(adapter, pk_of(instance, adapter.model), using)
        return post is not None and holds.exists() and end_action(post, adapter, holds, using)


def _publish_locked(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str) -> bool:
    publish_held(instance, adapter, holds, using)
    return True


def _refuse_locked(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str) -> bool:
    waiting_holds = holds.exclude(state=State.REFUSED)
    if not waiting_holds.exists():
        return False
    refuse_held(instance, adapter, waiting_holds, using)
    return True


def _send_after_commit(signal: Signal, instance: Model, using: str, **signal_arguments: Any) -> None:
    call_after_commit(
        using, signal.send_robust, sender=type(instance), instance=instance, using=using, **signal_arguments
    )
