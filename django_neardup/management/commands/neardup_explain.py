"""Why two posts, or two files, are or are not taken for one."""

from __future__ import annotations

import os
import re
import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from typing import Any, NamedTuple

from django.apps import apps
from django.core.exceptions import ImproperlyConfigured, ValidationError
from django.core.management.base import BaseCommand, CommandError
from django.db.models import Model
from django.utils.translation import get_language

from ...adapters import adapter_for, registered
from ...comparing import compare, translated
from ...comparison.compare import NoVerdict
from ...comparison.output import (
    FORMATS,
    STDIN,
    Unreadable,
    read_text,
    rendered,
    wants_colours,
    written_to,
)
from ...exceptions import NotRegistered
from ...signatures import UnknownAlgorithm
from ...signatures.statistics import StatisticsMissing
from ..arguments import add_database

LABEL = re.compile(r"[^\W\d]\w*\.[^\W\d]\w*")


class Named(NamedTuple):
    """One of the two, as the command line names it: an object, or, without a model, a file."""

    model: type[Model] | None
    key: str

    @property
    def title(self) -> str:
        return f"{self.model._meta.label} {self.key}" if self.model else self.key


class Command(BaseCommand):
    help = (
        "Explain what the two have in common: percent by every algorithm, the verdict, what differs and decides, "
        "shared passages, contacts, names, codes, and how many keys met; of two objects also which keys, declared "
        "identity, key phrases, and what people decided. Nothing is written to the database. "
        "Exit status 1: an argument is wrong, or one of the two is not there."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "sides", nargs="+", metavar="A B",
            help='two objects ("board.Ad:17 board.Ad:18", or "board.Ad 17 18"), or files; "-" is standard input',
        )  # fmt: skip
        parser.add_argument("--format", choices=FORMATS, default="text", help="of the report (default: text)")
        parser.add_argument("--output", metavar="FILE", help="write the report there, not to standard output")
        parser.add_argument(
            "--algorithm", metavar="NAME", help="whose verdict is explained (default: the profile's)"
        )
        parser.add_argument(
            "--profile", help="whose scheme compares (default: that of the first object's model, or default)"
        )
        parser.add_argument(
            "--language", metavar="CODE", help="of the texts (default: the adapter's, or the profile's)"
        )
        parser.add_argument("--encoding", default="utf-8", help="of files (default: utf-8)")
        add_database(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        a, b = _two(options["sides"])
        try:
            text = self._report(a, b, options)
            if options["output"]:
                written_to(options["output"], text)
                return
        except (
            Unreadable,
            NotRegistered,
            UnknownAlgorithm,
            StatisticsMissing,
            NoVerdict,
            ImproperlyConfigured,
        ) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text, ending="")

    def _report(self, a: Named, b: Named, options: dict[str, Any]) -> str:
        encoding, using = options["encoding"], options["database"]
        comparison = compare(
            _side(a, using, encoding),
            _side(b, using, encoding),
            profile=options["profile"],
            algorithm=options["algorithm"],
            language=options["language"],
            using=using,
            titles=(a.title, b.title),
            known=a.model is not None and b.model is not None,
        )
        coloured = wants_colours(self.stdout, options["no_color"]) or bool(options["force_color"])
        return rendered(
            comparison,
            options["format"],
            words=translated,
            language=get_language() or "en",
            colours=coloured and not options["output"],
            stream=None if options["output"] else self.stdout,
        )


def _two(words: Sequence[str]) -> tuple[Named, Named]:
    """The two that the arguments name: app.Model:key, app.Model key [key], a path, or "-"."""
    found: list[Named] = []
    model: type[Model] | None = None
    waits = False
    for word in words:
        label, colon, key = word.partition(":")
        if not waits and (named := _model(label)):
            model, waits = named, not colon
            if colon:
                found.append(Named(named, key))
                model = None
        else:
            found.append(_named(word, model))
            waits = False
    if waits or len(found) != 2:
        _check_models(words)
        raise CommandError(
            "Name two objects (board.Ad:17 board.Ad:18, or board.Ad 17 18), or two files, or - for standard input."
        )
    if found[0] == found[1] == Named(None, STDIN):
        raise CommandError("Only one of the two can come from standard input.")
    return found[0], found[1]


def _named(word: str, model: type[Model] | None) -> Named:
    if model is not None:
        return Named(model, word)
    label, colon, _ = word.partition(":")
    if colon and label.count(".") == 1 and not os.path.exists(word):
        raise _no_model(label, word)
    return Named(None, word)


def _check_models(words: Sequence[str]) -> None:
    """Whether each of the words that look like a model's label is one; they may be files too."""
    for word in words:
        if LABEL.fullmatch(word) and not _model(word) and not os.path.exists(word):
            raise _no_model(word, word)


def _no_model(label: str, word: str) -> CommandError:
    known = ", ".join(sorted(each._meta.label for each in registered())) or "none"
    return CommandError(f"There is no model {label}, and no file {word}. Registered models: {known}.")


def _model(label: str) -> type[Model] | None:
    """The model of that label, where it looks like one and there is one."""
    if label.count(".") != 1 or os.sep in label:
        return None
    try:
        return apps.get_model(label)
    except (LookupError, ValueError):
        return None


def _side(named: Named, using: str, encoding: str) -> Model | str:
    """The object, or the text of the file."""
    if named.model is None:
        return read_text(named.key, encoding, sys.stdin)
    model = adapter_for(named.model).model
    try:
        found = model._base_manager.using(using).filter(pk=named.key).first()
    except (ValueError, TypeError, ValidationError, OverflowError):
        raise CommandError(f"{named.key!r} is no key of {model._meta.label}.") from None
    if found is None:
        raise CommandError(f"There is no {model._meta.label} {named.key} in the database {using!r}.")
    return found
