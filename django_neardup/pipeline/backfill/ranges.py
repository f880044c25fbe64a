"""Ranges of primary keys, created and claimed in the database under a lease, so that processes share a model."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import F, Max, Q
from django.db.models.functions import Greatest

from ...models import LIVE_FIRST_SEEN, Document, IndexRange
from ...models.fields import DatabaseClock
from ..batch_size import AdaptiveBatchSize
from ..content_objects import canonical_id
from ..index_progress import lock_scheme, save_progress
from ..leases import is_free
from ..locks import call_with_retries
from ..reconcile import ordered_pk_batches
from .owner_tokens import is_of_dead_process, new_token
from .passes import IndexPass, PostCounts, is_over_in_scheme

MAX_POSTS_PER_RANGE, MIN_POSTS_PER_RANGE, RANGES = 50_000, 250, 20
"""A range has one ``RANGES``-th of the objects, within bounds.

A range that is interrupted is looked through again, and the claims of many small ones take longer than those of
few large ones.
"""

MAX_ATTEMPTS = 3
"""Claims of one range.

After that its posts are left to the normal drain, which isolates the post that kills a process.
"""


class LeaseLost(Exception):
    """The claim is lost: the lease has expired and another process owns the range, or the pass was restarted."""


@dataclass(frozen=True)
class Claim:
    """A range that this process owns while it renews the lease."""

    index_pass: IndexPass
    index_range: IndexRange

    @property
    def is_given_up(self) -> bool:
        """Whether several processes failed or died while they processed the range."""
        return self.index_range.attempts > MAX_ATTEMPTS

    @property
    def is_retry(self) -> bool:
        """Whether the range was started before, so that its documents may still be leased."""
        return self.index_range.attempts > 1 or self.index_pass.follows_broken_one

    @property
    def is_numbering_only(self) -> bool:
        """Whether the range only numbers the objects, because their primary keys do not show their age."""
        return not self.index_range.last

    def chunks(self, max_size: int) -> Iterator[dict[Any, int]]:
        """Yield primary keys of the range, with the first-seen numbers for objects without a document.

        A chunk has at most ``max_size`` keys, and fewer if the caller takes long for them.
        """
        to_python = self.index_pass.adapter.model._meta.pk.to_python
        is_numbered = self.index_pass.is_first and self.index_pass.adapter.order == "pk"
        after = None if self.index_range.after is None else to_python(self.index_range.after)
        remaining, offset, adaptive_size = (
            self.index_pass.object_pks().filter(pk__lte=to_python(self.index_range.last)),
            0,
            AdaptiveBatchSize(max_size),
        )
        while keys := list(
            (remaining if after is None else remaining.filter(pk__gt=after))[: adaptive_size.size]
        ):
            last_number, started_at = self.index_range.posts - 1, time.monotonic()
            yield {
                key: self.index_range.first_seen + min(offset + index, last_number)
                if is_numbered
                else LIVE_FIRST_SEEN
                for index, key in enumerate(keys)
            }
            adaptive_size.record(len(keys), time.monotonic() - started_at)
            offset, after = offset + len(keys), keys[-1]

    def ordered_chunks(self, size: int) -> Iterator[dict[Any, int]]:
        """Yield primary keys of all objects in the adapter's order, with their first-seen numbers.

        The numbers are for objects without a document.
        """
        next_number = self.index_range.first_seen
        for keys in ordered_pk_batches(self.index_pass.adapter, self.index_pass.using, size):
            yield {key: next_number + index for index, key in enumerate(keys)}
            next_number += len(keys)

    def renew(self, counts: PostCounts) -> None:
        """Renew the lease and store how many posts are signed and compared.

        Raise ``LeaseLost`` if the claim is lost.
        """
        self._update_or_raise(
            signed=counts.signed,
            done=counts.compared,
            leased_until=DatabaseClock() + self.index_pass.lease_milliseconds,
        )

    def release(self, failed: bool) -> None:
        """Give the unfinished range back. Unless it ``failed``, do not count this attempt."""
        # At least 1 remains, so that the next claim is a retry and frees what this one has leased.
        attempts = F("attempts") if failed else Greatest(F("attempts") - 1, 1)
        self._update_or_raise(signed=0, token="", leased_until=None, attempts=attempts)

    def finish(self) -> None:
        """Mark the range as finished."""
        self._update_or_raise(finished=True, signed=F("posts"), done=F("posts"), token="", leased_until=None)

    def _update_or_raise(self, **changes: Any) -> None:
        if not call_with_retries(self._update_range, changes):
            raise LeaseLost(str(self.index_range))

    def _update_range(self, changes: dict[str, Any]) -> int:
        return self.index_pass.ranges.filter(pk=self.index_range.pk, token=self.index_range.token).update(
            **changes
        )


def posts_per_range(object_count: int) -> int:
    """Return the size of the ranges of a model with so many objects."""
    return max(MIN_POSTS_PER_RANGE, min(MAX_POSTS_PER_RANGE, object_count // RANGES))


def claim_range(index_pass: IndexPass, posts: int) -> Claim | None:
    """Claim the first free range, or create one of ``posts`` objects.

    Return None if all remaining ranges belong to other processes or nothing remains. The pass ends when its
    last range is finished, or when another scheme becomes active.
    """
    return call_with_retries(_claim_range, index_pass, posts)


def _claim_range(index_pass: IndexPass, posts: int) -> Claim | None:
    with lock_scheme(index_pass.scheme, index_pass.using) as scheme:
        if is_over_in_scheme(scheme, index_pass):
            return None
        unclaimed = is_free() | Q(pk__in=_ranges_of_dead_processes(index_pass))
        row = index_pass.ranges.filter(unclaimed, finished=False).order_by("number").first()
        row = row or _create_next_range(index_pass, posts)
        if row is None:
            if not index_pass.ranges.filter(finished=False).exists():
                save_progress(scheme, index_pass.model_label, finished=True, again=True, completed=scheme.pk)
            return None
        token = new_token()
        index_pass.ranges.filter(pk=row.pk).update(
            token=token,
            signed=0,
            done=0,
            attempts=F("attempts") + 1,
            leased_until=DatabaseClock() + index_pass.lease_milliseconds,
        )
        return Claim(index_pass, index_pass.ranges.get(pk=row.pk))


def _ranges_of_dead_processes(index_pass: IndexPass) -> list[int]:
    """Return the ranges of killed processes of this machine: their leases are not renewed."""
    tokens = index_pass.ranges.filter(finished=False).exclude(token="").values_list("pk", "token")
    return [pk for pk, token in tokens if is_of_dead_process(token)]


def _create_next_range(index_pass: IndexPass, max_posts: int) -> IndexRange | None:
    """Create a range of at most ``max_posts`` objects after the existing ranges.

    Return None if no object is left. If primary keys do not show the age of objects, the first pass begins
    with a range without objects, in which all objects are numbered.
    """
    previous_range, rows = index_pass.ranges.order_by("-number").first(), index_pass.object_pks()
    if previous_range is None and index_pass.is_first and index_pass.adapter.order != "pk":
        return _create_range(index_pass, None, "", rows.count())
    if previous_range is not None and not previous_range.last and not previous_range.finished:
        return None
    if previous_range is not None and previous_range.last:
        rows = rows.filter(pk__gt=index_pass.adapter.model._meta.pk.to_python(previous_range.last))
    last_pk, posts = next(iter(rows[max_posts - 1 : max_posts]), None), max_posts
    if last_pk is None:
        posts, last_pk = rows.count(), rows.reverse().first()
    if last_pk is None:
        return None
    return _create_range(index_pass, previous_range, canonical_id(last_pk), posts)


def _create_range(
    index_pass: IndexPass, previous_range: IndexRange | None, last: str, posts: int
) -> IndexRange:
    return IndexRange.objects.using(index_pass.using).create(
        scheme_id=index_pass.scheme,
        label=index_pass.model_label,
        number=previous_range.number + 1 if previous_range else 0,
        after=previous_range.last or None if previous_range else None,
        last=last,
        first_seen=previous_range.first_seen + previous_range.posts
        if previous_range
        else _next_first_seen(index_pass.using),
        posts=posts,
    )


def _next_first_seen(using: str) -> int:
    """Return a first-seen number above all numbers that the backfill has assigned or reserved."""
    documents = Document.objects.using(using).filter(first_seen__lt=LIVE_FIRST_SEEN)
    ranges = IndexRange.objects.using(using)
    highest_assigned = documents.aggregate(most=Max("first_seen"))["most"] or 0
    range_end = models.ExpressionWrapper(F("first_seen") + F("posts"), output_field=models.BigIntegerField())
    highest_reserved = ranges.aggregate(most=Max(range_end))["most"] or 0
    return max(highest_assigned + 1, highest_reserved)
