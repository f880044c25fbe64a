"""Posts of profiles that lack statistics: they stay pending, and the worker warns about it.

Deleted and hidden posts among them are removed meanwhile: that needs no signature.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Collection

from django.core.exceptions import ImproperlyConfigured

from ..adapters import registered_adapters
from ..algorithms.registry import get_algorithm
from ..conf import Profile, get_profile
from ..models import Document, Scheme
from ..models import TermStatistics as Snapshot
from .content_objects import content_type_of
from .leases import is_free
from .process_documents import hide_unsignable, read_source
from .scheme_cache import read_active_schemes
from .statistics_store import newest_snapshot

INDEXED_STATES = (Document.State.INDEXED, Document.State.QUARANTINED)
"""States of documents that may be in a cluster."""

PendingRequest = tuple[int, int, int | None]
"""A document id, the number of the request, and its time."""

_checked_requests: dict[str, set[PendingRequest]] = {}
"""By database, pending requests of existing posts that wait for statistics. Each is checked once."""


def documents_to_remove(content_type_ids: Collection[int], using: str) -> list[int]:
    """Return indexed, pending documents of the content types that must be removed from the index.

    A hidden post that is still compared stops leading its cluster here, and stays pending.
    """
    if not content_type_ids:
        _checked_requests.pop(using, None)
        return []
    pending = _pending_requests(content_type_ids, using)
    unchecked = sorted(pending - _checked_requests.get(using, set()))
    removable = {request for request in unchecked if _should_be_removed(request[0], using)}
    _checked_requests[using] = pending - removable
    return sorted(document for document, _, _ in removable)


def _pending_requests(content_type_ids: Collection[int], using: str) -> set[PendingRequest]:
    rows = Document.objects.using(using).filter(
        is_free(), content_type__in=content_type_ids, state__in=INDEXED_STATES
    )
    return set(rows.filter(pending_since__isnull=False).values_list("pk", "wanted", "pending_since"))


def _should_be_removed(document_id: int, using: str) -> bool:
    document = Document.objects.using(using).get(pk=document_id)
    adapter, source = read_source(document, using, strict=False)
    if adapter is None or source is None or not source.compared:
        return True
    if document.live and not source.live:
        hide_unsignable(document, adapter, using)
    return False


logger = logging.getLogger(__name__)

WARN_INTERVAL = 60.0
"""Seconds between two warnings of a process about waiting posts."""

_last_warning: dict[str, float] = {}


def profiles_lacking_statistics(using: str) -> set[str]:
    """Return aliases of the profiles that lack statistics.

    If a profile has no scheme yet, its settings decide.
    """
    schemes = read_active_schemes(using)
    used = {adapter.profile for adapter in registered_adapters().values()}
    return {alias for alias in used if _lacks_statistics(alias, schemes.get(alias), using)}


def profiles_with_lost_statistics(using: str) -> set[str]:
    """Return aliases of the profiles with lost statistics of their scheme.

    Such a scheme cannot work with other statistics.
    """
    return {
        alias for alias, scheme in read_active_schemes(using).items() if _has_lost_statistics(scheme, using)
    }


def needs_statistics(profile: Profile) -> bool:
    """Return whether the algorithm of the settings depends on statistics of the posts."""
    return get_algorithm(profile.algorithm, **profile.options).needs_statistics


def uses_statistics(profile: Profile) -> bool:
    """Return whether the algorithm of the settings uses statistics of the posts if there are any."""
    return get_algorithm(profile.algorithm, **profile.options).uses_statistics


def would_lack_statistics(profile: Profile, using: str) -> bool:
    """Return whether a new scheme of the profile would lack statistics."""
    return needs_statistics(profile) and newest_snapshot(profile.alias, using) is None


def unready_content_types(using: str) -> set[int]:
    """Return the content types with posts that must stay pending.

    Warn once a minute if there are any such posts.
    """
    aliases = profiles_lacking_statistics(using)
    if not aliases:
        return set()
    adapters = [adapter for adapter in registered_adapters().values() if adapter.profile in aliases]
    content_type_ids = {content_type_of(adapter.model, using).pk for adapter in adapters}
    _warn_waiting(sorted(aliases), content_type_ids, using)
    return content_type_ids


def _lacks_statistics(alias: str, scheme: Scheme | None, using: str) -> bool:
    if scheme is None:
        try:
            return would_lack_statistics(get_profile(alias), using)
        except (ImproperlyConfigured, LookupError, TypeError, ValueError):
            return False  # a system check reports it, and so does the processing
    return scheme.parameters.get("statistics", "") is None or _has_lost_statistics(scheme, using)


def _has_lost_statistics(scheme: Scheme, using: str) -> bool:
    digest = scheme.parameters.get("statistics")
    return bool(digest and not Snapshot.objects.using(using).filter(digest=digest).exists())


def _warn_waiting(aliases: list[str], content_type_ids: set[int], using: str) -> None:
    pending_count = (
        Document.objects.using(using)
        .filter(content_type__in=content_type_ids, pending_since__isnull=False)
        .count()
    )
    if pending_count and time.monotonic() - _last_warning.get(using, -WARN_INTERVAL) >= WARN_INTERVAL:
        _last_warning[using] = time.monotonic()
        logger.warning(
            "neardup: the algorithm of the profile %s needs statistics of the posts, but the database %r has none. "
            "Pending posts: %d. Run neardup_index, or neardup_statistics and then a worker. If statistics were lost, "
            "run neardup_index --rebuild.",
            ", ".join(aliases), using, pending_count,
        )  # fmt: skip
