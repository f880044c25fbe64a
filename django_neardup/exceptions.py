"""Exceptions of this app."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db import InterfaceError, OperationalError


class NeardupError(Exception):
    """Base class of every error that this app defines."""


class NotRegistered(NeardupError, LookupError):
    """The model has no adapter. Register one in the module ``neardup.py`` of its app."""


class AlreadyRegistered(NeardupError, ImproperlyConfigured, ValueError):
    """The model already has an adapter."""


class MergeRefused(NeardupError):
    """A merge that would lose data. ``reasons`` describes every conflict and every protected row."""

    def __init__(self, reasons: list[str]) -> None:
        super().__init__("; ".join(reasons))
        self.reasons = reasons


class UndoIsInexact(MergeRefused):
    """An action whose undo was tried and would not restore every row.

    ``is_acceptable``: only rows whose loss the adapter accepts would be missing. The action is done if the
    person accepts it too.
    """

    def __init__(self, reasons: list[str], *, is_acceptable: bool = False) -> None:
        super().__init__(reasons)
        self.is_acceptable = is_acceptable


class Conflict(NeardupError):
    """The data on a moderator's screen is outdated: another moderator decided, or a post was edited."""


JOB_TIMEOUT_ERRORS: list[type[Exception]] = []
"""Exceptions by which a queue ends a job that takes too long. Each queue module adds its own."""


def infrastructure_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the database and of the queue.

    They abort the job and never count as an attempt.
    """
    return (OperationalError, InterfaceError, *JOB_TIMEOUT_ERRORS)
