"""The drain: whoever rings, all that waits is worked off, oldest first, one leased row at a time."""

from __future__ import annotations

import logging
import time
from collections.abc import Collection
from dataclasses import dataclass

from django.db import InterfaceError, OperationalError, connections, router

from ..conf import get_profile
from ..models import Cluster, Document
from ..models.document import Ledger
from ..signatures.statistics import StatisticsMissing
from .leaving import leaving
from .ledger import finish, lease, postpone, put_back, waiting
from .readiness import unready_kinds
from .repair import repair
from .turn import take_turn

logger = logging.getLogger(__name__)

BATCH = 100
BACKOFF = 5.0
"""Seconds before a failed turn is tried again, doubled with every attempt."""


@dataclass
class DrainResult:
    """How many turns were taken, and whether work is left (leased by others, put off, or over the limit)."""

    turns: int = 0
    pending: bool = False


def drain(using: str = "default", limit: int | None = None, seconds: float | None = None) -> DrainResult:
    """Take turns until nothing waits, or that many turns or seconds are over. Never call it inside a transaction.

    Posts of a profile whose statistics are not gathered yet go on waiting; those deleted or hidden meanwhile leave."""
    result, end = DrainResult(), time.monotonic() + seconds if seconds is not None else None
    unready = unready_kinds(using)
    while True:
        turns, taken = result.turns, 0
        for model in (Document, Cluster):
            for pk in _next(model, using, unready):
                if (limit is not None and result.turns >= limit) or (
                    end is not None and time.monotonic() > end
                ):
                    result.pending = True
                    return result
                taken += _work(model, pk, using)
                result.turns = turns + taken
        if not taken:
            break
    result.pending = is_pending(using)
    return result


def _next(model: type[Ledger], using: str, unready: Collection[int]) -> list[int]:
    """Rows whose turn it is."""
    rows = waiting(model, using, BATCH, without=unready)
    return rows + leaving(unready, using) if model is Document else rows


def document_databases() -> list[str]:
    """Aliases of the databases that hold the tables of this app."""
    own = (alias for alias in connections if router.allow_migrate_model(alias, Document))
    return [
        alias for alias in own if Document._meta.db_table in connections[alias].introspection.table_names()
    ]


def is_pending(using: str) -> bool:
    """Does anything wait, leased or not?"""
    return any(
        model._default_manager.using(using).filter(pending_since__isnull=False).exists()
        for model in (Document, Cluster)
    )


def _work(model: type[Ledger], pk: int, using: str) -> bool:
    """Lease a row and take its turn; False where another worker has it."""
    profile = get_profile()
    row = lease(model, pk, using, profile.lease_seconds)
    if row is None:
        return False
    if row.attempts > profile.max_attempts:
        _quarantine(row, using, "given up: the worker died in every attempt")
        return True
    try:
        take_turn(row, using) if isinstance(row, Document) else repair(row, using)  # type: ignore[arg-type]
    except (OperationalError, InterfaceError):
        raise
    except StatisticsMissing as missing:
        logger.warning("neardup: %s %s is put back: %s", type(row).__name__, row.pk, missing)
        put_back(type(row), row.pk, using, profile.lease_seconds)
    except Exception as error:
        _fail(row, error, using, profile.max_attempts)
    return True


def _fail(row: Ledger, error: Exception, using: str, most: int) -> None:
    name = type(error).__name__
    logger.exception("neardup: %s %s failed (%s)", type(row).__name__, row.pk, name)
    if row.attempts >= most:
        _quarantine(row, using, name)
    else:
        postpone(type(row), row.pk, using, BACKOFF * 2 ** (row.attempts - 1))


def _quarantine(row: Ledger, using: str, reason: str) -> None:
    changes = {"state": Document.State.QUARANTINED, "reason": reason} if isinstance(row, Document) else {}
    finish(type(row), row.pk, row.wanted, using, **changes)
