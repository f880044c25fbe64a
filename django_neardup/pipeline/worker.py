"""The drain: process all pending rows, oldest first, in batches of leased rows.

It does not matter what started it.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from itertools import groupby
from math import inf

from django.db import connections, router
from django.db.models import QuerySet

from ..algorithms.statistics import StatisticsMissing
from ..conf import DISABLED, get_site_settings, is_enabled
from ..db.queries import documents as document_queries
from ..exceptions import (
    IndexUnavailable,
    SecretMissing,
    error_name,
    infrastructure_errors,
    without_message,
)
from ..index import keys as storage
from ..models import Cluster, Document
from ..models.index import WorkQueueRow
from .batch_size import AdaptiveBatchSize
from .clusters.repair import repair_cluster, reprocess_members
from .content_objects import has_table
from .leases import available_rows, lease_many, renew_leases
from .missing_statistics import documents_to_remove, unready_content_types
from .open_items import refresh_if_due
from .open_saves import mark_overdue_saves
from .process_documents import ignore_stored, process_documents
from .quarantine import max_leases, quarantine
from .work_queue import give_back, lease_row, release_without_attempt, retry_later

logger = logging.getLogger(__name__)

MAX_BATCH = 100
"""Documents that are processed together, at most."""
FIRST_BATCH = 25
"""Documents in the first batch of a drain, when their processing time is not known yet."""
MAX_IDLE_ROUNDS = 3
"""After more rounds in a row than this, in which other workers leased all rows, a drain ends."""
RETRY_SECONDS = 5.0
"""Seconds before a failed attempt is repeated. They double with every attempt, up to the longest lease."""


@dataclass
class DrainResult:
    """Number of processed rows, and whether work is left: leased by others, postponed, or over the limit."""

    processed: int = 0
    has_pending: bool = False


def drain(using: str = "default", limit: int | None = None, seconds: float | None = None) -> DrainResult:
    """Process pending rows until none is left, or until ``limit`` rows or ``seconds`` are used up.

    Never call it inside a transaction. The seconds start with the first batch, which is always processed.
    Posts of a profile that still lacks statistics stay pending. Deleted and hidden posts among them are
    removed. Between the batches, recorded changes of keys are sent to an index outside the database.

    If ``NEARDUP_ENABLED`` is False, log it and process nothing.
    """
    if not is_enabled():
        logger.warning("neardup: %s", DISABLED)
        return DrainResult(0, has_pending(using))
    return _Drain(using, limit, seconds).run()


class _Drain:
    """One drain: batches of documents, and pending clusters after each batch.

    Documents that were never tried come first, oldest first.
    """

    def __init__(self, using: str, limit: int | None, seconds: float | None) -> None:
        self.using, self.limit = using, limit
        self.seconds = inf if seconds is None else max(seconds, 0.0)
        self.deadline: float | None = None
        self.unready_content_types = unready_content_types(using)
        self.batch_size, self.processed = AdaptiveBatchSize(MAX_BATCH, FIRST_BATCH), 0

    def run(self) -> DrainResult:
        storage.ship(self.using)
        mark_overdue_saves(self.using)
        try:
            result = self._process_pending()
        except IndexUnavailable:
            # Posts wait for the index. Decisions of moderators do not.
            refresh_if_due(self.using)
            raise
        # Also what moderators have decided since the last drain. New posts do not wait for it.
        refresh_if_due(self.using)
        return result

    def _process_pending(self) -> DrainResult:
        idle_rounds = 0
        while True:
            processed_before, groups = self.processed, self._next_groups()
            for group in groups:
                if self._has_reached_limit():
                    return DrainResult(self.processed, True)
                self._process_group(group)
            if not has_pending(self.using):
                return DrainResult(self.processed)
            for pk, _ in available_rows(
                Cluster, self.using, MAX_BATCH, excluded_content_types=self.unready_content_types
            ):
                if self._has_reached_limit():
                    return DrainResult(self.processed, True)
                self.processed += _repair_leased(pk, self.using)
            idle_rounds = idle_rounds + 1 if self.processed == processed_before else 0
            if idle_rounds > (MAX_IDLE_ROUNDS if groups else 0):
                return DrainResult(self.processed, True)

    def _next_groups(self) -> list[list[int]]:
        """Return the next documents to process, in groups to lease together.

        A document that failed before, or lost its worker, forms its own group.
        """
        size = self.batch_size.size
        if self.limit is not None:
            size = min(size, max(self.limit - self.processed, 1))
        groups: list[list[int]] = []
        available = available_rows(
            Document, self.using, size, excluded_content_types=self.unready_content_types
        )
        for was_tried, rows in groupby(available, key=lambda row: row[1] > 0):
            documents = [pk for pk, _ in rows]
            # It may fail or kill the worker again. In its own group it takes no other document with it.
            groups += [[pk] for pk in documents] if was_tried else [documents]
        return groups + [[pk] for pk in documents_to_remove(self.unready_content_types, self.using)]

    def _has_reached_limit(self) -> bool:
        if self.limit is not None and self.processed >= self.limit:
            return True
        now = time.monotonic()
        # The time starts with the first batch, not with the queries before it.
        self.deadline = now + self.seconds if self.deadline is None else self.deadline
        return now > self.deadline

    def _process_group(self, group: list[int]) -> None:
        """Lease and process a group. Its duration sets the size of the next batch."""
        started = time.monotonic()
        documents = lease_many(group, self.using, get_site_settings().lease_seconds)
        with _given_back(documents, self.using):
            process_batch(documents, self.using)
        storage.ship(self.using)
        refresh_if_due(self.using)
        self.processed += len(documents)
        self.batch_size.record(len(group), time.monotonic() - started)


def log_failed_drain(using: str, error: Exception) -> str:
    """Log that a database was not drained. Return its name and the class of the error: a message may quote a post."""
    logger.error(
        "neardup: the work queue of the database %r cannot be processed.",
        using,
        exc_info=without_message(error),
    )
    return f"database {using!r} ({error_name(error)})"


def document_databases() -> list[str]:
    """Return aliases of the databases that have the tables of this app."""
    return [alias for alias in routed_databases() if has_tables(alias)]


def routed_databases() -> list[str]:
    """Return aliases of the databases that should have the tables, by the router. No database is queried."""
    return [alias for alias in connections if router.allow_migrate_model(alias, Document)]


def has_tables(using: str) -> bool:
    """Return whether the database has the tables."""
    return has_table(Document, using)


def has_pending(using: str) -> bool:
    """Return whether any document or cluster is pending, leased or not."""
    return document_queries.has_pending(using, [model._meta.db_table for model in (Document, Cluster)])


def pending_rows(
    using: str, excluded_content_types: Collection[int] = ()
) -> tuple[QuerySet[Document], QuerySet[Cluster]]:
    """Return the pending documents and the pending clusters, leased or not.

    Rows of the posts of ``excluded_content_types`` are left out.
    """
    documents = Document.objects.using(using).filter(pending_since__isnull=False)
    clusters = Cluster.objects.using(using).filter(pending_since__isnull=False)
    return (
        documents.exclude(content_type__in=excluded_content_types),
        clusters.exclude(leader__content_type__in=excluded_content_types),
    )


def process_batch(
    documents: Sequence[Document], using: str, on_stored: Callable[[Collection[int]], None] = ignore_stored
) -> None:
    """Process leased documents together.

    If that fails, process them one by one, so that only the faulty one fails. ``on_stored``: see
    ``process_documents``.
    """
    if len(documents) > 1:
        try:
            return process_documents(documents, using, on_stored)
        except infrastructure_errors():
            raise
        except Exception as error:
            logger.info(
                "neardup: a batch of %d posts failed, they are processed one by one (%s)",
                len(documents),
                error_name(error),
            )
    for position, document in enumerate(documents):
        # The leases began with the batch: the last documents may wait long.
        renew_leases(documents[position:], using)
        _process_one(document, partial(process_documents, [document], using, on_stored), using)


def _repair_leased(pk: int, using: str) -> bool:
    """Lease a cluster and repair it. Return False if another worker has leased it."""
    row = lease_row(Cluster, pk, using, get_site_settings().lease_seconds)
    if row is None:
        return False
    with _given_back([row], using):
        _process_one(row, partial(repair_cluster, row, using), using)
    return True


@contextmanager
def _given_back(rows: Sequence[WorkQueueRow], using: str) -> Iterator[None]:
    """End the leases of the rows if the key index does not answer. Nothing is wrong with them."""
    try:
        yield
    except IndexUnavailable:
        if rows:
            give_back(type(rows[0]), [row.pk for row in rows], using)
        raise


def _process_one(row: WorkQueueRow, process: Callable[[], None], using: str) -> None:
    """Process one row. If that fails, schedule a retry or give the row up."""
    site = get_site_settings()
    # A failure at the last attempt is handled below. More attempts than that mean that no worker lived to
    # report its failure.
    if row.attempts > max_leases():
        process = partial(_give_up, row, using)
    try:
        process()
    except infrastructure_errors():
        # The database or the queue has failed, not the row.
        raise
    except (StatisticsMissing, SecretMissing) as missing:
        logger.warning("neardup: %s %s was returned to the queue: %s", type(row).__name__, row.pk, missing)
        release_without_attempt(type(row), row.pk, using, site.lease_seconds)
    except Exception as error:
        _handle_failure(row, error, using)


def _handle_failure(row: WorkQueueRow, error: Exception, using: str) -> None:
    site, row_name = get_site_settings(), type(row).__name__
    logger.error(
        "neardup: %s %s failed (%s)", row_name, row.pk, error_name(error), exc_info=without_message(error)
    )
    if row.attempts >= site.max_attempts and isinstance(row, Document):
        quarantine(row, type(error).__name__, using)
    else:
        # Longer ahead, the row would count as free.
        longest = site.max_lease_milliseconds / 1000
        retry_later(type(row), row.pk, using, min(RETRY_SECONDS * 2 ** (row.attempts - 1), longest))


def _give_up(row: WorkQueueRow, using: str) -> None:
    """Stop trying a row that no attempt has finished.

    A post is quarantined, and tried again daily. The members of a cluster are marked and then processed one by
    one.
    """
    logger.error(
        "neardup: %s %s is not tried again after %d failed attempts",
        type(row).__name__,
        row.pk,
        row.attempts - 1,
    )
    if isinstance(row, Cluster):
        reprocess_members(row, using)
    elif isinstance(row, Document):
        quarantine(row, "given up: the worker died in every attempt", using, is_retried=True)
