"""How much of a text is its own, as people read it."""

from __future__ import annotations

from django.db.models import Model, QuerySet

from ..search import uniqueness
from ..visibility import GroupingError, Querysets, VisibilityFilter


def uniqueness_percent(text: str | Model | None, visible: Querysets) -> int:
    """How much of a text, or of a post's, stands in no post of ``visible``: 0..100, rounded down.

    A plain text, of which None is an empty one, is compared as one of the model of ``visible``, the first where there
    are several.
    """
    VisibilityFilter(visible)  # refuses None, which to uniqueness() means all that is live
    if isinstance(text, Model):
        return _round_down(uniqueness(text, visible=visible))
    querysets = [visible] if isinstance(visible, QuerySet) else list(visible)
    if not querysets:
        raise GroupingError("There is no queryset: give that of all posts that the text is compared with.")
    words = "" if text is None else str(text)
    return _round_down(uniqueness(words, querysets[0].model, visible=querysets))


def _round_down(percent: float) -> int:
    """Only a text that nothing is like is wholly its own."""
    return int(percent + 1e-9)
