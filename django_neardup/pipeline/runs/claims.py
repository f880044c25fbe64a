"""Who works off which part of a model: ranges of primary keys, made and claimed in the database under a lease."""

from __future__ import annotations

import secrets
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import F, Max, Q
from django.db.models.functions import Greatest

from ...models import LIVE_NUMBER, Document, IndexRange
from ...models.fields import DatabaseClock
from ..locks import retrying
from ..objects import canonical_id
from ..pace import Pace
from ..progress import keep_progress, locked, progress_of
from ..reconcile import ordered_batches
from .passes import Pass, is_over_by

POSTS = 50_000
"""Objects in a range: the longer a run of keys that is written in order, the fewer pages are touched twice."""

MOST_ATTEMPTS = 3
"""Claims of one range, after which its posts are left to the ordinary drain, which tells the post that kills."""


class Overtaken(Exception):
    """The claim is not ours any more: the lease ran out and another process has it, or the pass was begun anew."""


@dataclass(frozen=True)
class Claim:
    """A range that is ours while the lease is renewed."""

    work: Pass
    row: IndexRange

    @property
    def given_up(self) -> bool:
        """Has one process after another died of it?"""
        return self.row.attempts > MOST_ATTEMPTS

    @property
    def again(self) -> bool:
        """Was it begun before?"""
        return self.row.attempts > 1

    @property
    def numbers_only(self) -> bool:
        """Is all that is to be done to number the objects, whose keys tell no age?"""
        return not self.row.last

    def chunks(self, most: int) -> Iterator[dict[Any, int]]:
        """Primary keys of the range with the first-seen numbers of objects that nobody has met: so many at a time, or
        fewer where the caller takes long for them."""
        to_python = self.work.adapter.model._meta.pk.to_python
        numbered = self.work.first and self.work.adapter.order == "pk"
        after = None if self.row.after is None else to_python(self.row.after)
        rows, place, pace = self.work.objects().filter(pk__lte=to_python(self.row.last)), 0, Pace(most)
        while keys := list((rows if after is None else rows.filter(pk__gt=after))[: pace.size]):
            last, began = self.row.posts - 1, time.monotonic()
            yield {
                key: self.row.first_seen + min(place + each, last) if numbered else LIVE_NUMBER
                for each, key in enumerate(keys)
            }
            pace.took(len(keys), time.monotonic() - began)
            place, after = place + len(keys), keys[-1]

    def ordered(self, size: int) -> Iterator[dict[Any, int]]:
        """Primary keys of all objects, in the adapter's own order, with the numbers of those that nobody has met."""
        place = self.row.first_seen
        for keys in ordered_batches(self.work.adapter, self.work.using, size):
            yield {key: place + each for each, key in enumerate(keys)}
            place += len(keys)

    def renew(self, done: int, seconds: int = 0) -> None:
        """So many of the posts are through; ``Overtaken`` where the claim is lost. ``seconds``: for so long, if that is
        more than a lease."""
        self._write(done=done, leased_until=DatabaseClock() + max(self.work.lease, 1000 * seconds))

    def release(self, failed: bool) -> None:
        """Give it back unfinished; unless it ``failed``, as if it had been claimed no oftener than once."""
        attempts = F("attempts") if failed else Greatest(F("attempts") - 1, 1)
        self._write(done=0, token="", leased_until=None, attempts=attempts)

    def finish(self) -> None:
        """All of it is through."""
        self._write(finished=True, done=F("posts"), token="", leased_until=None)

    def _write(self, **changes: Any) -> None:
        if not retrying(self._update, changes):
            raise Overtaken(str(self.row))

    def _update(self, changes: dict[str, Any]) -> int:
        return self.work.ranges.filter(pk=self.row.pk, token=self.row.token).update(**changes)


def claim(work: Pass, posts: int = POSTS) -> Claim | None:
    """The first range that nobody has, else a new one of so many objects; None where all that is left is others' (or
    nothing is). The pass ends with the last range that is finished, and where another scheme has become the active one.
    """
    return retrying(_claim, work, posts)


def _claim(work: Pass, posts: int) -> Claim | None:
    with locked(work.scheme, work.using) as scheme:
        if is_over_by(scheme, work):
            return None
        free = Q(leased_until=None) | Q(leased_until__lt=DatabaseClock())
        row = work.ranges.filter(free, finished=False).order_by("number").first()
        row = row or _new(work, posts, progress_of(scheme, work.label).get("torn", ()))
        if row is None:
            if not work.ranges.filter(finished=False).exists():
                keep_progress(scheme, work.label, finished=True, again=True)
            return None
        token = secrets.token_hex(16)
        work.ranges.filter(pk=row.pk).update(
            token=token, done=0, attempts=F("attempts") + 1, leased_until=DatabaseClock() + work.lease
        )
        return Claim(work, work.ranges.get(pk=row.pk))


def _new(work: Pass, most: int, torn: Iterable[tuple[str | None, str]]) -> IndexRange | None:
    """A range of at most so many objects, after all that have one; begun before where it holds any that are ``torn``.

    Where primary keys tell no age, the first pass begins with one of no objects, in which all are numbered."""
    before, rows = work.ranges.order_by("-number").first(), work.objects()
    if before is None and work.first and work.adapter.order != "pk":
        return _create(work, None, "", rows.count())
    if before is not None and not before.last and not before.finished:
        return None
    if before is not None and before.last:
        rows = rows.filter(pk__gt=work.adapter.model._meta.pk.to_python(before.last))
    last, posts = next(iter(rows[most - 1 : most]), None), most
    if last is None:
        posts, last = rows.count(), rows.reverse().first()
    if last is None:
        return None
    begun = any(_between(rows.filter(pk__lte=last), *ends).exists() for ends in torn)
    return _create(work, before, canonical_id(last), posts, attempts=int(begun))


def _between(rows: models.QuerySet[Any], after: str | None, last: str) -> models.QuerySet[Any]:
    """Those whose primary keys come after the one, and not after the other."""
    to_python = rows.model._meta.pk.to_python
    rows = rows.filter(pk__lte=to_python(last))
    return rows if after is None else rows.filter(pk__gt=to_python(after))


def _create(work: Pass, before: IndexRange | None, last: str, posts: int, attempts: int = 0) -> IndexRange:
    return IndexRange.objects.using(work.using).create(
        scheme_id=work.scheme,
        label=work.label,
        number=before.number + 1 if before else 0,
        after=before.last or None if before else None,
        last=last,
        first_seen=before.first_seen + before.posts if before else _first_free(work.using),
        posts=posts,
        attempts=attempts,
    )


def _first_free(using: str) -> int:
    """A first-seen number above all that the backfill has given or may still give."""
    documents = Document.objects.using(using).filter(first_seen__lt=LIVE_NUMBER)
    ranges = IndexRange.objects.using(using)
    given = documents.aggregate(most=Max("first_seen"))["most"] or 0
    end = models.ExpressionWrapper(F("first_seen") + F("posts"), output_field=models.BigIntegerField())
    reserved = ranges.aggregate(most=Max(end))["most"] or 0
    return max(given + 1, reserved)
