"""Exceptions of this app, and what a log shows of an exception."""

from __future__ import annotations

from django.core.exceptions import ImproperlyConfigured
from django.db import Error as DjangoDatabaseError
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


class SecretMissing(NeardupError, ImproperlyConfigured):
    """The setting SECRET no longer is the one that an index was made with. The message names the remedy."""


class InvalidRule(NeardupError, ImproperlyConfigured, ValueError):
    """A publication rule of the settings that cannot be read. The message names the error and the remedy."""


class IndexUnavailable(NeardupError, OperationalError):
    """A key index outside the database does not answer, or must not be used. No post is to blame.

    The message says what to do. It quotes no post.
    """


JOB_TIMEOUT_ERRORS: list[type[Exception]] = []
"""Exceptions by which a queue ends a job that takes too long. Each queue module adds its own."""


def infrastructure_errors() -> tuple[type[Exception], ...]:
    """Return the errors of the database and of the queue.

    They abort the job and never count as an attempt.
    """
    return (OperationalError, InterfaceError, *JOB_TIMEOUT_ERRORS)


def error_name(error: BaseException) -> str:
    """Return the class of an error, for a log. A database error has the driver's name or number of it too."""
    name, cause = type(error).__name__, error.__cause__
    if not isinstance(error, DjangoDatabaseError) or cause is None:
        return name
    # SQLite has names since Python 3.11, psycopg a class for each error of PostgreSQL, MariaDB has numbers.
    driver_class = type(cause).__name__
    number = next((value for value in cause.args[:1] if isinstance(value, int)), None)
    detail = getattr(cause, "sqlite_errorname", None) or (driver_class if driver_class != name else number)
    return f"{name}, {detail}" if detail else name


def without_message(error: BaseException) -> BaseException:
    """Return what a log may show of an error, as ``exc_info``: class, traceback and causes, but no message.

    An error about the settings or about a key index keeps its own message, but not those of its causes.
    """
    # A message may quote a post: PostgreSQL prints the row that it refuses, and code of a site what it cannot read.
    message = (str(error),) if isinstance(error, (ImproperlyConfigured, IndexUnavailable)) else ()
    error_class = type(error)
    names = {"__module__": error_class.__module__, "__qualname__": error_class.__qualname__}
    shown: BaseException = type(error_class.__name__, (Exception,), names)(*message)
    shown.__cause__ = error.__cause__ and without_message(error.__cause__)
    shown.__context__ = error.__context__ and without_message(error.__context__)
    shown.__suppress_context__ = error.__suppress_context__
    return shown.with_traceback(error.__traceback__)
