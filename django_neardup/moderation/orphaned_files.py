"""Files that no row names after a merge or a deletion. This module deletes no files."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from django.db import models

logger = logging.getLogger(__name__)

MAX_MEASURED_FILES = 50
"""Maximum number of size queries: a storage may be remote."""


@dataclass(frozen=True)
class OrphanedFile:
    """A file that only deleted rows name. ``size`` is in bytes, or None if it is unknown."""

    name: str
    size: int | None
    owner: models.Model


def find_orphaned_files(
    deleted_rows: Iterable[models.Model], kept_names: Iterable[str]
) -> list[OrphanedFile]:
    """Return the files of the rows, except names that remain in use.

    Django deletes no file with its row. An app of the site may do so on the signals of the deletion.
    """
    files_by_name: dict[str, tuple[Any, models.Model]] = {}
    for row in deleted_rows:
        for file in files_of(row):
            files_by_name.setdefault(str(file.name), (file, row))
    names = [name for name in files_by_name if name not in set(kept_names)]
    return [
        OrphanedFile(
            name,
            _file_size(files_by_name[name][0]) if position < MAX_MEASURED_FILES else None,
            files_by_name[name][1],
        )
        for position, name in enumerate(names)
    ]


def files_of(row: models.Model) -> Iterator[Any]:
    """Yield the files that a row names."""
    for field in row._meta.concrete_fields:
        if isinstance(field, models.FileField) and (file := field.value_from_object(row)):
            yield file


def file_names_of(rows: Sequence[models.Model]) -> list[str]:
    """Return the names of the rows' files."""
    return [str(file.name) for row in rows for file in files_of(row)]


def _file_size(file: Any) -> int | None:
    try:
        return int(file.size)
    except Exception as error:  # a storage may raise anything, and the plan matters more than a size
        logger.info("neardup: the size of %s cannot be read: %s", file.name, type(error).__name__)
        return None
