"""What an undo leaves as it is, in sentences: few, whatever their number."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from .stored import Place, model_of

NAMED = 3
"""Rows that a sentence names."""

EDITED = gettext_lazy("%(rows)s: changed since, left as it is.")
GONE = gettext_lazy("%(rows)s: deleted since, does not come back.")
OVER = gettext_lazy("%(rows)s: set by a later merge, goes back when that is undone.")
TAKEN = gettext_lazy("%(rows)s: another row has its place by now.")
EMPTY = gettext_lazy("%(rows)s: what it pointed at is gone, the reference stays empty.")
HEIR = gettext_lazy("%(rows)s: what it pointed at was merged since, it points at the post that stayed.")
LATER = gettext_lazy("%(rows)s: comes back when what it belongs to does.")
LOST = gettext_lazy("%(rows)s: what it belongs to is gone.")
FILE = gettext_lazy("%(rows)s: a file of it is no more in its storage.")


class Leftovers:
    """Rows and columns that stay as they are, by the reason."""

    def __init__(self) -> None:
        self._found: defaultdict[tuple[str | Promise, str, str], list[Any]] = defaultdict(list)

    def add(self, why: str | Promise, place: Place, name: str = "") -> None:
        """That row, or that column of it, is left for that reason: one of the sentences above."""
        keys = self._found[why, place[0], name]
        if place[1] not in keys:
            keys.append(place[1])

    def sentences(self) -> list[str]:
        """A sentence for each kind of row and each reason, in the language of this moment."""
        return [
            str(why) % {"rows": _rows(label, name, keys)} for (why, label, name), keys in self._found.items()
        ]


def _rows(label: str, name: str, keys: list[Any]) -> str:
    model = model_of(label)
    kind = label if model is None else str(model._meta.verbose_name)
    if model is not None and name:
        field: Any = model._meta.get_field(name)
        kind = f"{kind}, {field.verbose_name}"
    numbers = ", ".join(f"№\N{NO-BREAK SPACE}{_number(key)}" for key in keys[:NAMED])
    if len(keys) > NAMED:
        numbers = _("%(numbers)s and %(count)d more") % {"numbers": numbers, "count": len(keys) - NAMED}
    return f"{capfirst(kind)} {numbers}"


def _number(key: Any) -> str:
    return "/".join(map(str, key)) if isinstance(key, tuple) else str(key)
