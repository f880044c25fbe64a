"""Where a post's page of similar ones leads once the post was merged."""

from __future__ import annotations

from django.db.models import Model
from django.http import HttpRequest

from ..ends import ends_of
from ..models import MergeRecord
from ..pipeline.deeds import deeds_on
from ..visible import Visible
from .visitors import adapter_labelled, primary_key, visible_to


def merged_into(request: HttpRequest, label: str, object_id: str) -> Model | None:
    """The post that one was merged into, which may have been merged on; None where none was, or where this visitor
    may not see what it is part of now."""
    adapter = adapter_labelled(label)
    if adapter is None or primary_key(adapter.model, object_id) is None:
        return None
    using = adapter.visible(request).db
    merges = deeds_on(adapter.model, object_id, using).filter(action=MergeRecord.Action.MERGE)
    ends = ends_of(merges.order_by("-pk")[:1], using).values()
    visible = Visible(visible_to(request, adapter.model))
    found = visible.fetch([key for key in ends if visible.covers(key)], using)
    return next(iter(found.values()), None)
