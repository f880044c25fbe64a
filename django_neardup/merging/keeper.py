"""Which post is proposed to stay: by the site's policy, with the reason, and always the same one of the same posts.

Dates that authors set never decide. Whoever decides may choose another.
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
from ..conf import KEEPERS
from ..pipeline import documents_of
from ..pipeline.objects import identity_of
from ..text.plain import plain_text

FIRST_SEEN, NEWEST, VISITED, LINKED, LONGEST = KEEPERS
PINNED, OWN = "pinned", "own"
REASONS: dict[str, str | Promise] = {
    FIRST_SEEN: _("seen first of all"),
    NEWEST: _("seen last of all"),
    VISITED: _("visited most"),
    LINKED: _("most links lead to it"),
    LONGEST: _("its text is the longest"),
    PINNED: _("pinned"),
    OWN: _("chosen by the site's own rule"),
}
Rank = tuple[bool, bool, int, int]


@dataclass(frozen=True)
class Proposal:
    """The post that should stay, the policy that says so, and why, in words."""

    instance: models.Model
    policy: str
    reason: str | Promise


def propose(objects: Sequence[models.Model], using: str) -> Proposal:
    """The one of those posts that should stay, as KEEPER of their profile says.

    Pinned ones go before others, then those in publication; where the policy cannot tell, who was seen first.
    ``ImproperlyConfigured`` where the site's own callable returns none of them, ``ValueError`` where there are none.
    """
    if not objects:
        raise ValueError("None of no posts can stay.")
    ranks = _ranks(objects, using)
    ordered = sorted(objects, key=ranks.__getitem__)
    pinned = [each for each in ordered if adapter_for(each).pinned(each)]
    published = [each for each in ordered if ranks[each][:2] == ranks[ordered[0]][:2]]
    candidates = pinned or published
    if len(pinned) == 1:
        return Proposal(pinned[0], PINNED, REASONS[PINNED])
    policy = adapter_for(ordered[0]).settings.keeper
    if policy not in KEEPERS:
        return Proposal(_by_callable(policy, candidates), policy, REASONS[OWN])
    if policy == NEWEST:
        return _found(candidates[-1], NEWEST)
    if policy == FIRST_SEEN:
        return _found(candidates[0], FIRST_SEEN)
    return _most(candidates, policy)


def _found(instance: models.Model, policy: str) -> Proposal:
    return Proposal(instance, policy, REASONS[policy])


def _most(candidates: Sequence[models.Model], policy: str) -> Proposal:
    """The one with the most; where several have it, or nobody knows, the first seen."""
    counts = [MEASURES[policy](each) for each in candidates]
    most = max((count for count in counts if count is not None), default=None)
    best = [each for each, count in zip(candidates, counts, strict=True) if count == most]
    return _found(best[0], policy if len(best) == 1 else FIRST_SEEN)


def _by_callable(path: str, candidates: Sequence[models.Model]) -> models.Model:
    chosen = import_string(path)(list(candidates))
    found = next((each for each in candidates if each == chosen), None)
    if found is None:
        raise ImproperlyConfigured(f"KEEPER {path!r} chose none of the posts that it was given.")
    return found


def _ranks(objects: Sequence[models.Model], using: str) -> dict[models.Model, Rank]:
    """Known posts before unknown ones, published before hidden ones, then as they were first seen."""
    documents = documents_of(objects, using)
    ranks: dict[models.Model, Rank] = {}
    for number, each in enumerate(objects):
        document = documents.get(identity_of(each, using))
        unknown = (True, True, number, 0)
        ranks[each] = unknown if document is None else (False, *document.order)
    return ranks


def _length(instance: Any) -> int:
    return len(plain_text(adapter_for(instance).text(instance)).text)


MEASURES: dict[str, Callable[[Any], int | None]] = {
    VISITED: lambda instance: adapter_for(instance).visits(instance),
    LINKED: lambda instance: adapter_for(instance).links(instance),
    LONGEST: _length,
}
