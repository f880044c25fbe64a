"""Files that known packages delete with their rows, so that an undo would bring back a row without its file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from django.db import models
from django.db.models.signals import post_delete
from django.utils.text import capfirst
from django.utils.translation import gettext as _

from .derived_data import StoredRow, rows_heard
from .journal.serialization import RowId
from .journal.side_effects import load_current_rows
from .relations import ModelType

DELETING_MODULES = (
    "django_cleanup.handlers",
    "wagtail.documents.signal_handlers",
    "wagtail.images.signal_handlers",
)
"""Modules whose receivers of ``post_delete`` delete the files of a row, most of them after the commit."""


def lost_files(rows: Mapping[RowId, StoredRow], using: str) -> Iterator[tuple[str, str]]:
    """Yield the files that are deleted with these rows: the label of the model, and the loss in words.

    Rows that still exist lose none.
    """
    message = _("%(model)s: the file %(name)s is deleted with it, and would not come back.")
    for model, heard_rows in rows_heard(post_delete, rows, DELETING_MODULES).items():
        current = load_current_rows(heard_rows.values(), using)
        deleted_rows = [row for row_id, row in heard_rows.items() if row_id not in current]
        for name in {row["fields"].get(field.name) for row in deleted_rows for field in _file_fields(model)}:
            if name:
                values = {"model": capfirst(model._meta.verbose_name), "name": name}
                yield model._meta.label_lower, message % values


def _file_fields(model: ModelType) -> Iterator[models.FileField]:
    return (field for field in model._meta.local_concrete_fields if isinstance(field, models.FileField))
