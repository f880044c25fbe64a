"""The originality of a text as a whole number."""

from __future__ import annotations

from django.db.models import Model, QuerySet

from ..search import uniqueness
from ..visibility import GroupingError, Querysets, VisibilityFilter


def uniqueness_percent(text: str | Model | None, visible: Querysets) -> int:
    """Return how original a text is among the posts of ``visible``: 0..100, rounded down.

    ``text`` is a text or a post. None is an empty text. A plain text is compared as a text of the model of
    ``visible``. If there are several models, it is the first.
    """
    # This rejects None. For uniqueness() None would mean all live posts.
    VisibilityFilter(visible)
    if isinstance(text, Model):
        return _round_down(uniqueness(text, visible=visible))
    querysets = [visible] if isinstance(visible, QuerySet) else list(visible)
    if not querysets:
        raise GroupingError("Pass the queryset of the posts to compare with.")
    plain_text = "" if text is None else str(text)
    return _round_down(uniqueness(plain_text, querysets[0].model, visible=querysets))


def _round_down(percent: float) -> int:
    """Round down, so that only a text without similar posts gets 100."""
    return int(percent + 1e-9)
