"""Schemes and their spaces."""

from __future__ import annotations

from collections.abc import Sequence

from ..backends.base import Row, placeholders, quoted_columns
from ..sql import fetch_all

COLUMNS = (
    "id", "profile", "generation", "algorithm", "options", "parameters", "canonisation", "language", "secret",
)  # fmt: skip
"""Columns that distinguish a scheme from another one."""
WITH_SPACES = (
    'SELECT s."id", s."secret", s."parameters", p."digest", p."id" FROM "neardup_scheme" s '
    'LEFT JOIN "neardup_space" p ON p."digest" IN ({}) '
    'WHERE s."profile" = %s AND s."state" = \'active\' ORDER BY s."generation" DESC'
)


def active(using: str) -> list[Row]:
    """Return the columns ``COLUMNS`` of the active schemes, oldest first."""
    statement = (
        f'SELECT {quoted_columns(COLUMNS)} FROM "neardup_scheme" '
        'WHERE "state" = \'active\' ORDER BY "generation", "id"'
    )
    return fetch_all(using, statement)


def with_spaces(using: str, profile: str, digests: Sequence[str]) -> list[Row]:
    """Return id, secret and parameters of the profile's active schemes, with digest and id of each space.

    The newest scheme comes first. Without such a space digest and id are None.
    """
    return fetch_all(using, WITH_SPACES.format(placeholders(len(digests))), [*digests, profile])
