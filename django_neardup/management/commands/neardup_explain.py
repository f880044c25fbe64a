"""The command ``neardup_explain``: why two posts or files are near-duplicates, or why not."""

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

from ...adapters import adapter_for, registered_adapters
from ...algorithms import UnknownAlgorithm
from ...algorithms.statistics import StatisticsMissing
from ...exceptions import NotRegistered
from ...reports.input_output import (
    REPORT_FORMATS,
    STDIN,
    UnreadableFile,
    read_text,
    render_report,
    should_use_colours,
    write_report,
)
from ...reports.text_comparison import NoVerdict
from ...search.object_comparison import compare, translate_text
from ...text.heads import FIRST_LINE
from ..arguments import add_database_option

MODEL_LABEL = re.compile(r"[^\W\d]\w*\.[^\W\d]\w*")


class SideArgument(NamedTuple):
    """One of the two texts on the command line: an object, or a file if there is no model."""

    model: type[Model] | None
    key: str

    @property
    def title(self) -> str:
        return f"{self.model._meta.label} {self.key}" if self.model else self.key


class Command(BaseCommand):
    help = (
        "Explain how two posts or texts compare: the score of each algorithm, the verdict, the decisive differences, "
        "shared passages, contacts, names, codes, and the number of shared keys. For two posts it also shows their "
        "shared keys, identity, key phrases, and moderators' decisions. It only reads the database. "
        "Exit status 1: an argument is invalid, or a post or file does not exist."
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "sides", nargs="+", metavar="A B",
            help='two posts ("board.Ad:17 board.Ad:18", or "board.Ad 17 18"), or two files; "-" is standard input',
        )  # fmt: skip
        parser.add_argument(
            "--format", choices=REPORT_FORMATS, default="text", help="format of the report (default: text)"
        )
        parser.add_argument("--output", metavar="FILE", help="write the report to this file")
        parser.add_argument(
            "--algorithm", metavar="NAME", help="the algorithm to explain (default: the profile's)"
        )
        parser.add_argument(
            "--profile", help="the profile to compare with (default: that of the first post, or default)"
        )
        parser.add_argument(
            "--language",
            metavar="CODE",
            help="language of the texts (default: the adapter's, or the profile's)",
        )
        parser.add_argument(
            "--head", choices=[FIRST_LINE], help="for files: the first line is the head (a title)"
        )
        parser.add_argument("--encoding", default="utf-8", help="encoding of files (default: utf-8)")
        add_database_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        a, b = _parse_sides(options["sides"])
        try:
            text = self._build_report(a, b, options)
            if options["output"]:
                write_report(options["output"], text)
                return
        except (
            UnreadableFile,
            NotRegistered,
            UnknownAlgorithm,
            StatisticsMissing,
            NoVerdict,
            ImproperlyConfigured,
        ) as error:
            raise CommandError(str(error)) from error
        self.stdout.write(text, ending="")

    def _build_report(self, a: SideArgument, b: SideArgument, options: dict[str, Any]) -> str:
        encoding, using = options["encoding"], options["database"]
        comparison = compare(
            _load_side(a, using, encoding),
            _load_side(b, using, encoding),
            profile=options["profile"],
            algorithm=options["algorithm"],
            language=options["language"],
            head=options["head"],
            using=using,
            titles=(a.title, b.title),
            known=a.model is not None and b.model is not None,
        )
        coloured = should_use_colours(self.stdout, options["no_color"]) or bool(options["force_color"])
        return render_report(
            comparison,
            options["format"],
            translate=translate_text,
            language=get_language() or "en",
            use_colours=coloured and not options["output"],
            stream=None if options["output"] else self.stdout,
        )


def _parse_sides(arguments: Sequence[str]) -> tuple[SideArgument, SideArgument]:
    """Parse the two sides: app.Model:key, app.Model key [key], a path, or "-"."""
    sides: list[SideArgument] = []
    model: type[Model] | None = None
    needs_key = False
    for argument in arguments:
        label, colon, key = argument.partition(":")
        if not needs_key and (named_model := _find_model(label)):
            model, needs_key = named_model, not colon
            if colon:
                sides.append(SideArgument(named_model, key))
                model = None
        else:
            sides.append(_parse_side(argument, model))
            needs_key = False
    if needs_key or len(sides) != 2:
        # A misspelt model was taken for a file: its message is more helpful.
        _check_models(arguments)
        raise CommandError(
            "Name two posts (board.Ad:17 board.Ad:18, or board.Ad 17 18) or two files (- is standard input)."
        )
    if sides[0] == sides[1] == SideArgument(None, STDIN):
        raise CommandError("Only one of the two texts can come from standard input.")
    return sides[0], sides[1]


def _parse_side(argument: str, model: type[Model] | None) -> SideArgument:
    if model is not None:
        return SideArgument(model, argument)
    label, colon, _ = argument.partition(":")
    if colon and label.count(".") == 1 and not os.path.exists(argument):
        raise _unknown_model_error(label, argument)
    return SideArgument(None, argument)


def _check_models(arguments: Sequence[str]) -> None:
    """Raise CommandError for an argument that looks like a model label but is neither a model nor a file."""
    for argument in arguments:
        if MODEL_LABEL.fullmatch(argument) and not _find_model(argument) and not os.path.exists(argument):
            raise _unknown_model_error(argument, argument)


def _unknown_model_error(label: str, argument: str) -> CommandError:
    registered = ", ".join(sorted(model._meta.label for model in registered_adapters())) or "none"
    return CommandError(f"There is no model {label} and no file {argument}. Registered models: {registered}.")


def _find_model(label: str) -> type[Model] | None:
    """Return the model of a label. Return None if it is not a label of a model."""
    if label.count(".") != 1 or os.sep in label:
        return None
    try:
        return apps.get_model(label)
    except (LookupError, ValueError):
        return None


def _load_side(side: SideArgument, using: str, encoding: str) -> Model | str:
    """Return the object, or the text of the file. Raise CommandError if there is no such object."""
    if side.model is None:
        return read_text(side.key, encoding, sys.stdin)
    model = adapter_for(side.model).model
    try:
        instance = model._base_manager.using(using).filter(pk=side.key).first()
    except (ValueError, TypeError, ValidationError, OverflowError):
        raise CommandError(f"{side.key!r} is not a valid key of {model._meta.label}.") from None
    if instance is None:
        raise CommandError(f"There is no {model._meta.label} {side.key} in the database {using!r}.")
    return instance
