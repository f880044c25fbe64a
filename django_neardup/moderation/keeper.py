"""The proposed keeper: by the site's policy, with the reason, and always the same for the same posts.

Dates set by authors never decide. The moderator may choose another post.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from django.core.exceptions import ImproperlyConfigured
from django.db import models
from django.utils.functional import Promise
from django.utils.module_loading import import_string
from django.utils.translation import gettext_lazy as _

from ..adapters import adapter_for
from ..conf import KEEPER_POLICIES
from ..pipeline import documents_of
from ..pipeline.content_objects import post_id_of
from ..text.normalization.offsets import PlainText
from ..text.normalization.plain_text import plain_text

FIRST_SEEN, NEWEST, MOST_VISITED, MOST_LINKED, LONGEST = KEEPER_POLICIES
PINNED, CUSTOM = "pinned", "own"
REASONS: dict[str, str | Promise] = {
    FIRST_SEEN: _("seen first"),
    NEWEST: _("seen last"),
    MOST_VISITED: _("most visits"),
    MOST_LINKED: _("most links"),
    LONGEST: _("longest text"),
    PINNED: _("pinned"),
    CUSTOM: _("chosen by the site's own rule"),
}
Rank = tuple[bool, bool, int, int, int]


@dataclass(frozen=True)
class KeeperProposal:
    """The proposed keeper, the policy that chose it, and the reason in words."""

    post: models.Model
    policy: str
    reason: str | Promise


def propose_keeper(posts: Sequence[models.Model], using: str) -> KeeperProposal:
    """Return the post that should stay, by the ``KEEPER`` of its profile.

    Pinned posts come first, then published ones. If the policy cannot decide, the post that was seen first
    stays. Raise ImproperlyConfigured if the site's callable returns another object than a candidate. Raise
    ValueError if ``posts`` is empty.
    """
    if not posts:
        raise ValueError("There are no posts to choose from.")
    ranks = _rank_posts(posts, using)
    ordered = sorted(posts, key=ranks.__getitem__)
    pinned = [post for post in ordered if adapter_for(post).pinned(post)]
    equally_ranked = [post for post in ordered if ranks[post][:2] == ranks[ordered[0]][:2]]
    candidates = pinned or equally_ranked
    if len(pinned) == 1:
        return KeeperProposal(pinned[0], PINNED, REASONS[PINNED])
    policy = adapter_for(ordered[0]).settings.keeper
    if policy not in KEEPER_POLICIES:
        return KeeperProposal(_choose_by_callable(policy, candidates), policy, REASONS[CUSTOM])
    if policy == NEWEST:
        return _build_proposal(candidates[-1], NEWEST)
    if policy == FIRST_SEEN:
        return _build_proposal(candidates[0], FIRST_SEEN)
    return _propose_by_count(candidates, policy)


def _build_proposal(post: models.Model, policy: str) -> KeeperProposal:
    return KeeperProposal(post, policy, REASONS[policy])


def _propose_by_count(candidates: Sequence[models.Model], policy: str) -> KeeperProposal:
    """Return the post with the highest count.

    If several share it or all are unknown, return the first seen.
    """
    counts = [MEASURES[policy](post) for post in candidates]
    highest = max((count for count in counts if count is not None), default=None)
    best_posts = [post for post, count in zip(candidates, counts, strict=True) if count == highest]
    return _build_proposal(best_posts[0], policy if len(best_posts) == 1 else FIRST_SEEN)


def _choose_by_callable(path: str, candidates: Sequence[models.Model]) -> models.Model:
    chosen = import_string(path)(list(candidates))
    keeper = next((candidate for candidate in candidates if candidate == chosen), None)
    if keeper is None:
        raise ImproperlyConfigured(f"KEEPER {path!r} did not return one of the posts.")
    return keeper


def _rank_posts(posts: Sequence[models.Model], using: str) -> dict[models.Model, Rank]:
    """Return sort keys: known before unknown posts, published before hidden ones, then the oldest text first."""
    documents = documents_of(posts, using)
    ranks: dict[models.Model, Rank] = {}
    for position, post in enumerate(posts):
        document = documents.get(post_id_of(post, using))
        unknown_rank = (True, True, position, 0, 0)
        ranks[post] = unknown_rank if document is None else (False, *document.static_order)
    return ranks


def _text_length(instance: Any) -> int:
    adapter = adapter_for(instance)
    source = adapter.source(instance, compared=True, live=True)
    plain = plain_text(source.text, text_class=PlainText, markup=adapter.markup)
    return len(source.text) if plain.too_long else len(plain.text)


MEASURES: dict[str, Callable[[Any], int | None]] = {
    MOST_VISITED: lambda instance: adapter_for(instance).view_count(instance),
    MOST_LINKED: lambda instance: adapter_for(instance).link_count(instance),
    LONGEST: _text_length,
}
