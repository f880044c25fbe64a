"""A transaction under the locks of the posts' spaces, with errors of the database as refusals."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import ExitStack, contextmanager

from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.db import DatabaseError, DataError, IntegrityError, models
from django.utils.translation import gettext as _

from ..db.backends import get_backend
from ..exceptions import MergeRefused, NotRegistered
from ..pipeline import space_lock
from .cascade import protection_messages

RAISED_IN_POSTGRESQL, SIGNALLED_IN_MARIADB = "P0001", 1644
"""The codes of errors that the code of a trigger raises: ``RAISE`` and ``SIGNAL``."""


@contextmanager
def locked_transaction(spaces: Collection[int], using: str) -> Iterator[None]:
    """Run the block in a transaction under the locks of the spaces, completely or not at all.

    Raise MergeRefused, with nothing changed, if a row is protected, if the database or a model's own code
    refuses a change, if an adapter is missing or incomplete, or inside another transaction.
    """
    try:
        with _own_space_lock(spaces, using):
            get_backend(using).defer_foreign_keys()
            yield
    except models.ProtectedError as error:
        raise MergeRefused(protection_messages(error.protected_objects)) from error
    except models.RestrictedError as error:
        raise MergeRefused(protection_messages(error.restricted_objects)) from error
    except DatabaseError as error:
        if not is_refusal(error):
            raise
        raise MergeRefused([_("The database refuses: %(error)s") % {"error": error}]) from error
    except ValidationError as error:
        raise MergeRefused(error.messages) from error
    except (ImproperlyConfigured, NotRegistered) as error:
        raise MergeRefused([str(error)]) from error


def is_refusal(error: DatabaseError) -> bool:
    """Return whether the database refuses a value or a change: a rule, a range, or an error that a trigger raises."""
    if isinstance(error, IntegrityError | DataError):
        return True
    cause = error.__cause__
    # psycopg 2 has another name for it.
    sql_state = getattr(cause, "sqlstate", None) or getattr(cause, "pgcode", None)
    return sql_state == RAISED_IN_POSTGRESQL or error.args[:1] == (SIGNALLED_IN_MARIADB,)


@contextmanager
def _own_space_lock(spaces: Collection[int], using: str) -> Iterator[None]:
    """Open the transaction. Raise MergeRefused if the request has opened one already."""
    with ExitStack() as stack:
        try:
            stack.enter_context(space_lock(set(spaces), using))
        except RuntimeError as error:
            # Django opens no durable transaction inside another.
            raise MergeRefused(
                [
                    _(
                        "This needs its own transaction, but the request already runs in one. "
                        "Check ATOMIC_REQUESTS and MIDDLEWARE."
                    )
                ]
            ) from error
        yield
