"""How a post is saved once it was decided on: published, held in the transaction of its save, or an old one renewed."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model

from ..adapters import Adapter, adapter_for
from ..models import Hold
from ..pipeline.content_objects import pk_of
from ..search import Match
from .check import Visitor, call_or_default, can_visitor_renew
from .holds import database_of, hold_in_state, holds_of, is_live, lock_post, take_write_lock

logger = logging.getLogger(__name__)


@dataclass
class PlannedHold:
    """That a post is to wait, in which state, for what it is like, and by whom it is saved. ``held``: it does.

    ``stands``: it waits already, and its row is left as it is."""

    state: str
    match: Match | None
    trust: str
    is_existing: bool = False
    hold: Hold | None = None


def find_effective_hold(instance: Model) -> Hold | None:
    """The hold under which the post stands still; none where somebody has published it by hand."""
    using = database_of(instance)
    held = holds_of(instance, using).first()
    return None if held is None or is_live(instance, using) else held


def plan_existing_hold(instance: Model, adapter: Adapter, visitor: Visitor) -> PlannedHold | None:
    """That a post which a person is to look at, or has refused, goes on standing so, though its form may publish it.

    Not where somebody else saves it whom the rules let through."""

    def ask() -> Hold | None:
        lifts = visitor.is_exempt and not visitor.owns(instance, adapter)
        return None if lifts else find_effective_hold(instance)

    if instance._state.adding:
        return None
    held = call_or_default(ask, None, database_of(instance), "nobody knows whether a post is held")
    if held is None or held.state == Hold.State.CHECKING:
        return None
    return PlannedHold(held.state, None, visitor.trust, is_existing=True)


def hold_on_save(instance: Model, planned_hold: PlannedHold) -> None:
    """The next ``save()`` of that instance takes the post from publication in the same transaction.

    A post that ``live()`` does not hold after it, a draft, is left as it is: nobody sees it."""
    instance.__dict__["save"] = partial(_save_held, instance, planned_hold)


def _save_held(instance: Model, planned_hold: PlannedHold, *args: Any, **kwargs: Any) -> None:
    ours = instance.__dict__.pop("save")
    using = kwargs.get("using") or database_of(instance)
    try:
        with transaction.atomic(using=using):
            instance.save(*args, **kwargs)
            planned_hold.hold = _hold_saved(instance, planned_hold, using)
    except BaseException:
        instance.__dict__["save"] = ours
        raise


def _hold_saved(instance: Model, planned_hold: PlannedHold, using: str) -> Hold | None:
    """Hold it; where that fails the post is published, which is logged."""
    try:
        with transaction.atomic(using=using):
            if not is_live(instance, using):
                return None
            if planned_hold.is_existing:
                return _hide_again(instance, holds_of(instance, using).first())
            return hold_in_state(
                instance, planned_hold.state, planned_hold.match, planned_hold.trust, is_published=True
            )
    except Exception:
        logger.exception("neardup: %s %s is published unchecked", instance._meta.label, instance.pk)
        instance.refresh_from_db(using=using)
        return None


def _hide_again(instance: Model, hold: Hold | None) -> Hold | None:
    """Hide what its save has published; None where somebody has released it meanwhile."""
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
    """Bring the visitor's own old post up to date from the unsaved new one, and hold it if it is to wait; None, and
    nothing is done, where it is gone or is not theirs to renew any more."""
    using = database_of(old_post)
    held = holds_of(old_post, using)
    with transaction.atomic(using=using):
        take_write_lock(held, using)
        fresh = lock_post(adapter, pk_of(old_post, adapter.model), using)
        if fresh is None or not can_visitor_renew(fresh, adapter, visitor):
            return None
        adapter.renew(fresh, new_post)
        if planned_hold is not None:
            planned_hold.hold = _hold_saved(fresh, planned_hold, using)
    return fresh
