"""Scheme and spaces as they stand in a database: read, and never made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import connections

from ..adapters import Adapter, Source
from ..conf import Profile
from ..models import Scheme
from ..pipeline.schemes import chosen_secret, described_space, options_of
from ..pipeline.sql import holes, rows
from ..pipeline.synonyms import digest_of, read_classes
from ..signatures.registry import get_algorithm

STANDING = (
    'SELECT s."id", s."secret", s."parameters", p."digest", p."id" FROM "neardup_scheme" s '
    'LEFT JOIN "neardup_space" p ON p."digest" IN ({}) '
    'WHERE s."profile" = %s AND s."state" = \'active\' ORDER BY s."generation" DESC'
)

Row = tuple[Any, ...]
_there: set[str] = set()
_schemes: dict[tuple[str, str], tuple[Row, Scheme]] = {}


@dataclass(frozen=True)
class Index:
    """What signs, and the numbers of spaces by digest."""

    scheme: Scheme
    spaces: dict[str, int]

    def place(self, adapter: Adapter, source: Source) -> tuple[int, str]:
        """Number and digest of the space where a source is compared; one that is not there has a number below 0."""
        digest = _digest(adapter, source)
        return self.spaces.get(digest) or -1 - int(digest, 16) % 2**62, digest


def index_of(adapter: Adapter, sources: Iterable[Source], using: str) -> Index | None:
    """The scheme that signs those sources, and their spaces, in one statement; None where nothing is indexed yet."""
    found = _standing(adapter, list({_digest(adapter, source) for source in sources}), using)
    scheme = _scheme(found[0][:3], adapter.profile, using) if found else None
    if scheme is None or scheme.parameters.get("statistics", "") is None:
        return None
    return Index(scheme, {row[3]: row[4] for row in found if row[0] == scheme.pk and row[4] is not None})


def index_to_be(profile: Profile) -> Index | None:
    """What would sign by the settings, where nothing is indexed yet; None where that needs statistics of the posts."""
    options, classes = options_of(profile.options), read_classes(profile)
    algorithm = get_algorithm(profile.algorithm, **options)
    if algorithm.needs_statistics:
        return None
    parameters = algorithm.parameters()
    if classes:
        parameters["synonyms"] = digest_of(classes, profile.language)
    scheme = Scheme(
        pk=0,
        profile=profile.alias,
        algorithm=profile.algorithm,
        options=options,
        parameters=parameters,
        language=profile.language,
        synonyms=classes,
        secret=chosen_secret(profile),
    )
    return Index(scheme, {})


def _standing(adapter: Adapter, digests: Sequence[str], using: str) -> list[Row]:
    if not _has_tables(using):
        return []
    return rows(using, STANDING.format(holes(len(digests))), [*digests, adapter.profile])


def _digest(adapter: Adapter, source: Source) -> str:
    return described_space(adapter, source.scope)["digest"]


def _has_tables(using: str) -> bool:
    """Whether the app's tables are there; asked until they are."""
    if using not in _there:
        with connections[using].cursor() as cursor:
            if Scheme._meta.db_table not in connections[using].introspection.table_names(cursor):
                return False
        _there.add(using)
    return True


def _scheme(row: Row, profile: str, using: str) -> Scheme | None:
    """The scheme of that row; read again where this process knows another one."""
    known = _schemes.get((using, profile))
    if known is not None and known[0] == row:
        return known[1]
    found = Scheme.objects.using(using).defer("synonyms").filter(pk=row[0]).first()
    if found is not None:
        _schemes[using, profile] = row, found
    return found
