"""Where a post's page of similar ones leads once the post was merged."""

from __future__ import annotations

from django.db.models import Model
from django.http import HttpRequest

from ..models import MergeRecord
from ..moderation.final_keepers import find_final_keepers
from ..pipeline.record_queries import records_of_post
from ..visibility import VisibilityFilter
from .access import find_adapter, parse_primary_key, visible_querysets


def find_final_keeper(request: HttpRequest, label: str, object_id: str) -> Model | None:
    """The post that one was merged into, which may have been merged on; None where none was, or where this visitor
    may not see what it is part of now."""
    adapter = find_adapter(label)
    if adapter is None or parse_primary_key(adapter.model, object_id) is None:
        return None
    using = adapter.visible(request).db
    merges = records_of_post(adapter.model, object_id, using).filter(action=MergeRecord.Action.MERGE)
    ends = find_final_keepers(merges.order_by("-pk")[:1], using).values()
    visible = VisibilityFilter(visible_querysets(request, adapter.model))
    found = visible.fetch_objects([key for key in ends if visible.covers(key)], using)
    return next(iter(found.values()), None)
