"""For the tests of a site: that its posts survive a merge, a deletion and their undo."""

from __future__ import annotations

from collections.abc import Callable

from django.db import models

from .exceptions import MergeRefused
from .moderation import ActionContext, delete, merge
from .moderation.proof import DONE, PROOF_KEY, is_proof
from .moderation.undo.restore import undo

__all__ = ["assert_undo_is_exact", "is_proof"]


def assert_undo_is_exact(factory: Callable[[], models.Model], using: str = "default") -> None:
    """Merge posts, delete one, undo both, and raise AssertionError unless every row comes back as it was.

    ``factory`` saves and returns a new post, with all that may point at one. It is called three times.
    ``NEARDUP["PROVE_UNDO"]`` must be on: the proof compares the rows.
    """
    keeper, loser, deleted = factory(), factory(), factory()
    context = ActionContext(using=using)
    try:
        records = [*merge(keeper, [loser], context), *delete([deleted], context)]
        unproved = [record for record in records if record.journal[PROOF_KEY] != DONE]
        left = [sentence for record in records for sentence in undo(record, None, using).left]
    except MergeRefused as error:
        raise AssertionError("\n".join(error.reasons)) from error
    if unproved:
        raise AssertionError(f"Their undo was not tried: {', '.join(map(str, unproved))}.")
    if left:
        raise AssertionError("\n".join(left))
