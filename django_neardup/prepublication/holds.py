"""Posts that wait before they are published: held, released, refused, each with its row in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connections, router, transaction
from django.db.models import F, Model, QuerySet
from django.dispatch import Signal

from ..adapters import Adapter, adapter_for
from ..db.transactions import call_after_commit
from ..models import Document, Hold, MergeRecord
from ..pipeline import documents_of, mark
from ..pipeline.content_objects import pk_of, post_id_of
from ..pipeline.record_queries import records_of_post
from ..querysets import existing_pks, get_or_none
from ..queues import notify_worker
from ..signals import post_held, post_refused, post_released
from .rules import MatchFacts

State = Hold.State
MAX_TRUST_LENGTH = 100
"""Letters of a word of trust that are kept."""


def hold(instance: Model, match: MatchFacts | None = None) -> Hold:
    """Take a saved post from publication until a moderator has looked at it; ``match`` is what it is like.

    ``Adapter.hide`` is called, in one transaction with the row; what it raises leaves everything as it was. A post that
    is held already goes on waiting, from now on for a moderator."""
    return hold_in_state(instance, State.REVIEW, match)


def release(instance: Model) -> bool:
    """Publish a held post: ``Adapter.show``, and after the commit ``Adapter.published``. False, and nothing is done,
    where it is not held (any more) or is gone. The post is read afresh, its row locked."""
    return _end_hold(instance, _publish_locked)


def refuse(instance: Model) -> bool:
    """Leave a held post unpublished: after the commit ``Adapter.refused`` tells its author. False, and nothing is done,
    where it is not held, was refused already or is gone."""
    return _end_hold(instance, _refuse_locked)


def hold_in_state(
    instance: Model,
    state: str,
    match: MatchFacts | None = None,
    trust: str = "",
    *,
    is_published: bool | None = None,
) -> Hold:
    """``hold``, in that state; ``trust``: the word of ``Adapter.trust`` for whoever saved the post; ``live``: whether
    ``live()`` holds it, where that was just asked.

    The next turn is asked to tell of the post even where it finds nothing new."""
    adapter, using = adapter_for(instance), database_of(instance)
    if is_published is None:
        is_published = is_live(instance, using)  # reads, which the transaction may not begin with
    with transaction.atomic(using=using):
        adapter.hide(instance)
        mark(instance, using, recheck=True)
        document = documents_of([instance], using)[post_id_of(instance, using)]
        key = pk_of(instance, adapter.model)
        read = adapter.sources([key], using).get(key)
        values = {"state": state, "trust": trust[:MAX_TRUST_LENGTH], "digest": read.digest if read else ""}
        if is_published:  # it was published by hand since
            Hold.objects.using(using).filter(document=document).delete()
        held, is_new = Hold.objects.using(using).update_or_create(
            document=document, defaults={**values, **match_columns(match)}
        )
        if is_new and not is_published:
            _backdate_hold(held, document, adapter, using)
        _send_after_commit(post_held, instance, using, hold=held)
        call_after_commit(using, notify_worker, using)
    return held


def _backdate_hold(hold: Hold, document: Document, adapter: Adapter, using: str) -> None:
    """A post that staff had hidden already waits since then."""
    hidings = hide_records_of(document, adapter, using).order_by("-pk")
    since = hidings.values_list("created", flat=True).first()
    if since is not None:
        hold.created = since
        Hold.objects.using(using).filter(pk=hold.pk).update(created=since)


def hide_records_of(document: Document, adapter: Adapter, using: str) -> QuerySet[MergeRecord]:
    """Hidings of the document's post by staff that are not undone."""
    deeds = records_of_post(adapter.model, document.object_id, using)
    return deeds.filter(action=MergeRecord.Action.HIDE)


def can_hold(adapter: Adapter) -> bool:
    """Whether posts of that model can be taken from publication and shown again, and ``live()`` tells them apart."""
    kind = type(adapter)
    return adapter.can_hide and kind.show is not Adapter.show and kind.live is not Adapter.live


def match_columns(match: MatchFacts | None) -> dict[str, Any]:
    """The columns of a hold that say what the post is like."""
    if match is None:
        return {"verdict": "", "exact": False, "own": False}
    return {"verdict": str(match.verdict), "exact": match.exact, "own": match.own}


def publish_held(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str) -> None:
    """Show a post whose row is locked, and end its hold."""
    adapter.show(instance)
    holds.delete()
    call_after_commit(using, adapter.published, instance)
    _send_after_commit(post_released, instance, using)


def refuse_held(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str, **changes: Any) -> None:
    """Refuse a post whose row is locked."""
    holds.update(state=State.REFUSED, **changes)
    call_after_commit(using, adapter.refused, instance)
    _send_after_commit(post_refused, instance, using)


def holds_of(instance: Model, using: str) -> QuerySet[Hold]:
    """The hold of that post, if there is one."""
    kind, key = post_id_of(instance, using)
    found = Document.objects.using(using).filter(content_type_id=kind, object_id=key)
    return Hold.objects.using(using).filter(document__in=list(found.values_list("pk", flat=True)))


def lock_post(adapter: Adapter, key: Any, using: str) -> Model | None:
    """The post as it is now, its row locked; None where it is gone."""
    found: Model | None = adapter.model._base_manager.using(using).select_for_update().filter(pk=key).first()
    return found


def is_live(instance: Model, using: str) -> bool:
    """Whether ``live()`` holds the post as it is stored."""
    adapter = adapter_for(instance)
    return bool(existing_pks(adapter.live(), [pk_of(instance, adapter.model)], using))


def live_post(instance: Model, using: str) -> Model | None:
    """The post as it is stored, where ``live()`` holds it."""
    adapter = adapter_for(instance)
    found: Model | None = get_or_none(adapter.live(), pk_of(instance, adapter.model), using)
    return found


def take_write_lock(holds: QuerySet[Hold], using: str) -> None:
    """On SQLite a transaction that reads before it writes may be refused its lock."""
    if connections[using].vendor == "sqlite":
        holds.update(state=F("state"))


def database_of(instance: Model) -> str:
    """Where that post is, or will be, written."""
    return router.db_for_write(type(instance), instance=instance)


def _end_hold(instance: Model, end_action: Callable[[Model, Adapter, QuerySet[Hold], str], bool]) -> bool:
    adapter, using = adapter_for(instance), database_of(instance)
    held = holds_of(instance, using)  # reads, which the transaction may not begin with
    with transaction.atomic(using=using):
        take_write_lock(held, using)
        fresh = lock_post(adapter, pk_of(instance, adapter.model), using)
        return fresh is not None and held.exists() and end_action(fresh, adapter, held, using)


def _publish_locked(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str) -> bool:
    publish_held(instance, adapter, holds, using)
    return True


def _refuse_locked(instance: Model, adapter: Adapter, holds: QuerySet[Hold], using: str) -> bool:
    waiting = holds.exclude(state=State.REFUSED)
    if not waiting.exists():
        return False
    refuse_held(instance, adapter, waiting, using)
    return True


def _send_after_commit(signal: Signal, instance: Model, using: str, **signal_arguments: Any) -> None:
    call_after_commit(
        using, signal.send_robust, sender=type(instance), instance=instance, using=using, **signal_arguments
    )
