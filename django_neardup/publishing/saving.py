"""How a post is saved once it was decided on: published, held in the transaction of its save, or an old one renewed."""

from __future__ import annotations

import logging
from dataclasses import dataclass
from functools import partial
from typing import Any

from django.db import transaction
from django.db.models import Model

from ..adapters import Adapter
from ..finding import Match
from ..models import Hold
from ..pipeline.objects import key_of
from .holding import database_of, hold_as, holds_of, is_live, locked
from .looking import Visitor, may_renew

logger = logging.getLogger(__name__)


@dataclass
class Waiting:
    """That a post is to wait, in which state, for what it is like, and by whom it is saved. ``held``: it does."""

    state: str
    match: Match | None
    trust: str
    held: Hold | None = None


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
            holds_of(instance, using).delete()  # it was published by hand since
            return hold_as(instance, waiting.state, waiting.match, waiting.trust)
    except Exception:
        logger.exception("neardup: %s %s is published unchecked", instance._meta.label, instance.pk)
        instance.refresh_from_db(using=using)
        return None


def renew(
    old: Model, new: Model, adapter: Adapter, visitor: Visitor, waiting: Waiting | None = None
) -> Model | None:
    """Bring the visitor's own old post up to date from the unsaved new one, and hold it if it is to wait; None, and
    nothing is done, where it is gone or is not theirs to renew any more."""
    using = database_of(old)
    with transaction.atomic(using=using):
        fresh = locked(adapter, key_of(old, adapter.model), using)
        if fresh is None or not may_renew(fresh, adapter, visitor):
            return None
        adapter.renew(fresh, new)
        if waiting is not None:
            waiting.held = _hold(fresh, waiting, using)
    return fresh
