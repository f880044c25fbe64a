"""Signals that a site may listen to: two of the worker, sent at least once, and one of a merge, after its commit."""

from django.dispatch import Signal

document_checked = Signal()
"""A document's turn has finished. Arguments: ``sender`` the model, ``document`` (Document), ``using`` (alias)."""

cluster_changed = Signal()
"""The document of a finished turn entered, left or changed a cluster.

Arguments: ``sender`` the model, ``document`` (Document), ``cluster`` (Cluster or None), ``using`` (alias)."""

post_merge = Signal()
"""A post was merged. Arguments: ``sender`` the model, ``keeper``, ``loser``, ``record`` (MergeRecord), ``using``."""
