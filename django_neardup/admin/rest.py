"""The members that a person left unticked: remembered as no duplicates of the others, where that was asked."""

from __future__ import annotations

from typing import Any

from ..pipeline import decide
from .groups import Group
from .outcomes import Options, Outcome


def remember_rest(group: Group, outcome: Outcome, by: Any, options: Options) -> None:
    """Set those that take no part against all that do. To leave a group says so by itself."""
    if not options.rest or group.whole or outcome.name == "leave":
        return
    inside = {group.stays.pk, *(each.pk for each in group.chosen)}
    sides = {each.pk: 1 if each.pk in inside else 2 for each in group.documents}
    decide("different", group.documents, by, group.using, sides=sides, batch=options.batch)
