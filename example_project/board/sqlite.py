"""LIKE for every alphabet: SQLite's own compares only a-z without case, so `icontains` would miss «Сваи»."""

import re
from functools import lru_cache
from typing import Any

from django.db.backends.base.base import BaseDatabaseWrapper


def teach_like(sender: Any, connection: BaseDatabaseWrapper, **kwargs: Any) -> None:
    """Replace LIKE on a new SQLite connection; icontains, iexact and the admin's search all go through it."""
    if connection.vendor == "sqlite":
        connection.connection.create_function("like", 3, like, deterministic=True)


def like(pattern: str | None, value: Any, escape: str) -> bool | None:
    """`value LIKE pattern ESCAPE escape`, ё equal to е."""
    if pattern is None or value is None:
        return None
    return _compiled(str(pattern), escape).fullmatch(_fold(str(value))) is not None


@lru_cache(maxsize=256)
def _compiled(pattern: str, escape: str) -> re.Pattern[str]:
    parts = []
    characters = iter(_fold(pattern))
    for character in characters:
        if character == escape:
            parts.append(re.escape(next(characters, escape)))
        else:
            parts.append({"%": ".*", "_": "."}.get(character, re.escape(character)))
    return re.compile("".join(parts), re.DOTALL)


def _fold(text: str) -> str:
    return text.casefold().replace("ё", "е")
