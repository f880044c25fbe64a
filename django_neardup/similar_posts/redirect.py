"""The redirect from the similar page of a merged post."""

from __future__ import annotations

from django.db.models import Model
from django.http import HttpRequest

from ..models import MergeRecord
from ..moderation.final_keepers import find_final_keepers
from ..pipeline.record_queries import records_of_post
from ..visibility import VisibilityFilter
from .access import find_adapter, parse_primary_key, visible_querysets


def find_final_keeper(request: HttpRequest, label: str, object_id: str) -> Model | None:
    """Return the post that a post was finally merged into. Later merges are followed.

    Return None if it was not merged, or if the visitor may not see the final post.
    """
    adapter = find_adapter(label)
    if adapter is None or parse_primary_key(adapter.model, object_id) is None:
        return None
    using = adapter.visible(request).db
    merges = records_of_post(adapter.model, object_id, using).filter(action=MergeRecord.Action.MERGE)
    keeper_keys = find_final_keepers(merges.order_by("-pk")[:1], using).values()
    visible = VisibilityFilter(visible_querysets(request, adapter.model))
    keepers = visible.fetch_objects([key for key in keeper_keys if visible.covers(key)], using)
    return next(iter(keepers.values()), None)
