"""Whole or not at all: a transaction under the locks of the posts' spaces, and words for what the database refuses."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from contextlib import contextmanager

from django.core.exceptions import ImproperlyConfigured
from django.db import IntegrityError, models
from django.utils.translation import gettext as _

from ..exceptions import MergeRefused, NotRegistered
from ..pipeline import space_lock
from .cascade import protecting


@contextmanager
def whole(spaces: Collection[int], using: str) -> Iterator[None]:
    """What is done inside is done under the locks of those spaces; ``MergeRefused``, and nothing is changed, where a
    row is protected, a rule of the database broken, or an adapter does not say how.
    """
    try:
        with space_lock(set(spaces), using):
            yield
    except models.ProtectedError as error:
        raise MergeRefused(protecting(error.protected_objects)) from error
    except models.RestrictedError as error:
        raise MergeRefused(protecting(error.restricted_objects)) from error
    except IntegrityError as error:
        raise MergeRefused([_("The database refuses: %(error)s") % {"error": error}]) from error
    except (ImproperlyConfigured, NotRegistered) as error:
        raise MergeRefused([str(error)]) from error
