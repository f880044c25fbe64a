"""What somebody sends again while it waits: the browser's Back, and the same form once more."""

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
    """A post of the author's own that waits, and says word for word what is sent now. ``state``: of its hold."""

    match: Match
    state: str


def find_resubmission(
    instance: Model, adapter: Adapter, author: Any, request: HttpRequest, using: str
) -> Resubmission | None:
    """What the unsaved post repeats; nothing where it is too short to be compared."""
    source = replace(adapter.source(instance, compared=True, live=False), author=str(author))
    digests = {source.digest, replace(source, compared=False).digest}
    for post, state in _waiting_posts(digests, adapter, using):
        if _is_duplicate(post, instance):
            return Resubmission(_build_match(post, adapter, request, using), state)
    return None


def _waiting_posts(digests: Collection[str], adapter: Adapter, using: str) -> Iterator[tuple[Model, str]]:
    """Posts that wait and were read so, the oldest first, each with the state of its hold. Holds are asked, not the
    index: the worker may not have met the post yet."""
    kind = content_type_of(adapter.model, using)
    found = Hold.objects.using(using).filter(
        digest__in=digests, state__in=WAITING_STATES, document__content_type=kind
    )
    rows = list(found.select_related("document").order_by("pk"))
    posts = objects_of([row.document for row in rows], using)
    now = adapter.sources([post.pk for post in posts.values()], using)
    for row in rows:
        post = posts.get(row.document_id)
        if post is not None and post.pk in now and now[post.pk].digest in digests:
            yield post, row.state


def _is_duplicate(post: Model, instance: Model) -> bool:
    """Whether the two are duplicates: of short texts the rules say nothing."""
    return bool(check_many([post, instance], type(post), limit=0)[1].repeats)


def _build_match(post: Model, adapter: Adapter, request: HttpRequest, using: str) -> Match:
    """Found as any other; with a link where its author may follow it."""
    seen = existing_pks(adapter.visible(request), [post.pk], using)
    url = public_url(post) if seen else ""
    return Match(post, "duplicate", True, 1.0, own=True, title=display_title(post, MAX_TITLE_LENGTH), url=url)
