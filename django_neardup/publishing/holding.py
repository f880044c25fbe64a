"""Posts that wait before they are published: held, released, refused, each with its row in one transaction."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import connections, router, transaction
from django.db.models import F, Model, QuerySet
from django.dispatch import Signal

from ..adapters import Adapter, adapter_for
from ..models import Document, Hold, MergeRecord
from ..narrowing import keys_in, object_in
from ..pipeline import documents_of, mark
from ..pipeline.committing import after_commit
from ..pipeline.deeds import deeds_on
from ..pipeline.objects import identity_of, key_of
from ..queues import ring
from ..signals import post_held, post_refused, post_released
from .rules import Alike

State = Hold.State
TRUST = 100
"""Letters of a word of trust that are kept."""


def hold(instance: Model, match: Alike | None = None) -> Hold:
    """Take a saved post from publication until a moderator has looked at it; ``match`` is what it is like.

    ``Adapter.hide`` is called, in one transaction with the row; what it raises leaves everything as it was. A post that
    is held already goes on waiting, from now on for a moderator."""
    return hold_as(instance, State.REVIEW, match)


def release(instance: Model) -> bool:
    """Publish a held post: ``Adapter.show``, and after the commit ``Adapter.published``. False, and nothing is done,
    where it is not held (any more) or is gone. The post is read afresh, its row locked."""
    return _end(instance, _publish)


def refuse(instance: Model) -> bool:
    """Leave a held post unpublished: after the commit ``Adapter.refused`` tells its author. False, and nothing is done,
    where it is not held, was refused already or is gone."""
    return _end(instance, _refuse)


def hold_as(
    instance: Model, state: str, match: Alike | None = None, trust: str = "", *, live: bool | None = None
) -> Hold:
    """``hold``, in that state; ``trust``: the word of ``Adapter.trust`` for whoever saved the post; ``live``: whether
    ``live()`` holds it, where that was just asked.

    The next turn is asked to tell of the post even where it finds nothing new."""
    adapter, using = adapter_for(instance), database_of(instance)
    if live is None:
        live = is_live(instance, using)  # reads, which the transaction may not begin with
    with transaction.atomic(using=using):
        adapter.hide(instance)
        mark(instance, using, recheck=True)
        document = documents_of([instance], using)[identity_of(instance, using)]
        key = key_of(instance, adapter.model)
        read = adapter.sources([key], using).get(key)
        values = {"state": state, "trust": trust[:TRUST], "digest": read.digest if read else ""}
        if live:  # it was published by hand since
            Hold.objects.using(using).filter(document=document).delete()
        held, is_new = Hold.objects.using(using).update_or_create(
            document=document, defaults={**values, **facts_of(match)}
        )
        if is_new and not live:
            _date_back(held, document, adapter, using)
        _announce(post_held, instance, using, hold=held)
        after_commit(using, ring, using)
    return held


def _date_back(held: Hold, document: Document, adapter: Adapter, using: str) -> None:
    """A post that staff had hidden already waits since then."""
    hidings = hidings_of(document, adapter, using).order_by("-pk")
    since = hidings.values_list("created", flat=True).first()
    if since is not None:
        held.created = since
        Hold.objects.using(using).filter(pk=held.pk).update(created=since)


def hidings_of(document: Document, adapter: Adapter, using: str) -> QuerySet[MergeRecord]:
    """Hidings of the document's post by staff that are not undone."""
    deeds = deeds_on(adapter.model, document.object_id, using)
    return deeds.filter(action=MergeRecord.Action.HIDE)


def can_hold(adapter: Adapter) -> bool:
    """Whether posts of that model can be taken from publication and shown again, and ``live()`` tells them apart."""
    kind = type(adapter)
    return adapter.can_hide and kind.show is not Adapter.show and kind.live is not Adapter.live


def facts_of(match: Alike | None) -> dict[str, Any]:
    """The columns of a hold that say what the post is like."""
    if match is None:
        return {"verdict": "", "exact": False, "own": False}
    return {"verdict": str(match.verdict), "exact": match.exact, "own": match.own}


def publish(instance: Model, adapter: Adapter, held: QuerySet[Hold], using: str) -> None:
    """Show a post whose row is locked, and end its hold."""
    adapter.show(instance)
    held.delete()
    after_commit(using, adapter.published, instance)
    _announce(post_released, instance, using)


def turn_down(instance: Model, adapter: Adapter, held: QuerySet[Hold], using: str, **changes: Any) -> None:
    """Refuse a post whose row is locked."""
    held.update(state=State.REFUSED, **changes)
    after_commit(using, adapter.refused, instance)
    _announce(post_refused, instance, using)


def holds_of(instance: Model, using: str) -> QuerySet[Hold]:
    """The hold of that post, if there is one."""
    kind, key = identity_of(instance, using)
    found = Document.objects.using(using).filter(content_type_id=kind, object_id=key)
    return Hold.objects.using(using).filter(document__in=list(found.values_list("pk", flat=True)))


def locked(adapter: Adapter, key: Any, using: str) -> Model | None:
    """The post as it is now, its row locked; None where it is gone."""
    found: Model | None = adapter.model._base_manager.using(using).select_for_update().filter(pk=key).first()
    return found


def is_live(instance: Model, using: str) -> bool:
    """Whether ``live()`` holds the post as it is stored."""
    adapter = adapter_for(instance)
    return bool(keys_in(adapter.live(), [key_of(instance, adapter.model)], using))


def live_post(instance: Model, using: str) -> Model | None:
    """The post as it is stored, where ``live()`` holds it."""
    adapter = adapter_for(instance)
    found: Model | None = object_in(adapter.live(), key_of(instance, adapter.model), using)
    return found


def write_first(held: QuerySet[Hold], using: str) -> None:
    """On SQLite a transaction that reads before it writes may be refused its lock."""
    if connections[using].vendor == "sqlite":
        held.update(state=F("state"))


def database_of(instance: Model) -> str:
    """Where that post is, or will be, written."""
    return router.db_for_write(type(instance), instance=instance)


def _end(instance: Model, act: Callable[[Model, Adapter, QuerySet[Hold], str], bool]) -> bool:
    adapter, using = adapter_for(instance), database_of(instance)
    held = holds_of(instance, using)  # reads, which the transaction may not begin with
    with transaction.atomic(using=using):
        write_first(held, using)
        fresh = locked(adapter, key_of(instance, adapter.model), using)
        return fresh is not None and held.exists() and act(fresh, adapter, held, using)


def _publish(instance: Model, adapter: Adapter, held: QuerySet[Hold], using: str) -> bool:
    publish(instance, adapter, held, using)
    return True


def _refuse(instance: Model, adapter: Adapter, held: QuerySet[Hold], using: str) -> bool:
    waiting = held.exclude(state=State.REFUSED)
    if not waiting.exists():
        return False
    turn_down(instance, adapter, waiting, using)
    return True


def _announce(signal: Signal, instance: Model, using: str, **more: Any) -> None:
    after_commit(using, signal.send_robust, sender=type(instance), instance=instance, using=using, **more)
