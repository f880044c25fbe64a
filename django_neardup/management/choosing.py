"""With which models a command works."""

from __future__ import annotations

from collections.abc import Collection

from django.core.management.base import CommandError

from ..adapters import Adapter, registered
from ..pipeline.objects import is_kept_in


def adapters_in(using: str, labels: Collection[str] = ()) -> list[Adapter]:
    """The adapters of the models of those labels, or of all that the database holds, by label.

    ``CommandError`` where one is not registered, or is kept in other databases, or there is none."""
    known = {model._meta.label_lower: adapter for model, adapter in registered().items()}
    if not known:
        raise CommandError("No model is registered: write a module neardup.py in an app (see the tutorial).")
    _refuse("Not registered", [label for label in labels if label.lower() not in known], "Registered", known)
    here = {label: known[label] for label in sorted(known) if is_kept_in(known[label].model, using)}
    asked = labels or ([] if here else sorted(known))
    elsewhere = [label for label in asked if label.lower() not in here]
    _refuse(f"Not in the database {using!r}", elsewhere, "There", here)
    return [here[label.lower()] for label in labels] or list(here.values())


def _refuse(why: str, wrong: Collection[str], what: str, right: Collection[str]) -> None:
    if wrong:
        raise CommandError(f"{why}: {', '.join(wrong)}. {what}: {', '.join(sorted(right)) or 'none'}.")
