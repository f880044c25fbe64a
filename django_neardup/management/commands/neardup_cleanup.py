"""Forget what is past its days."""

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
from ...exceptions import NotRegistered
from ...models import Document, Hold
from ...pipeline import holds_tables, own_databases
from ...pipeline.memory import clear_lost, erase_now, expired, purge
from ...pipeline.objects import is_kept_in
from ...pipeline.snapshots import unused
from ..arguments import add_databases, add_no_progress
from ..examples import CommandWithExamples
from ..figures import spaced
from ..progress import bar, is_quiet


class Leftover(NamedTuple):
    """Something that is of no use any more: what one and several of it are called, and the rows, by database."""

    one: str
    several: str
    rows: Callable[[str], models.QuerySet[Any]]


def _holds(using: str) -> models.QuerySet[Hold]:
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
        add_no_progress(parser)
        add_databases(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        aliases = [using for using in options["databases"] or own_databases() if holds_tables(using)]
        if not aliases:
            raise CommandError("No database holds the tables of neardup: run migrate first.")
        if options["erase"]:
            self._erase(options["erase"], aliases, options)
            return
        for using in aliases:
            told = [_said(self._forget(using, options), "deleted post", "deleted posts")]
            for one, several, rows in _leftovers():
                told.append(_said(_removed(rows(using), options["dry_run"]), one, several))
            done = "would be forgotten" if options["dry_run"] else "forgotten"
            if options["verbosity"]:
                self.stdout.write(f"{using}, {done}: {', '.join(filter(None, told)) or 'nothing'}.")

    def _forget(self, using: str, options: dict[str, Any]) -> int:
        due = expired(using).count()
        if options["dry_run"]:
            return due
        forgotten = 0
        with bar(f"{using}: forgetting", due, is_quiet(options)) as counting:
            while now := purge(using):
                forgotten += now
                counting.update(now)
        clear_lost(using)
        return forgotten

    def _erase(self, names: Iterable[str], aliases: list[str], options: dict[str, Any]) -> None:
        for model, key in [_named(name) for name in names]:
            holding = [using for using in aliases if is_kept_in(model, using)]
            known = [_was_known(model, key, using, options["dry_run"]) for using in holding]
            would = "would be " if options["dry_run"] else ""
            told = f"{would}erased" if any(known) else "nothing is remembered of it"
            self.stdout.write(f"{model._meta.label} {key}: {told}.")


def _said(number: int, one: str, several: str) -> str:
    """So many of it; empty where there are none."""
    return f"{spaced(number)} {one if number == 1 else several}" if number else ""


def _leftovers() -> list[Leftover]:
    """All kinds; of statistics those of every profile."""
    return [
        Leftover("hold of a deleted post", "holds of deleted posts", _holds),
        *(
            Leftover("unused statistics", "unused statistics", partial(unused, alias))
            for alias in get_aliases()
        ),
    ]


def _removed(rows: models.QuerySet[Any], dry_run: bool) -> int:
    """Delete those rows; how many there were."""
    return rows.count() if dry_run else rows.delete()[0]


def _named(name: str) -> tuple[type[models.Model], str]:
    """The model and the key that "app.Model:key" names."""
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


def _was_known(model: type[models.Model], key: str, using: str, dry_run: bool) -> bool:
    """Erase what is kept of that post; whether there was anything."""
    try:
        return erase_now(model, key, using, dry_run=dry_run)
    except (ValueError, NotRegistered) as error:
        raise CommandError(str(error)) from error
    except DatabaseError as error:
        raise CommandError(
            f"{model._meta.label} cannot be read in the database {using!r}: {str(error).strip()}. If another one holds "
            "it, name that: --database."
        ) from error
