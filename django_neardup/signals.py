"""Signals that a site may listen to: two of the worker, sent at least once, the others of merges, undoing, decisions,
holds and addresses."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.dispatch import Signal

from .faults import INTERRUPTS


class JobSignal(Signal):
    """One whose listeners are called in a job: what ends the job is raised, whatever else they raise is logged."""

    def send_robust(self, sender: Any, **named: Any) -> list[tuple[Callable[..., Any], Any]]:
        answers = super().send_robust(sender, **named)
        ends: tuple[type[Exception], ...] = tuple(INTERRUPTS)
        for _, answer in answers:
            if isinstance(answer, ends):
                raise answer
        return answers


document_checked = JobSignal()
"""A document's turn has finished. Arguments: ``sender`` the model, ``document`` (Document), ``using`` (alias)."""

cluster_changed = JobSignal()
"""The document of a finished turn entered, left or changed a cluster.

Arguments: ``sender`` the model, ``document`` (Document), ``cluster`` (Cluster or None), ``using`` (alias)."""

pre_merge = Signal()
"""Posts are about to be merged: in the transaction, before anything is written. ``MergeRefused``, raised by a listener,
refuses it, any other error stops it; nothing is changed then.

Arguments: ``sender`` the model, ``keeper``, ``losers``, ``plan`` (Plan), ``using`` (alias)."""

post_merge = Signal()
"""A post was merged. Arguments: ``sender`` the model, ``keeper``, ``loser``, ``record`` (MergeRecord), ``using``."""

post_undo = Signal()
"""A merge, a hiding or a deletion was undone, and that is committed.

Arguments: ``sender`` the post's model, ``record`` (MergeRecord), ``using`` (alias)."""

decision_made = Signal()
"""A person has decided that posts are the same, or different, and that is committed, unless the caller's own
transaction goes on.

Arguments: ``sender`` Decision, ``decision`` (Decision), ``using`` (alias)."""

post_held = Signal()
"""A post was taken from publication until it is checked or looked at, and that is committed.

Arguments: ``sender`` the post's model, ``instance``, ``hold`` (Hold), ``using`` (alias)."""

post_released = Signal()
"""A held post was published, and that is committed. Arguments: ``sender`` the post's model, ``instance``, ``using``."""

post_refused = Signal()
"""A held post stays unpublished, and that is committed. Arguments: ``sender`` the post's model, ``instance``,
``using``."""

addresses_changed = Signal()
"""Old addresses lead elsewhere, or nowhere any more: in the transaction of a merge, a deletion or an undo, at its end.

Arguments: ``sender`` MovedUrl, ``paths`` as ``MovedUrl.path`` has them, ``record`` (MergeRecord), ``using`` (alias)."""
