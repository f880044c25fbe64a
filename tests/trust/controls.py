"""The app without its defences. Each attack must succeed there, or its test proves nothing."""

from collections.abc import Callable
from typing import Any

from django_neardup.comparison.bucket_matches import BucketLimit
from django_neardup.comparison.work_limit import WorkLimit
from django_neardup.pipeline import conclude, store
from django_neardup.pipeline.stage_types import SignedDocument
from django_neardup.search import visible_posts
from django_neardup.search.visible_posts import VisiblePosts


def remove_bucket_defences(set_attribute: Callable[[Any, str, Any], None]) -> None:
    """Read the newest 64 of a bucket, whether live or not, and nothing more. ``set_attribute``: as ``setattr``."""
    set_attribute(BucketLimit, "of", classmethod(lambda cls, size: cls(0, 64)))
    set_attribute(SignedDocument, "stored_keys", property(lambda signed: signed.keys))
    set_attribute(visible_posts, "MAX_BUCKETS_READ_ON", 0)
    set_attribute(visible_posts, "EARLIEST_ALIGNED", 0)
    set_attribute(VisiblePosts, "family_members", lambda posts, leaders: {})
    set_attribute(
        VisiblePosts, "_screening_row", lambda posts, row: row._replace(leader_id=None, family_id=None)
    )


def remove_work_limits(set_attribute: Callable[[Any, str, Any], None]) -> None:
    """Align every candidate, whatever it costs."""
    set_attribute(WorkLimit, "_select", lambda limit, text, candidates, letters: (list(candidates), 0))


def remove_text_ages(set_attribute: Callable[[Any, str, Any], None]) -> None:
    """Order posts by the ages of their rows: an edit makes no text younger."""
    set_attribute(store, "record_edits", lambda signed, stored_texts, using: None)
    set_attribute(conclude, "place_edits", lambda *arguments: {})
