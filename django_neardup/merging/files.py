"""Files that nothing names any more once a merge or a deletion is done. Nothing here removes one."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models

logger = logging.getLogger(__name__)

MEASURED = 50
"""Files whose size is asked for: a storage may be far away."""


@dataclass(frozen=True)
class File:
    """A file that only rows that go have named; ``size`` in bytes, None where it cannot be told."""

    name: str
    size: int | None
    owner: models.Model


def left_behind(going: Iterable[models.Model], kept: Iterable[str]) -> list[File]:
    """The files of those rows, but for the names that go on being used.

    Django removes no file with its row; an app of the site may, upon the signals of the deletion.
    """
    found: dict[str, tuple[Any, models.Model]] = {}
    for row in going:
        for file in files_of(row):
            found.setdefault(str(file.name), (file, row))
    names = [name for name in found if name not in set(kept)]
    return [
        File(name, _size(found[name][0]) if number < MEASURED else None, found[name][1])
        for number, name in enumerate(names)
    ]


def files_of(row: models.Model) -> Iterator[Any]:
    """The files that a row names."""
    for field in row._meta.concrete_fields:
        if isinstance(field, models.FileField) and (file := field.value_from_object(row)):
            yield file


def names_of(rows: Sequence[models.Model]) -> list[str]:
    """The names of those rows' files."""
    return [str(file.name) for row in rows for file in files_of(row)]


def _size(file: Any) -> int | None:
    try:
        return int(file.size)
    except Exception as error:  # a storage raises what it likes, and the plan is worth more than a size
        logger.info("The size of %s cannot be told: %s", file.name, type(error).__name__)
        return None
