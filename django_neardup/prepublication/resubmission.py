"""Posts that an author submits again while the first one waits.

The author may have used the browser's Back button and sent the same form once more.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass, replace
from typing import Any

from django.db.models import Model
from django.http import HttpRequest

from ..adapters import Adapter
from ..models import Hold
from ..pipeline.content_objects import content_type_of, objects_of
from ..querysets import existing_pks
from ..search import Match, check_many
from ..search.display_titles import display_title
from ..search.results import MAX_TITLE_LENGTH, public_url

WAITING_STATES = (Hold.State.CHECKING, Hold.State.REVIEW)


@dataclass(frozen=True)
class Resubmission:
    """The author's own waiting post with exactly the same text. ``state`` is the state of its hold."""

    match: Match
    state: str


def find_resubmission(
    instance: Model, adapter: Adapter, author: Any, request: HttpRequest, using: str
) -> Resubmission | None:
    """Return the waiting post that the unsaved post repeats.

    Return None if its text is too short to be compared.
    """
    source = replace(adapter.source(instance, compared=True, live=False), author=str(author))
    digests = {source.digest, replace(source, compared=False).digest}
    for post, state in _waiting_posts(digests, adapter, using):
        if _is_duplicate(post, instance):
            return Resubmission(_build_match(post, adapter, request, using), state)
    return None


def _waiting_posts(digests: Collection[str], adapter: Adapter, using: str) -> Iterator[tuple[Model, str]]:
    """Yield the waiting posts with these source digests and the states of their holds, the oldest first."""
    content_type = content_type_of(adapter.model, using)
    # The holds are read, not the index: the worker may not have processed the post yet.
    holds = Hold.objects.using(using).filter(
        digest__in=digests, state__in=WAITING_STATES, document__content_type=content_type
    )
    rows = list(holds.select_related("document").order_by("pk"))
    posts = objects_of([row.document for row in rows], using)
    sources = adapter.sources([post.pk for post in posts.values()], using)
    for row in rows:
        post = posts.get(row.document_id)
        if post is not None and post.pk in sources and sources[post.pk].digest in digests:
            yield post, row.state


def _is_duplicate(post: Model, instance: Model) -> bool:
    """Return whether the two posts are duplicates."""
    # The rules do not apply to texts that are too short to be compared.
    return bool(check_many([post, instance], type(post), limit=0)[1].repeats)


def _build_match(post: Model, adapter: Adapter, request: HttpRequest, using: str) -> Match:
    """Return the match for a waiting post. It has an address only if the visitor may see the post."""
    visible_pks = existing_pks(adapter.visible(request), [post.pk], using)
    url = public_url(post) if visible_pks else ""
    return Match(post, "duplicate", True, 1.0, own=True, title=display_title(post, MAX_TITLE_LENGTH), url=url)
