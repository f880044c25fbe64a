"""How a post is saved once it was decided on: published, held in the transaction of its save, or an old one renewed."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model

from ..adapters import Adapter, adapter_for
from ..finding import Match
from ..models import Hold
from ..pipeline.objects import key_of
from .holding import database_of, hold_as, holds_of, is_live, locked, write_first
from .looking import Visitor, attempt, may_renew

logger = logging.getLogger(__name__)


@dataclass
class Waiting:
    """That a post is to wait, in which state, for what it is like, and by whom it is saved. ``held``: it does.

    ``stands``: it waits already, and its row is left as it is."""

    state: str
    match: Match | None
    trust: str
    stands: bool = False
    held: Hold | None = None


def held_still(instance: Model) -> Hold | None:
    """The hold under which the post stands still; none where somebody has published it by hand."""
    using = database_of(instance)
    held = holds_of(instance, using).first()
    return None if held is None or is_live(instance, using) else held


def standing(instance: Model, adapter: Adapter, visitor: Visitor) -> Waiting | None:
    """That a post which a person is to look at, or has refused, goes on standing so, though its form may publish it.

    Not where somebody else saves it whom the rules let through."""

    def ask() -> Hold | None:
        lifts = visitor.exempt and not visitor.owns(instance, adapter)
        return None if lifts else held_still(instance)

    if instance._state.adding:
        return None
    held = attempt(ask, None, database_of(instance), "nobody knows whether a post is held")
    if held is None or held.state == Hold.State.CHECKING:
        return None
    return Waiting(held.state, None, visitor.trust, stands=True)


def hold_on_save(instance: Model, waiting: Waiting) -> None:
    """The next ``save()`` of that instance takes the post from publication in the same transaction.

    A post that ``live()`` does not hold after it, a draft, is left as it is: nobody sees it."""
    instance.__dict__["save"] = partial(_save, instance, waiting)


def _save(instance: Model, waiting: Waiting, *args: Any, **kwargs: Any) -> None:
    ours = instance.__dict__.pop("save")
    using = kwargs.get("using") or database_of(instance)
    try:
        with transaction.atomic(using=using):
            instance.save(*args, **kwargs)
            waiting.held = _hold(instance, waiting, using)
    except BaseException:
        instance.__dict__["save"] = ours
        raise


def _hold(instance: Model, waiting: Waiting, using: str) -> Hold | None:
    """Hold it; where that fails the post is published, which is logged."""
    try:
        with transaction.atomic(using=using):
            if not is_live(instance, using):
                return None
            if waiting.stands:
                return _hold_again(instance, holds_of(instance, using).first())
            return hold_as(instance, waiting.state, waiting.match, waiting.trust, live=True)
    except Exception:
        logger.exception("neardup: %s %s is published unchecked", instance._meta.label, instance.pk)
        instance.refresh_from_db(using=using)
        return None


def _hold_again(instance: Model, held: Hold | None) -> Hold | None:
    """Hide what its save has published; None where somebody has released it meanwhile."""
    if held is not None:
        adapter_for(instance).hide(instance)
    return held


def renew(
    old: Model, new: Model, adapter: Adapter, visitor: Visitor, waiting: Waiting | None = None
) -> Model | None:
    """Bring the visitor's own old post up to date from the unsaved new one, and hold it if it is to wait; None, and
    nothing is done, where it is gone or is not theirs to renew any more."""
    using = database_of(old)
    held = holds_of(old, using)
    with transaction.atomic(using=using):
        write_first(held, using)
        fresh = locked(adapter, key_of(old, adapter.model), using)
        if fresh is None or not may_renew(fresh, adapter, visitor):
            return None
        adapter.renew(fresh, new)
        if waiting is not None:
            waiting.held = _hold(fresh, waiting, using)
    return fresh
