"""The command ``neardup_cleanup``: delete expired data."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable, Iterable
from functools import partial
from typing import Any, NamedTuple

from django.apps import apps
from django.core.exceptions import ValidationError
from django.core.management.base import CommandError
from django.db import DatabaseError, models

from ...conf import get_aliases
from ...db.queries import documents as document_queries
from ...exceptions import NotRegistered
from ...models import Document, Hold
from ...pipeline import has_tables, routed_databases
from ...pipeline.boilerplate_store import unused_boilerplate
from ...pipeline.content_objects import is_stored_in
from ...pipeline.deleted_posts import erase_now, expired_documents, purge
from ...pipeline.statistics_store import unused_snapshots
from ..arguments import add_databases_option, add_progress_option
from ..command_base import CommandWithExamples
from ..number_format import format_number
from ..progress_bars import is_quiet, progress_bar


class UnusedRows(NamedTuple):
    """A kind of rows that are no longer needed: its singular and plural names, and its rows by database."""

    singular: str
    plural: str
    queryset: Callable[[str], models.QuerySet[Any]]


def _holds_of_deleted_posts(using: str) -> models.QuerySet[Hold]:
    gone = {"document__state": Document.State.GONE, "document__pending_since": None}
    return Hold.objects.using(using).filter(**gone)


class Command(CommandWithExamples):
    help = (
        "Forget what is past its days: deleted posts that were remembered (MEMORY_DAYS), holds of deleted posts, "
        "statistics that no scheme works with. A worker that runs all the time forgets deleted posts by itself; where "
        "a queue rings it, run this daily. With --erase only those deleted posts, at once. "
        "Exit status 1: an argument is wrong, a post that is to be erased is not deleted, or no database holds the "
        "tables."
    )

    examples = (
        "neardup_cleanup --dry-run",
        "neardup_cleanup                        # daily, from cron",
        "neardup_cleanup --erase board.Ad:17    # somebody asks to be forgotten",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only say what would be forgotten")
        parser.add_argument(
            "--erase", action="append", metavar="app.Model:KEY", default=[],
            help="forget this deleted post now, may be given again; nothing else is done",
        )  # fmt: skip
        add_progress_option(parser)
        add_databases_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        aliases = [using for using in options["databases"] or routed_databases() if has_tables(using)]
        if not aliases:
            raise CommandError("No database holds the tables of neardup: run migrate first.")
        if options["erase"]:
            self._erase(options["erase"], aliases, options)
            return
        for using in aliases:
            parts = [_format_removed(self._purge_expired(using, options), "deleted post", "deleted posts")]
            for singular, plural, queryset in _list_unused_rows():
                parts.append(
                    _format_removed(_delete_rows(queryset(using), options["dry_run"]), singular, plural)
                )
            outcome = "would be forgotten" if options["dry_run"] else "forgotten"
            if options["verbosity"]:
                self.stdout.write(f"{using}, {outcome}: {', '.join(filter(None, parts)) or 'nothing'}.")

    def _purge_expired(self, using: str, options: dict[str, Any]) -> int:
        due = expired_documents(using).count()
        if options["dry_run"]:
            return due
        forgotten = 0
        with progress_bar(f"{using}: forgetting", due, is_quiet(options)) as counting:
            while count := purge(using):
                forgotten += count
                counting.update(count)
        document_queries.clear_lost_reposts(using)
        return forgotten

    def _erase(self, names: Iterable[str], aliases: list[str], options: dict[str, Any]) -> None:
        for model, key in [_parse_post(name) for name in names]:
            databases = [using for using in aliases if is_stored_in(model, using)]
            erased = [_erase_post(model, key, using, options["dry_run"]) for using in databases]
            prefix = "would be " if options["dry_run"] else ""
            outcome = f"{prefix}erased" if any(erased) else "nothing is remembered of it"
            self.stdout.write(f"{model._meta.label} {key}: {outcome}.")


def _format_removed(number: int, singular: str, plural: str) -> str:
    """Format the number of removed rows. Return an empty string for 0."""
    return f"{format_number(number)} {singular if number == 1 else plural}" if number else ""


def _list_unused_rows() -> list[UnusedRows]:
    """Return all kinds of unused rows. Statistics have one entry for each profile."""
    return [
        UnusedRows("hold of a deleted post", "holds of deleted posts", _holds_of_deleted_posts),
        *(
            UnusedRows("unused statistics", "unused statistics", partial(unused_snapshots, alias))
            for alias in get_aliases()
        ),
        *(
            UnusedRows("unused boilerplate", "unused boilerplate", partial(unused_boilerplate, alias))
            for alias in get_aliases()
        ),
    ]


def _delete_rows(rows: models.QuerySet[Any], dry_run: bool) -> int:
    """Delete the rows and return their number. A dry run only counts them."""
    return rows.count() if dry_run else rows.delete()[0]


def _parse_post(name: str) -> tuple[type[models.Model], str]:
    """Parse "app.Model:key" to a model and a key. Raise CommandError if either is not valid."""
    label, _, key = name.partition(":")
    try:
        model = apps.get_model(label)
        model._meta.pk.to_python(key)
    except (LookupError, ValueError):
        raise CommandError(f"There is no model {label!r}: name a post as app.Model:KEY.") from None
    except ValidationError:
        raise CommandError(f"{key!r} is no key of {label}.") from None
    if not key:
        raise CommandError(f"{name!r} names no post: write app.Model:KEY.")
    return model, key


def _erase_post(model: type[models.Model], key: str, using: str, dry_run: bool) -> bool:
    """Erase the fingerprint of a deleted post.

    Return whether there was one. Raise CommandError if that fails.
    """
    try:
        return erase_now(model, key, using, dry_run=dry_run)
    except (ValueError, NotRegistered) as error:
        raise CommandError(str(error)) from error
    except DatabaseError as error:
        raise CommandError(
            f"{model._meta.label} cannot be read in the database {using!r}: {str(error).strip()}. If another one holds "
            "it, name that: --database."
        ) from error
