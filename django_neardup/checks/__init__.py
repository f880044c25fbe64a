"""System checks: mistakes in the configuration, each with an id and a hint."""

from __future__ import annotations

from django.core import checks

from . import (
    adapters,
    database,
    heads,
    hook_names,
    profiles,
    publication,
    relations,
    seo,
    site,
    site_kinds,
    unfinished_work,
)

CHECK_TAG = "neardup"
SETTINGS_CHECKS = (
    profiles.check_shape,
    profiles.check_backend,
    profiles.check_algorithm,
    profiles.check_synonyms,
    profiles.check_language,
    profiles.check_unknown_language,
    profiles.check_numbers,
    profiles.check_scope,
    profiles.check_index,
    profiles.check_candidates,
    profiles.check_keeper,
    site.check_throttle,
    publication.check_rules,
    publication.check_hold_support,
    seo.check_seo,
    seo.check_redirects,
    adapters.check_profile,
    adapters.check_names,
    adapters.check_text,
    adapters.check_key,
    adapters.check_partners,
    adapters.check_language,
    adapters.check_unknown_language,
    adapters.check_numbers,
    adapters.check_choices,
    adapters.check_watch,
    hook_names.check_hook_names,
    heads.check_heads,
    heads.propose_heads,
    site_kinds.propose_articles,
    relations.check_relations,
    site.check_registered,
    site.check_urls,
    site.check_middleware,
)
DATABASE_CHECKS = (
    database.check_tables,
    database.check_pending_work,
    database.check_schemes,
    database.check_transactions,
    database.check_statistics,
    database.check_judge,
    unfinished_work.check_quarantine,
    unfinished_work.check_unfinished_runs,
    unfinished_work.check_key_index,
    seo.check_moved_urls,
)


def register_checks() -> None:
    """Register every check with Django."""
    for check in SETTINGS_CHECKS:
        checks.register(check, CHECK_TAG)
    for check in DATABASE_CHECKS:
        checks.register(check, CHECK_TAG, checks.Tags.database)
