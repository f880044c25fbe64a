"""The report of what an undo leaves unchanged: a few sentences for any number of rows."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ..journal.serialization import RowId, find_model

MAX_NAMED_ROWS = 3
"""Maximum number of rows named in a sentence."""

ROW_EDITED = gettext_lazy("%(rows)s: changed since, stays unchanged.")
ROW_DELETED = gettext_lazy("%(rows)s: deleted since, is not restored.")
SET_BY_LATER_MERGE = gettext_lazy("%(rows)s: set by a later merge, is restored when that merge is undone.")
VALUE_IN_USE = gettext_lazy("%(rows)s: another row has taken its place.")
REFERENCE_EMPTIED = gettext_lazy("%(rows)s: its target no longer exists, the reference stays empty.")
REFERENCE_MOVED_TO_KEEPER = gettext_lazy("%(rows)s: its target was merged since, it refers to the keeper.")
RETURNS_LATER = gettext_lazy("%(rows)s: is restored together with its owner.")
OWNER_GONE = gettext_lazy("%(rows)s: its owner no longer exists.")
FILE_MISSING = gettext_lazy("%(rows)s: its file is missing from the storage.")


class UndoReport:
    """Rows and columns that an undo leaves unchanged, by reason."""

    def __init__(self) -> None:
        self._keys_by_reason: defaultdict[tuple[str | Promise, str, str], list[Any]] = defaultdict(list)

    def add(self, reason: str | Promise, row_id: RowId, field_name: str = "") -> None:
        """Add a row, or one of its columns, with the reason: one of the sentences above."""
        keys = self._keys_by_reason[reason, row_id[0], field_name]
        if row_id[1] not in keys:
            keys.append(row_id[1])

    def leave_out(self, reason: str | Promise, row_id: RowId, field_name: str) -> None:
        """Do not report a column for the reason after all."""
        keys = self._keys_by_reason.get((reason, row_id[0], field_name), [])
        if row_id[1] in keys:
            keys.remove(row_id[1])

    def sentences(self) -> list[str]:
        """Return one sentence for each kind of row and each reason, in the active language."""
        return [
            str(reason) % {"rows": _rows_label(label, field_name, keys)}
            for (reason, label, field_name), keys in self._keys_by_reason.items()
            if keys
        ]


def _rows_label(model_label: str, field_name: str, keys: list[Any]) -> str:
    model = find_model(model_label)
    subject = model_label if model is None else str(model._meta.verbose_name)
    if model is not None and field_name:
        field: Any = model._meta.get_field(field_name)
        subject = f"{subject}, {field.verbose_name}"
    numbers = ", ".join(f"№\N{NO-BREAK SPACE}{_key_text(key)}" for key in keys[:MAX_NAMED_ROWS])
    if len(keys) > MAX_NAMED_ROWS:
        numbers = _("%(numbers)s and %(count)d more") % {
            "numbers": numbers,
            "count": len(keys) - MAX_NAMED_ROWS,
        }
    return f"{capfirst(subject)} {numbers}"


def _key_text(key: Any) -> str:
    return "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
