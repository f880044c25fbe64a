"""One way through all objects of a model, shared by whoever joins it: begun, joined, over; after it the key table is
packed once."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from django.db import models
from django.db.models import Case, F, Sum, When

from ...adapters import Adapter
from ...conf import get_profile
from ...models import IndexRange, Scheme
from ..locks import retrying
from ..progress import keep_progress, locked, progress_of
from ..schemes import active_scheme


@dataclass(frozen=True)
class Pass:
    """One way through all objects of a model. ``number`` counts them; ``first``: no pass has come to its end yet, so
    that objects which nobody has met are older than those met live."""

    adapter: Adapter
    using: str
    scheme: int
    number: int
    first: bool

    @property
    def lease(self) -> int:
        """Milliseconds within which a claim is renewed, or another process takes the range over."""
        return get_profile().lease_seconds * 1000

    @property
    def label(self) -> str:
        return self.adapter.model._meta.label_lower

    @property
    def ranges(self) -> models.QuerySet[IndexRange]:
        return IndexRange.objects.using(self.using).filter(scheme=self.scheme, label=self.label)

    def objects(self) -> models.QuerySet[Any]:
        """Primary keys of the model's objects, in order."""
        rows = self.adapter.model._base_manager.using(self.using)
        return rows.order_by("pk").values_list("pk", flat=True)

    def through(self) -> int:
        """Objects that are through by now, whoever worked them off."""
        ranges = self.ranges.exclude(last="")
        sums = ranges.aggregate(through=Sum(Case(When(finished=True, then=F("posts")), default=F("done"))))
        return sums["through"] or 0


def begin(adapter: Adapter, using: str, restart: bool = False, join: bool = False) -> Pass | None:
    """Join the pass through that model that is under way; else, or to ``restart``, begin one.

    Where nobody is at it, one that was broken off is gone on with. ``join`` begins none: None where all is through."""
    return retrying(_begin, adapter, using, restart, join)


def is_over(work: Pass) -> bool:
    """Has the pass come to its end, or another one been begun?"""
    return is_over_by(Scheme.objects.using(work.using).defer("synonyms").get(pk=work.scheme), work)


def is_over_by(scheme: Scheme, work: Pass) -> bool:
    """The same by a row of the scheme that has been read."""
    progress = progress_of(scheme, work.label)
    begun_anew = progress.get("pass") != work.number or scheme.state != Scheme.State.ACTIVE
    return begun_anew or bool(progress.get("finished"))


def is_to_pack(work: Pass, least: int) -> bool:
    """Whether the caller is to pack the key table: once a scheme and model, after a pass through so many objects; one
    of all that shared it."""
    return retrying(_is_to_pack, work, least)


def pack_later(work: Pass) -> None:
    """It could not be packed: after the next pass it is tried again."""
    retrying(_pack_later, work)


def _pack_later(work: Pass) -> None:
    with locked(work.scheme, work.using) as scheme:
        keep_progress(scheme, work.label, packed=None)


def _is_to_pack(work: Pass, least: int) -> bool:
    with locked(work.scheme, work.using) as scheme:
        progress = progress_of(scheme, work.label)
        is_ours = progress.get("pass") == work.number and scheme.state == Scheme.State.ACTIVE
        ended = is_ours and progress.get("finished") and progress.get("packed") != scheme.pk
        if not ended or work.through() < least:
            return False
        keep_progress(scheme, work.label, packed=scheme.pk)
        return True


def _begin(adapter: Adapter, using: str, restart: bool, join: bool) -> Pass | None:
    scheme, label = active_scheme(adapter.settings, using), adapter.model._meta.label_lower
    with locked(scheme.pk, using) as scheme:
        progress = progress_of(scheme, label)
        open_ = progress.get("pass") is not None and not progress.get("finished")
        if not open_ and join:
            return None
        if restart or not open_:
            ranges = IndexRange.objects.using(using).filter(scheme=scheme, label=label)
            torn = _torn(ranges, progress) if open_ else []
            ranges.delete()
            first = not (progress.get("finished") or progress.get("again"))
            progress = {
                "pass": progress.get("pass", 0) + 1, "again": not first, "finished": False, "torn": torn,
            }  # fmt: skip
            keep_progress(scheme, label, **progress)
    return Pass(adapter, using, scheme.pk, progress["pass"], not progress["again"])


def _torn(ranges: models.QuerySet[IndexRange], progress: dict[str, Any]) -> list[tuple[str | None, str]]:
    """Where the pass that is thrown away was broken off, or one before it: keys that no post has any more may have
    been left there."""
    begun = ranges.filter(finished=False).exclude(last="")
    return [*progress.get("torn", ()), *begun.values_list("after", "last")]
