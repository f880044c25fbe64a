"""Fills the example with people, adverts, threads and news; a second run changes nothing."""

from __future__ import annotations

from typing import Any

from django.apps import apps
from django.core.management import call_command
from django.core.management.base import BaseCommand, CommandParser
from django.db import connection, transaction

from board.emptying import empty
from board.loading import Loader
from board.models import Ad


class Command(BaseCommand):
    help = (
        "Fill the example with people, adverts, forum threads and news (once; a second run changes nothing). "
        "With --reset, delete everything first."
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--reset",
            action="store_true",
            help="Delete everything first: what was written, decided and merged.",
        )

    def handle(self, **options: Any) -> None:
        if outdated():
            self.stdout.write("The tables of neardup are of another version: they are built anew.")
            call_command("migrate", "neardup", "zero", verbosity=0)
            call_command("migrate", "neardup", verbosity=0)
        with transaction.atomic():
            if options["reset"]:
                empty()
            if Ad.objects.exists():
                self.stdout.write("There are adverts already: nothing to load. (--reset starts over.)")
                return
            loaded = Loader().load()
            if options["verbosity"]:
                self.stdout.write(loaded)


def outdated() -> bool:
    """Whether a table of neardup has other columns than its model: before the first release there are no migrations."""
    models = [model for model in apps.get_app_config("neardup").get_models() if model._meta.managed]
    present = set(connection.introspection.table_names())
    if not present.issuperset(model._meta.db_table for model in models):
        return True
    with connection.cursor() as cursor:
        return any(
            {
                column.name
                for column in connection.introspection.get_table_description(cursor, model._meta.db_table)
            }
            != {field.column for field in model._meta.concrete_fields if field.column}
            for model in models
        )
