"""Passes through all objects of a model, shared by all processes that join them.

After a pass the key table is packed once.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from django.db import models
from django.db.models import Case, F, Min, Sum, When

from ...adapters import Adapter, registered_adapters
from ...conf import get_site_settings
from ...models import IndexRange, Scheme
from ...models.fields import DatabaseClock
from ..index_progress import lock_scheme, progress_of, save_progress
from ..leases import is_leased
from ..locks import call_with_retries
from ..schemes import active_scheme
from .owner_tokens import is_of_dead_process


class PostCounts(NamedTuple):
    """How many posts are signed, and how many of them are compared too."""

    signed: int = 0
    compared: int = 0


@dataclass(frozen=True)
class IndexPass:
    """One pass through all objects of a model.

    - ``number``: the number of the pass.
    - ``is_first``: no pass has been completed yet. Then objects without a document count as older than
      objects that were processed live.
    - ``follows_broken_one``: the pass before was broken off. Its processes may have left documents leased.
    """

    adapter: Adapter
    using: str
    scheme: int
    number: int
    is_first: bool
    follows_broken_one: bool = False

    @property
    def lease_milliseconds(self) -> int:
        """Duration of a claim in milliseconds. If it is not renewed, another process takes the range over."""
        return get_site_settings().lease_seconds * 1000

    @property
    def model_label(self) -> str:
        return self.adapter.model._meta.label_lower

    @property
    def ranges(self) -> models.QuerySet[IndexRange]:
        return IndexRange.objects.using(self.using).filter(scheme=self.scheme, label=self.model_label)

    def object_pks(self) -> models.QuerySet[Any]:
        """Return the primary keys of the model's objects, in order."""
        rows = self.adapter.model._base_manager.using(self.using)
        return rows.order_by("pk").values_list("pk", flat=True)

    def counts(self, *, only_finished: bool = False) -> PostCounts:
        """Return how many objects all processes have signed and compared.

        ``only_finished``: those of finished ranges, which are not read again.
        """
        ranges = self.ranges.exclude(last="")
        sums = (ranges.filter(finished=True) if only_finished else ranges).aggregate(
            signed=Sum(Case(When(finished=True, then=F("posts")), default=F("signed"))),
            compared=Sum(Case(When(finished=True, then=F("posts")), default=F("done"))),
        )
        return PostCounts(sums["signed"] or 0, sums["compared"] or 0)

    def seconds_until_free(self) -> int:
        """Return for how many seconds other processes have leased what is left, unless they renew it."""
        free_at = self.ranges.filter(finished=False).aggregate(first=Min("leased_until"))["first"]
        if free_at is None:
            return 0
        left = self.ranges.filter(finished=False, leased_until=free_at).annotate(
            left=F("leased_until") - DatabaseClock()
        )
        return max(0, -(-(left.values_list("left", flat=True).first() or 0) // 1000))


def begin_pass(adapter: Adapter, using: str, restart: bool = False, join: bool = False) -> IndexPass | None:
    """Join the current pass through the model.

    If there is none, or if ``restart`` is true, begin one. An interrupted pass is continued. If ``join`` is
    true, begin none, and return None if there is no current pass.
    """
    return call_with_retries(_begin_pass, adapter, using, restart, join)


@dataclass(frozen=True)
class UnfinishedPass:
    """A pass that was begun and not finished. ``is_rebuild``: its scheme has not signed all objects before."""

    model: type[models.Model]
    is_rebuild: bool


def abandoned_passes(using: str) -> list[UnfinishedPass]:
    """Return the unfinished passes through registered models. Return none while a process works on a range."""
    active = Scheme.objects.using(using).filter(state=Scheme.State.ACTIVE).defer("synonyms")
    schemes = {scheme.profile: scheme for scheme in active.order_by("generation")}
    unfinished = list[UnfinishedPass]()
    for model, adapter in registered_adapters().items():
        scheme = schemes.get(adapter.profile)
        progress = progress_of(scheme, model._meta.label_lower) if scheme is not None else {}
        if scheme is not None and progress.get("pass") is not None and not progress.get("finished"):
            is_rebuild = scheme.generation > 1 and progress.get("completed") != scheme.pk
            unfinished.append(UnfinishedPass(model, is_rebuild))
    return [] if unfinished and _is_any_range_leased(using) else unfinished


def _is_any_range_leased(using: str) -> bool:
    ranges = IndexRange.objects.using(using).filter(is_leased(), finished=False)
    return not all(is_of_dead_process(token) for token in ranges.values_list("token", flat=True))


def is_over(index_pass: IndexPass) -> bool:
    """Return whether the pass has ended or another one has begun."""
    return is_over_in_scheme(
        Scheme.objects.using(index_pass.using).defer("synonyms").get(pk=index_pass.scheme), index_pass
    )


def is_over_in_scheme(scheme: Scheme, index_pass: IndexPass) -> bool:
    """Return the same as ``is_over``, by a scheme row that is already read."""
    progress = progress_of(scheme, index_pass.model_label)
    replaced = progress.get("pass") != index_pass.number or scheme.state != Scheme.State.ACTIVE
    return replaced or bool(progress.get("finished"))


def should_pack(index_pass: IndexPass, min_posts: int) -> bool:
    """Return whether the caller has to pack the key table.

    It is packed once for each scheme and model, after a pass through at least ``min_posts`` objects, by one
    of the processes of the pass.
    """
    return call_with_retries(_should_pack, index_pass, min_posts)


def postpone_packing(index_pass: IndexPass) -> None:
    """Record that packing failed: it is tried again after the next pass."""
    call_with_retries(_postpone_packing, index_pass)


def _postpone_packing(index_pass: IndexPass) -> None:
    with lock_scheme(index_pass.scheme, index_pass.using) as scheme:
        save_progress(scheme, index_pass.model_label, packed=None)


def _should_pack(index_pass: IndexPass, min_posts: int) -> bool:
    with lock_scheme(index_pass.scheme, index_pass.using) as scheme:
        progress = progress_of(scheme, index_pass.model_label)
        is_ours = progress.get("pass") == index_pass.number and scheme.state == Scheme.State.ACTIVE
        ended = is_ours and progress.get("finished") and progress.get("packed") != scheme.pk
        if not ended or index_pass.counts().compared < min_posts:
            return False
        save_progress(scheme, index_pass.model_label, packed=scheme.pk)
        return True


def _begin_pass(adapter: Adapter, using: str, restart: bool, join: bool) -> IndexPass | None:
    scheme, label = active_scheme(adapter.settings, using), adapter.model._meta.label_lower
    with lock_scheme(scheme.pk, using) as scheme:
        progress = progress_of(scheme, label)
        is_running = progress.get("pass") is not None and not progress.get("finished")
        if not is_running and join:
            return None
        if restart or not is_running:
            ranges = IndexRange.objects.using(using).filter(label=label)
            was_broken_off = ranges.filter(finished=False, attempts__gt=0).exists()
            ranges.delete()
            is_first = not (progress.get("finished") or progress.get("again"))
            progress = {
                "pass": progress.get("pass", 0) + 1, "again": not is_first, "finished": False,
                "broken_off": was_broken_off,
            }  # fmt: skip
            save_progress(scheme, label, **progress)
    return IndexPass(
        adapter, using, scheme.pk, progress["pass"], not progress["again"], bool(progress.get("broken_off"))
    )
