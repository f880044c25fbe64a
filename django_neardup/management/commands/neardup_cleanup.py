"""The command ``neardup_cleanup``: delete expired data."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from django.core.management.base import CommandError
from django.db import models

from ...conf import get_aliases
from ...db.queries import documents as document_queries
from ...models import Document, Hold
from ...pipeline import has_tables, routed_databases
from ...pipeline.boilerplate_store import unused_boilerplate
from ...pipeline.deleted_posts import expired_documents, purge
from ...pipeline.emptied_journals import empty_old_journals, old_records
from ...pipeline.statistics_store import unused_snapshots
from ..arguments import add_databases_option, add_progress_option
from ..command_base import CommandWithExamples
from ..erasure_run import ErasureRun
from ..number_format import format_number
from ..progress_bars import is_quiet, progress_bar

NO_TABLES = "No database has the tables of neardup. Run migrate first."


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
        "Remove expired data: remembered deleted posts (MEMORY_DAYS), journals of old merge records (JOURNAL_DAYS), "
        "holds of deleted posts, and statistics that no scheme uses. A permanent worker removes the first two. If a "
        "queue starts the worker, run this command daily. --erase, --erase-author and --show-author answer the "
        "request of a person, and remove no expired data. Exit status 1: an argument is invalid, or no database has "
        "the tables. 3: some data of the post or the author remains, for example because the post is not deleted."
    )

    examples = (
        "neardup_cleanup --dry-run",
        "neardup_cleanup                        # daily, from cron",
        "neardup_cleanup --erase board.Ad:17    # a person asks for erasure",
        "neardup_cleanup --erase-author 7 --yes",
        "neardup_cleanup --show-author 7",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--dry-run", action="store_true", help="only report what would be removed")
        requests = parser.add_mutually_exclusive_group()
        requests.add_argument(
            "--erase", action="append", metavar="app.Model:KEY", default=[],
            help="erase all stored data of this deleted post; can be repeated",
        )  # fmt: skip
        requests.add_argument(
            "--erase-author",
            metavar="KEY",
            help="erase all stored data of this author and their deleted posts",
        )
        requests.add_argument(
            "--show-author", metavar="KEY", help="print all stored data of this author as JSON"
        )
        parser.add_argument("--yes", action="store_true", help="do not ask for confirmation")
        add_progress_option(parser)
        add_databases_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        databases = options["databases"] or routed_databases()
        if options["erase"] or options["erase_author"] or options["show_author"]:
            self._answer_request(ErasureRun(self, databases, options), options)
            return
        aliases = [using for using in databases if has_tables(using)]
        if not aliases:
            raise CommandError(NO_TABLES)
        for using in aliases:
            parts = [
                _format_removed(self._purge_expired(using, options), "deleted post", "deleted posts"),
                _format_removed(_empty_journals(using, options["dry_run"]), "old journal", "old journals"),
            ]
            for singular, plural, queryset in _list_unused_rows():
                parts.append(
                    _format_removed(_delete_rows(queryset(using), options["dry_run"]), singular, plural)
                )
            outcome = "would be removed" if options["dry_run"] else "removed"
            if options["verbosity"]:
                self.stdout.write(f"{using}, {outcome}: {', '.join(filter(None, parts)) or 'nothing'}.")

    def _answer_request(self, run: ErasureRun, options: dict[str, Any]) -> None:
        if not run.aliases and not run.left:
            raise CommandError(NO_TABLES)
        if options["erase"]:
            run.erase(options["erase"])
        elif options["erase_author"]:
            run.erase_author(options["erase_author"])
        else:
            run.show_author(options["show_author"])

    def _purge_expired(self, using: str, options: dict[str, Any]) -> int:
        due = expired_documents(using).count()
        if options["dry_run"]:
            return due
        forgotten = 0
        with progress_bar(f"{using}: removing", due, is_quiet(options)) as counting:
            while count := purge(using):
                forgotten += count
                counting.update(count)
        document_queries.clear_lost_reposts(using)
        return forgotten


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


def _empty_journals(using: str, dry_run: bool) -> int:
    """Empty all old journals and return their number. A dry run only counts them."""
    if dry_run:
        return int(old_records(using).count())
    emptied_count = 0
    while count := empty_old_journals(using):
        emptied_count += count
    return emptied_count


def _delete_rows(rows: models.QuerySet[Any], dry_run: bool) -> int:
    """Delete the rows and return their number. A dry run only counts them."""
    return rows.count() if dry_run else rows.delete()[0]
