"""The redirect from the similar page of a merged or deleted post."""

from __future__ import annotations

from django.db.models import Model
from django.http import HttpRequest

from ..moderation.final_keepers import find_final_keepers
from ..pipeline.availability import has_current_tables
from ..pipeline.record_queries import records_of_post
from ..visibility import VisibilityFilter
from .access import find_adapter, parse_primary_key, visible_querysets


def find_final_keeper(request: HttpRequest, label: str, object_id: str) -> Model | None:
    """Return the post that stands for a merged or deleted post. Later merges are followed.

    Return None if there is none, if the visitor may not see the final post, or if the tables are not there.
    """
    adapter = find_adapter(label)
    if adapter is None or parse_primary_key(adapter.model, object_id) is None:
        return None
    using = adapter.visible(request).db
    if not has_current_tables(using):
        return None
    records = records_of_post(adapter.model, object_id, using).exclude(keeper_type=None)
    keeper_keys = find_final_keepers(records.order_by("-pk")[:1], using).values()
    visible = VisibilityFilter(visible_querysets(request, adapter.model))
    keepers = visible.fetch_objects([key for key in keeper_keys if visible.covers(key)], using)
    return next(iter(keepers.values()), None)
