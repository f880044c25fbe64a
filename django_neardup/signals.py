"""Signals that a site may listen to: two of the worker, sent at least once, the others of merges and undoing."""

from django.dispatch import Signal

document_checked = Signal()
"""A document's turn has finished. Arguments: ``sender`` the model, ``document`` (Document), ``using`` (alias)."""

cluster_changed = Signal()
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
