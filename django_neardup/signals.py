"""Signals that a site can listen to.

The worker sends two of them, at least once each. The others concern memberships in clusters, merges, undos,
decisions, holds and addresses.
"""

from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.dispatch import Signal

from .exceptions import JOB_TIMEOUT_ERRORS, without_message

logger = logging.getLogger(__name__)


class JobSignal(Signal):
    """A signal with listeners that run inside a job.

    Raise the error by which the queue ends the job. Other errors of listeners are logged.
    """

    def send_robust(self, sender: Any, **named: Any) -> list[tuple[Callable[..., Any], Any]]:
        responses = super().send_robust(sender, **named)
        timeout_errors: tuple[type[Exception], ...] = tuple(JOB_TIMEOUT_ERRORS)
        for _, response in responses:
            # ``Signal.send_robust`` catches timeouts too, and the job would run on.
            if isinstance(response, timeout_errors):
                raise response
        return responses

    def _log_robust_failure(self, receiver: Callable[..., Any], error: Exception) -> None:
        # Django would log the message of the error too, which may quote a post.
        name = getattr(receiver, "__qualname__", type(receiver).__qualname__)
        logger.error("neardup: the receiver %s failed", name, exc_info=without_message(error))


document_checked = JobSignal()
"""The check of a document has finished.

Arguments: ``sender`` the model, ``document`` (Document), ``using`` (alias).
"""

cluster_changed = JobSignal()
"""The checked document entered, left or changed a cluster.

Arguments: ``sender`` the model, ``document`` (Document), ``cluster`` (Cluster or None), ``using`` (alias).
"""

memberships_changed = Signal()
"""Documents entered or left clusters.

It is sent in the transaction that writes the memberships, which may change again before its end. An error of a
listener aborts that transaction.

Arguments: ``sender`` the model, ``documents`` (list of Document), ``using`` (alias).
"""

pre_merge = Signal()
"""Posts are about to be merged. It is sent in the transaction, before anything is written.

If a listener raises ``MergeRefused``, the merge is refused. Any other error aborts it. In both cases nothing
changes.

Arguments: ``sender`` the model, ``keeper``, ``losers``, ``plan`` (MergePlan), ``using`` (alias).
"""

post_merge = Signal()
"""A post was merged. Arguments: ``sender`` the model, ``keeper``, ``loser``, ``record`` (MergeRecord), ``using``."""

post_undo = Signal()
"""A merge, a hiding or a deletion was undone, and the undo is committed.

Arguments: ``sender`` the post's model, ``record`` (MergeRecord), ``using`` (alias).
"""

decision_made = Signal()
"""A person decided that posts are the same or different.

The decision is committed, unless the caller's own transaction is still open.

Arguments: ``sender`` Decision, ``decision`` (Decision), ``using`` (alias).
"""

post_held = Signal()
"""A post was unpublished until it is checked or reviewed, and this is committed.

Arguments: ``sender`` the post's model, ``instance``, ``hold`` (Hold), ``using`` (alias).
"""

post_released = Signal()
"""A held post was published, and this is committed.

Arguments: ``sender`` the post's model, ``instance``, ``using`` (alias).
"""

post_refused = Signal()
"""A held post stays unpublished, and this is committed.

Arguments: ``sender`` the post's model, ``instance``, ``using`` (alias).
"""

addresses_changed = Signal()
"""Old addresses redirect to another post, or to none.

It is sent at the end of the transaction of a merge, a deletion or an undo.

Arguments: ``sender`` MovedUrl, ``paths`` in the form of ``MovedUrl.path``, ``record`` (MergeRecord),
``using`` (alias).
"""
