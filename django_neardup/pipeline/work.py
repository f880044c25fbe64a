"""The drain: whoever rings, all that waits is worked off, oldest first, a batch of leased rows at a time."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import inf

from django.db import connections, router
from django.db.models import QuerySet

from ..conf import get_profile
from ..faults import nobodys
from ..models import Cluster, Document
from ..models.document import Ledger
from ..signatures.statistics import StatisticsMissing
from .leases import keep, lease_many, waiting
from .leaving import leaving
from .ledger import finish, lease, postpone, put_back
from .pace import Pace
from .readiness import unready_kinds
from .repair import give_up, repair
from .sql import rows
from .turn import take_turns

logger = logging.getLogger(__name__)

BATCH = 100
"""Documents whose turns are taken together, at most."""
FIRST = 25
"""Documents of a drain's first batch: nobody knows yet how long they take."""
OVERTAKEN = 3
"""How often in a row others may have leased all that was found waiting before a drain leaves it to them."""
BACKOFF = 5.0
"""Seconds before a failed turn is tried again, doubled with every attempt."""
FIRST_THAT_WAITS = '(SELECT 1 FROM "{}" WHERE "pending_since" IS NOT NULL ORDER BY "pending_since" LIMIT 1)'
"""In order, so that the index is read, and no more of it than its beginning."""


@dataclass
class DrainResult:
    """How many turns were taken, and whether work is left (leased by others, put off, or over the limit)."""

    turns: int = 0
    pending: bool = False


def drain(using: str = "default", limit: int | None = None, seconds: float | None = None) -> DrainResult:
    """Take turns until nothing waits, or that many turns or seconds are over. Never call it inside a transaction.

    The seconds run from the first turns, which are taken however few they are. Posts of a profile whose statistics are
    not gathered yet go on waiting; those deleted or hidden meanwhile leave."""
    return _Drain(using, limit, seconds).run()


class _Drain:
    """One drain: batches of documents, oldest first, and the clusters that wait between them."""

    def __init__(self, using: str, limit: int | None, seconds: float | None) -> None:
        self.using, self.limit = using, limit
        self.seconds = inf if seconds is None else max(seconds, 0.0)
        self.end: float | None = None
        self.unready = unready_kinds(using)
        self.pace, self.turns = Pace(BATCH, FIRST), 0

    def run(self) -> DrainResult:
        overtaken = 0
        while True:
            before, groups = self.turns, self._groups()
            for group in groups:
                if self._is_over():
                    return DrainResult(self.turns, True)
                self._take(group)
            if not is_pending(self.using):
                return DrainResult(self.turns)
            for pk, _ in waiting(Cluster, self.using, BATCH, without=self.unready):
                if self._is_over():
                    return DrainResult(self.turns, True)
                self.turns += _repair(pk, self.using)
            overtaken = overtaken + 1 if self.turns == before else 0
            if overtaken > (OVERTAKEN if groups else 0):
                return DrainResult(self.turns, True)

    def _groups(self) -> list[list[int]]:
        """Documents whose turn it is. Those that failed before, or whose worker died, are taken alone."""
        most = self.pace.size
        if self.limit is not None:
            most = min(most, max(self.limit - self.turns, 1))
        groups: list[list[int]] = []
        waits = waiting(Document, self.using, most, without=self.unready)
        for tried, run in groupby(waits, key=lambda row: row[1] > 0):
            documents = [pk for pk, _ in run]
            groups += [[pk] for pk in documents] if tried else [documents]
        return groups + [[pk] for pk in leaving(self.unready, self.using)]

    def _is_over(self) -> bool:
        if self.limit is not None and self.turns >= self.limit:
            return True
        now = time.monotonic()
        self.end = now + self.seconds if self.end is None else self.end
        return now > self.end

    def _take(self, group: list[int]) -> None:
        """Lease and take those turns; the next batch is larger or smaller by how long they took."""
        began = time.monotonic()
        documents = lease_many(group, self.using, get_profile().lease_seconds)
        _work(documents, self.using)
        self.turns += len(documents)
        self.pace.took(len(group), time.monotonic() - began)


def document_databases() -> list[str]:
    """Aliases of the databases that hold the tables of this app."""
    return [alias for alias in own_databases() if holds_tables(alias)]


def own_databases() -> list[str]:
    """Aliases of the databases that are to hold them, as the router has it; none is asked."""
    return [alias for alias in connections if router.allow_migrate_model(alias, Document)]


def holds_tables(using: str) -> bool:
    """Whether that database holds them."""
    return Document._meta.db_table in connections[using].introspection.table_names()


def is_pending(using: str) -> bool:
    """Does anything wait, leased or not?"""
    tables = (model._meta.db_table for model in (Document, Cluster))
    ((found,),) = rows(using, f"SELECT COALESCE({', '.join(map(FIRST_THAT_WAITS.format, tables))})")
    return found is not None


def pending(using: str, without: Collection[int] = ()) -> tuple[QuerySet[Document], QuerySet[Cluster]]:
    """What waits, leased or not; nothing of posts of the content types ``without``."""
    documents = Document.objects.using(using).filter(pending_since__isnull=False)
    clusters = Cluster.objects.using(using).filter(pending_since__isnull=False)
    return (
        documents.exclude(content_type__in=without),
        clusters.exclude(representative__content_type__in=without),
    )


def _work(documents: Sequence[Document], using: str) -> None:
    """Take those turns together; one by one where that fails, so that only the guilty one does."""
    if len(documents) > 1:
        try:
            return take_turns(documents, using)
        except nobodys():
            raise
        except Exception as error:
            logger.info("neardup: %d turns are taken one by one (%s)", len(documents), type(error).__name__)
    for place, document in enumerate(documents):
        keep(documents[place:], using)
        _work_alone(document, partial(take_turns, [document], using), using)


def _repair(pk: int, using: str) -> bool:
    """Lease a cluster and repair it; False where another worker has it."""
    row = lease(Cluster, pk, using, get_profile().lease_seconds)
    if row is None:
        return False
    _work_alone(row, partial(repair, row, using), using)
    return True


def _work_alone(row: Ledger, turn: Callable[[], None], using: str) -> None:
    """Take one turn, and bear its failure."""
    profile = get_profile()
    if row.attempts > profile.max_attempts:
        turn = partial(_give_up, row, using)
    try:
        turn()
    except nobodys():
        raise
    except StatisticsMissing as missing:
        logger.warning("neardup: %s %s is put back: %s", type(row).__name__, row.pk, missing)
        put_back(type(row), row.pk, using, profile.lease_seconds)
    except Exception as error:
        _fail(row, error, using, profile.max_attempts)


def _fail(row: Ledger, error: Exception, using: str, most: int) -> None:
    name = type(error).__name__
    logger.exception("neardup: %s %s failed (%s)", type(row).__name__, row.pk, name)
    if row.attempts >= most and isinstance(row, Document):
        _quarantine(row, using, name)
    else:
        postpone(type(row), row.pk, using, BACKOFF * 2 ** (row.attempts - 1))


def _give_up(row: Ledger, using: str) -> None:
    """No attempt has come to its end: a post is set aside, the members of a group go ways of their own."""
    logger.error("neardup: %s %s is given up after %d attempts", type(row).__name__, row.pk, row.attempts - 1)
    if isinstance(row, Cluster):
        give_up(row, using)
    else:
        _quarantine(row, using, "given up: the worker died in every attempt")


def _quarantine(row: Ledger, using: str, reason: str) -> None:
    finish(type(row), row.pk, row.wanted, using, state=Document.State.QUARANTINED, reason=reason)
