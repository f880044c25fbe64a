"""Scheme and spaces as they stand in a database: read, and never made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from ..adapters import Adapter, Source
from ..algorithms.registry import get_algorithm
from ..conf import Profile
from ..db.sql import fetch_all, placeholders
from ..models import Scheme
from ..pipeline.schemes import algorithm_options, configured_secret, space_columns
from ..pipeline.synonym_files import read_synonym_classes, synonyms_digest

SCHEME_AND_SPACES_SQL = (
    'SELECT s."id", s."secret", s."parameters", p."digest", p."id" FROM "neardup_scheme" s '
    'LEFT JOIN "neardup_space" p ON p."digest" IN ({}) '
    'WHERE s."profile" = %s AND s."state" = \'active\' ORDER BY s."generation" DESC'
)

SchemeRow = tuple[Any, ...]
_databases_with_tables: set[str] = set()
_scheme_cache: dict[tuple[str, str], tuple[SchemeRow, Scheme]] = {}


@dataclass(frozen=True)
class SearchIndex:
    """What signs, and the numbers of spaces by digest."""

    scheme: Scheme
    spaces: dict[str, int]

    def find_space(self, adapter: Adapter, source: Source) -> tuple[int, str]:
        """Number and digest of the space where a source is compared; one that is not there has a number below 0."""
        digest = _space_digest(adapter, source)
        return self.spaces.get(digest) or -1 - int(digest, 16) % 2**62, digest


def load_search_index(adapter: Adapter, sources: Iterable[Source], using: str) -> SearchIndex | None:
    """The scheme that signs those sources, and their spaces, in one statement; None where nothing is indexed yet."""
    found = _read_scheme_rows(adapter, list({_space_digest(adapter, source) for source in sources}), using)
    scheme = _load_scheme(found[0][:3], adapter.profile, using) if found else None
    if scheme is None or scheme.parameters.get("statistics", "") is None:
        return None
    return SearchIndex(
        scheme, {row[3]: row[4] for row in found if row[0] == scheme.pk and row[4] is not None}
    )


def build_unsaved_index(profile: Profile) -> SearchIndex | None:
    """What would sign by the settings, where nothing is indexed yet; None where that needs statistics of the posts."""
    options, classes = algorithm_options(profile.options), read_synonym_classes(profile)
    algorithm = get_algorithm(profile.algorithm, **options)
    if algorithm.needs_statistics:
        return None
    parameters = algorithm.parameters()
    if classes:
        parameters["synonyms"] = synonyms_digest(classes, profile.language)
    scheme = Scheme(
        pk=0,
        profile=profile.alias,
        algorithm=profile.algorithm,
        options=options,
        parameters=parameters,
        language=profile.language,
        synonyms=classes,
        secret=configured_secret(profile),
    )
    return SearchIndex(scheme, {})


def _read_scheme_rows(adapter: Adapter, digests: Sequence[str], using: str) -> list[SchemeRow]:
    if not _has_tables(using):
        return []
    return fetch_all(
        using, SCHEME_AND_SPACES_SQL.format(placeholders(len(digests))), [*digests, adapter.profile]
    )


def _space_digest(adapter: Adapter, source: Source) -> str:
    return space_columns(adapter, source.scope)["digest"]


def _has_tables(using: str) -> bool:
    """Whether the app's tables are there; asked until they are."""
    if using not in _databases_with_tables:
        with connections[using].cursor() as cursor:
            if Scheme._meta.db_table not in connections[using].introspection.table_names(cursor):
                return False
        _databases_with_tables.add(using)
    return True


def _load_scheme(row: SchemeRow, profile: str, using: str) -> Scheme | None:
    """The scheme of that row; read again where this process knows another one."""
    known = _scheme_cache.get((using, profile))
    if known is not None and known[0] == row:
        return known[1]
    found = Scheme.objects.using(using).defer("synonyms").filter(pk=row[0]).first()
    if found is not None:
        _scheme_cache[using, profile] = row, found
    return found
