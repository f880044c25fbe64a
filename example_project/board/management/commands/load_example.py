"""Fills the example with people, adverts and threads; a second run changes nothing."""

from __future__ import annotations

from typing import Any

from django.core.management.base import BaseCommand
from django.db import transaction

from board.loading import Loader
from board.models import Ad


class Command(BaseCommand):
    help = "Fill the example with people, adverts and forum threads (once; a second run changes nothing)."

    def handle(self, **options: Any) -> None:
        with transaction.atomic():
            if Ad.objects.exists():
                self.stdout.write("There are adverts already: nothing to load.")
                return
            self.stdout.write(Loader().load())
