"""The scheme and the spaces of a search, as stored in the database. Nothing is created."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from ..adapters import Adapter, Source
from ..algorithms.registry import get_algorithm
from ..conf import Profile
from ..db.queries import schemes as scheme_queries
from ..models import Scheme
from ..pipeline.availability import is_active
from ..pipeline.hash_secrets import configured_secret
from ..pipeline.schemes import algorithm_options, space_columns
from ..pipeline.synonym_files import read_synonym_classes, synonyms_digest

SchemeRow = tuple[Any, ...]
_scheme_cache: dict[tuple[str, str], tuple[SchemeRow, Scheme]] = {}


@dataclass(frozen=True)
class SearchIndex:
    """The scheme that signs texts, and the ids of spaces by digest."""

    scheme: Scheme
    spaces: dict[str, int]

    def find_space(self, adapter: Adapter, source: Source) -> tuple[int, str]:
        """Return the id and the digest of the space of a source.

        If the space does not exist, the id is negative.
        """
        digest = _space_digest(adapter, source)
        return self.spaces.get(digest) or -1 - int(digest, 16) % 2**62, digest


def load_search_index(adapter: Adapter, sources: Iterable[Source], using: str) -> SearchIndex | None:
    """Return the scheme that signs the sources, and their spaces. The rows are read in one statement.

    Return None if nothing is indexed yet, or if the app is not active.
    """
    rows = _read_scheme_rows(adapter, list({_space_digest(adapter, source) for source in sources}), using)
    scheme = _load_scheme(rows[0][:3], adapter.profile, using) if rows else None
    # A scheme with the statistics None is waiting for them, and nothing is indexed by it.
    if scheme is None or scheme.parameters.get("statistics", "") is None:
        return None
    return SearchIndex(scheme, {row[3]: row[4] for row in rows if row[0] == scheme.pk and row[4] is not None})


def build_unsaved_index(profile: Profile) -> SearchIndex | None:
    """Return the index that the settings describe, for a database without an index.

    Return None if the algorithm needs statistics of the posts.
    """
    options, synonym_classes = algorithm_options(profile.options), read_synonym_classes(profile)
    algorithm = get_algorithm(profile.algorithm, **options)
    if algorithm.needs_statistics:
        return None
    parameters = algorithm.parameters()
    if synonym_classes:
        parameters["synonyms"] = synonyms_digest(synonym_classes, profile.language)
    scheme = Scheme(
        pk=0,
        profile=profile.alias,
        algorithm=profile.algorithm,
        options=options,
        parameters=parameters,
        language=profile.language,
        synonyms=synonym_classes,
        secret=configured_secret(profile),
    )
    return SearchIndex(scheme, {})


def _read_scheme_rows(adapter: Adapter, digests: Sequence[str], using: str) -> list[SchemeRow]:
    if not is_active(using):
        return []
    return scheme_queries.with_spaces(using, adapter.profile, digests)


def _space_digest(adapter: Adapter, source: Source) -> str:
    return space_columns(adapter, source.scope)["digest"]


def _load_scheme(row: SchemeRow, profile: str, using: str) -> Scheme | None:
    """Return the scheme of a row. Read it again if the cached row differs. Return None if it is gone."""
    cached = _scheme_cache.get((using, profile))
    if cached is not None and cached[0] == row:
        return cached[1]
    scheme = Scheme.objects.using(using).defer("synonyms").filter(pk=row[0]).first()
    if scheme is not None:
        _scheme_cache[using, profile] = row, scheme
    return scheme
