"""Options that several commands have."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError

from django.db import DEFAULT_DB_ALIAS, connections


def positive(text: str) -> int:
    """A whole number from 1 on, as an option of a command."""
    number = int(text)
    if number < 1:
        raise ArgumentTypeError(f"{number} is not positive")
    return number


def add_no_progress(parser: ArgumentParser) -> None:
    """For ``progress.is_quiet``."""
    parser.add_argument(
        "--no-progress", action="store_true", help="no progress bar (none is shown off a terminal)"
    )


def add_database(parser: ArgumentParser) -> None:
    """The one database that the command works with."""
    parser.add_argument(
        "--database", default=DEFAULT_DB_ALIAS, choices=sorted(connections), help="database alias"
    )


def add_databases(parser: ArgumentParser) -> None:
    """The databases that the command works with, in ``databases``; None for all of them."""
    parser.add_argument(
        "--database", action="append", dest="databases", choices=sorted(connections),
        help="database alias, may be given again (default: every one that holds the tables)",
    )  # fmt: skip
