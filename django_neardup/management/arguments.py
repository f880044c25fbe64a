"""Options that several commands share."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError
from collections.abc import Collection

from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS, connections

from ..adapters import Adapter, registered_adapters
from ..pipeline.content_objects import is_stored_in


def parse_positive(text: str) -> int:
    """Parse a whole number from 1 on. Raise ArgumentTypeError if it is smaller."""
    number = int(text)
    if number < 1:
        raise ArgumentTypeError(f"{number} is not positive")
    return number


def add_progress_option(parser: ArgumentParser) -> None:
    """Add the option that ``progress_bars.is_quiet`` reads."""
    parser.add_argument(
        "--no-progress", action="store_true", help="show no progress bar (it is only shown on a terminal)"
    )


def add_database_option(parser: ArgumentParser) -> None:
    """Add ``database``: the one database that the command uses."""
    parser.add_argument(
        "--database", default=DEFAULT_DB_ALIAS, choices=sorted(connections), help="database alias"
    )


def add_databases_option(parser: ArgumentParser) -> None:
    """Add ``databases``: the databases that the command uses. None means all of them."""
    parser.add_argument(
        "--database", action="append", dest="databases", choices=sorted(connections),
        help="database alias; can be repeated (default: all databases with the tables)",
    )  # fmt: skip


def select_adapters(using: str, labels: Collection[str] = ()) -> list[Adapter]:
    """Return the adapters of the labels. Without labels, return all of the database, sorted by label.

    Raise CommandError if a model is not registered or is stored in other databases, or if there is none.
    """
    registered = {model._meta.label_lower: adapter for model, adapter in registered_adapters().items()}
    if not registered:
        raise CommandError(
            "No model is registered. Register one in a module neardup.py of its app (see the tutorial)."
        )
    _refuse_labels(
        "Not registered",
        [label for label in labels if label.lower() not in registered],
        "Registered models",
        registered,
    )
    stored = {
        label: registered[label]
        for label in sorted(registered)
        if is_stored_in(registered[label].model, using)
    }
    requested = labels or ([] if stored else sorted(registered))
    not_stored = [label for label in requested if label.lower() not in stored]
    _refuse_labels(f"Not in the database {using!r}", not_stored, "Models in it", stored)
    return [stored[label.lower()] for label in labels] or list(stored.values())


def _refuse_labels(
    problem: str, wrong_labels: Collection[str], known_heading: str, known_labels: Collection[str]
) -> None:
    if wrong_labels:
        raise CommandError(
            f"{problem}: {', '.join(wrong_labels)}. {known_heading}: {', '.join(sorted(known_labels)) or 'none'}."
        )
