"""Profiles whose posts cannot be signed yet: their algorithm needs statistics of the posts, and there are none."""

from __future__ import annotations

import logging
import time

from django.core.exceptions import ImproperlyConfigured

from ..adapters import registered
from ..conf import Profile, get_profile
from ..models import Document, Scheme
from ..models import TermStatistics as Snapshot
from ..signatures.registry import get_algorithm
from .objects import content_type_of
from .remembering import active_schemes
from .snapshots import newest

logger = logging.getLogger(__name__)

AGAIN = 60.0
"""Seconds after which a process says again that posts wait."""

_said: dict[str, float] = {}


def lacking(using: str) -> set[str]:
    """Aliases of the profiles whose scheme, or whose settings where there is none yet, lacks statistics."""
    schemes = active_schemes(using)
    used = {adapter.profile for adapter in registered().values()}
    return {alias for alias in used if _lacks(alias, schemes.get(alias), using)}


def lost(using: str) -> set[str]:
    """Aliases of the profiles whose scheme was made with statistics that are gone: it can work with no others."""
    return {alias for alias, scheme in active_schemes(using).items() if _is_lost(scheme, using)}


def needs_statistics(profile: Profile) -> bool:
    """Whether the algorithm that the settings name depends on statistics of the posts."""
    return get_algorithm(profile.algorithm, **profile.options).needs_statistics


def uses_statistics(profile: Profile) -> bool:
    """Whether that algorithm works with statistics of the posts where there are any."""
    return get_algorithm(profile.algorithm, **profile.options).uses_statistics


def asks_for_statistics(profile: Profile, using: str) -> bool:
    """Whether a new scheme of the profile would lack statistics."""
    return needs_statistics(profile) and newest(profile.alias, using) is None


def unready_kinds(using: str) -> set[int]:
    """The content types whose posts are to be left waiting; says so, once a minute, where any wait."""
    aliases = lacking(using)
    if not aliases:
        return set()
    adapters = [adapter for adapter in registered().values() if adapter.profile in aliases]
    kinds = {content_type_of(adapter.model, using).pk for adapter in adapters}
    _say(sorted(aliases), kinds, using)
    return kinds


def _lacks(alias: str, scheme: Scheme | None, using: str) -> bool:
    if scheme is None:
        try:
            return asks_for_statistics(get_profile(alias), using)
        except (ImproperlyConfigured, LookupError, TypeError, ValueError):
            return False  # a check speaks of it, and so does the turn
    return scheme.parameters.get("statistics", "") is None or _is_lost(scheme, using)


def _is_lost(scheme: Scheme, using: str) -> bool:
    digest = scheme.parameters.get("statistics")
    return bool(digest and not Snapshot.objects.using(using).filter(digest=digest).exists())


def _say(aliases: list[str], kinds: set[int], using: str) -> None:
    waiting = (
        Document.objects.using(using).filter(content_type__in=kinds, pending_since__isnull=False).count()
    )
    if waiting and time.monotonic() - _said.get(using, -AGAIN) >= AGAIN:
        _said[using] = time.monotonic()
        logger.warning(
            "neardup: the algorithm of the profile %s needs statistics of the posts, and the database %r has none. "
            "Posts that wait: %d. Run neardup_index, or neardup_statistics and then a worker; where there were some "
            "and they are lost, neardup_index --rebuild.",
            ", ".join(aliases), using, waiting,
        )  # fmt: skip
