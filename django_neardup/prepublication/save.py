"""The save of a post after the decision.

The post is published, or held in the same transaction, or an old post is renewed instead.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model

from ..adapters import Adapter, adapter_for
from ..db.backends import get_backend
from ..exceptions import without_message
from ..models import Hold
from ..pipeline.availability import has_current_tables
from ..pipeline.content_objects import pk_of
from ..search import Match
from .check import Visitor, call_or_default, can_visitor_renew
from .holds import database_of, hold_in_state, holds_of, is_live, lock_post

logger = logging.getLogger(__name__)


@dataclass
class PlannedHold:
    """A hold that takes effect on save.

    It has the state, the match that causes it, and the trust of the person who saves. ``is_existing``: the
    post is already held, and its row is not changed. ``hold``: the resulting hold, None until then.
    """

    state: str
    match: Match | None
    trust: str
    is_existing: bool = False
    hold: Hold | None = None


def find_effective_hold(instance: Model) -> Hold | None:
    """Return the hold of a post that is still unpublished.

    Return None if it was published by hand or has no hold, or if the tables are not there.
    """
    using = database_of(instance)
    if not has_current_tables(using):
        return None
    current_hold = holds_of(instance, using).first()
    return None if current_hold is None or is_live(instance, using) else current_hold


def plan_existing_hold(instance: Model, adapter: Adapter, visitor: Visitor) -> PlannedHold | None:
    """Return a plan that keeps a post in review or refused, even if its form would publish it.

    Return None if the post has no such hold. Return None if the rules exempt the person who saves and the
    post is not their own.
    """

    def find_hold() -> Hold | None:
        is_lifted = visitor.is_exempt and not visitor.owns(instance, adapter)
        return None if is_lifted else find_effective_hold(instance)

    if instance._state.adding:
        return None
    current_hold = call_or_default(
        find_hold, None, database_of(instance), "nobody knows whether a post is held"
    )
    if current_hold is None or current_hold.state == Hold.State.CHECKING:
        return None
    return PlannedHold(current_hold.state, None, visitor.trust, is_existing=True)


def hold_on_save(instance: Model, planned_hold: PlannedHold) -> None:
    """Make the next ``save()`` of the instance hold the post in the same transaction.

    If ``live()`` does not contain the post after the save, it is a draft. It is not held, because visitors
    do not see it.
    """
    # Visitors must not see the post between its save and its hold.
    instance.__dict__["save"] = partial(_save_held, instance, planned_hold)


def _save_held(instance: Model, planned_hold: PlannedHold, *args: Any, **kwargs: Any) -> None:
    patched_save = instance.__dict__.pop("save")
    using = kwargs.get("using") or database_of(instance)
    try:
        with transaction.atomic(using=using):
            instance.save(*args, **kwargs)
            planned_hold.hold = _hold_saved(instance, planned_hold, using)
    except BaseException:
        # Nothing was saved, so the next `save()` must hold the post.
        instance.__dict__["save"] = patched_save
        raise


def _hold_saved(instance: Model, planned_hold: PlannedHold, using: str) -> Hold | None:
    """Hold the saved post. If that fails, log the error and leave the post published."""
    try:
        with transaction.atomic(using=using):
            if not is_live(instance, using):
                return None
            if planned_hold.is_existing:
                return _hide_again(instance, holds_of(instance, using).first())
            return hold_in_state(
                instance, planned_hold.state, planned_hold.match, planned_hold.trust, is_published=True
            )
    except Exception as error:
        logger.error(
            "neardup: %s %s is published unchecked",
            instance._meta.label,
            instance.pk,
            exc_info=without_message(error),
        )
        instance.refresh_from_db(using=using)
        return None


def _hide_again(instance: Model, hold: Hold | None) -> Hold | None:
    """Hide a post that its save has published.

    Do nothing if its hold was released meanwhile. Return the hold.
    """
    if hold is not None:
        adapter_for(instance).hide(instance)
    return hold


def renew_post(
    old_post: Model,
    new_post: Model,
    adapter: Adapter,
    visitor: Visitor,
    planned_hold: PlannedHold | None = None,
) -> Model | None:
    """Update the visitor's own old post from the unsaved new one, and hold it if a hold is planned.

    Return the old post. Return None and do nothing if it is gone or the visitor may not renew it any more.
    """
    using = database_of(old_post)
    with transaction.atomic(using=using):
        get_backend(using).begin_writing()
        post = lock_post(adapter, pk_of(old_post, adapter.model), using)
        if post is None or not can_visitor_renew(post, adapter, visitor):
            return None
        adapter.renew(post, new_post)
        if planned_hold is not None:
            planned_hold.hold = _hold_saved(post, planned_hold, using)
    return post
