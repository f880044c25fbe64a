"""System checks: what a site forgot, each with an id and a hint."""

from __future__ import annotations

from django.core import checks

from . import adapters, database, moved, profiles, publication, seo, site, throttle

TAG = "neardup"
STATIC = (
    profiles.check_shape,
    profiles.check_backend,
    profiles.check_algorithm,
    profiles.check_synonyms,
    profiles.check_language,
    profiles.check_numbers,
    profiles.check_storage,
    profiles.check_cache,
    profiles.check_keeper,
    throttle.check_throttle,
    publication.check_rules,
    publication.check_holding,
    seo.check_seo,
    seo.check_redirects,
    adapters.check_profile,
    adapters.check_names,
    adapters.check_text,
    adapters.check_key,
    adapters.check_partners,
    adapters.check_language,
    adapters.check_numbers,
    adapters.check_choices,
    adapters.check_watch,
    site.check_registered,
    site.check_urls,
)
DATABASE = (
    database.check_tables,
    database.check_waiting,
    database.check_schemes,
    database.check_transactions,
    database.check_statistics,
    moved.check_moved,
)


def register() -> None:
    """Hand every check to Django."""
    for check in STATIC:
        checks.register(check, TAG)
    for check in DATABASE:
        checks.register(check, TAG, checks.Tags.database)
