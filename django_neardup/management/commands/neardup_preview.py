"""The groups in one's own table as an HTML page, before anything is installed."""

from __future__ import annotations

import os
from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import DatabaseError
from django.utils.translation import get_supported_language_variant

from ...previewing import Choice, Preview, PreviewError, as_html, chosen_by, preview
from ...previewing.asking import SAMPLE
from ...previewing.page import GROUPS
from ..arguments import add_database, add_no_progress, positive
from ..examples import CommandWithExamples
from ..figures import counted, spaced
from ..progress import bar, is_quiet

FILE = "neardup-preview.html"


class Command(CommandWithExamples):
    help = (
        "Look for near-duplicates among the last posts of a table and write them as one HTML page. Needs no migration "
        "and no adapter: django_neardup in INSTALLED_APPS is enough. It reads only, and keeps nothing. The page holds "
        "texts of the posts: it is for you. "
        "Exit status 1: there is no such model or field, there are no posts, or the file cannot be written."
    )
    requires_system_checks: list[str] | tuple[str, ...] = ()  # they ask for what is not installed yet
    examples = (
        "neardup_preview --model board.Ad --fields title,text",
        "neardup_preview --model board.Ad --fields title,text --where published=true --sample 20000",
        "neardup_preview --model news.Article --fields body --order created --output articles.html",
        "neardup_preview --model board.Ad --all --language ru --site https://example.com",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--model", required=True, metavar="app.Model", help="whose objects are looked at")
        parser.add_argument(
            "--fields", default="", metavar="NAMES",
            help="fields that are the text, with commas (may be left out where an adapter is registered)",
        )  # fmt: skip
        parser.add_argument(
            "--sample",
            type=positive,
            default=SAMPLE,
            metavar="N",
            help=f"the last N posts (default: {SAMPLE})",
        )
        parser.add_argument(
            "--all", action="store_true", help="all posts, however many; they are kept in memory"
        )
        parser.add_argument(
            "--order",
            metavar="FIELD",
            help="what tells the age of posts (default: the adapter's order, get_latest_by, or the primary key)",
        )
        parser.add_argument(
            "--where", action="append", default=[], metavar="NAME=VALUE",
            help="only posts of that value, as filter() takes it; may be given again",
        )  # fmt: skip
        parser.add_argument("--output", default=FILE, metavar="FILE", help=f"the page (default: {FILE})")
        parser.add_argument(
            "--groups",
            type=positive,
            default=GROUPS,
            metavar="N",
            help=f"groups on the page (default: {GROUPS})",
        )
        parser.add_argument(
            "--site",
            default="",
            metavar="URL",
            help="what addresses of posts begin with, so that links lead there",
        )
        parser.add_argument("--language", metavar="CODE", help="of the page (default: LANGUAGE_CODE)")
        parser.add_argument(
            "--text-language", metavar="CODE", help="of the posts (default: the adapter's, or the setting's)"
        )
        add_no_progress(parser)
        add_database(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        language = _language(options["language"])
        path = _writable(options["output"])
        try:
            choice = _choice(options)
            found = self._look(choice, options)
        except (PreviewError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"The posts cannot be read: {str(error).strip()}") from error
        page = as_html(found, language=language, site=options["site"], groups=options["groups"])
        try:
            path.write_text(page, encoding="utf-8", errors="replace")
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(_sum(found))
            self.stdout.write(f"The page: {path.resolve()}")

    def _look(self, choice: Choice, options: dict[str, Any]) -> Preview:
        """Look for groups, with a bar for each phase."""
        total = choice.rows().count()
        bars = _Bars(choice, min(total, choice.sample or total), is_quiet(options))
        try:
            return preview(choice, bars)
        finally:
            bars.close()


class _Bars:
    """A bar for the phase that is under way."""

    def __init__(self, choice: Choice, posts: int, quiet: bool) -> None:
        self._label, self._posts, self._quiet = choice.adapter.model._meta.label, posts, quiet
        self._phase, self._bar = "", bar(self._label, 0, quiet=True)

    def __call__(self, phase: str, posts: int) -> None:
        if phase != self._phase:
            self.close()
            self._phase, self._bar = phase, bar(f"{self._label}: {phase}", self._posts, self._quiet)
        self._bar.update(posts)

    def close(self) -> None:
        self._bar.close()


def _choice(options: dict[str, Any]) -> Choice:
    return chosen_by(
        options["model"],
        [name.strip() for name in options["fields"].split(",")],
        sample=0 if options["all"] else options["sample"],
        order=options["order"],
        where=options["where"],
        language=options["text_language"],
        using=options["database"],
    )


def _sum(found: Preview) -> str:
    return (
        f"{counted(found.read, 'post')} of {spaced(found.total)}: {counted(len(found.groups), 'group')}, "
        f"{counted(found.grouped, 'post')} in them, {found.seconds:.1f} s."
    )


def _language(code: str | None) -> str:
    """A language that there are words in; English where the site's own has none."""
    try:
        return get_supported_language_variant(code or settings.LANGUAGE_CODE)
    except LookupError:
        if code:
            raise CommandError(f"There is no language {code!r} among LANGUAGES.") from None
        return "en"


def _writable(name: str) -> Path:
    """The file, where it can be written: looked at before minutes are spent."""
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        told = "it is a directory" if path.is_dir() else f"there is no directory {path.parent}"
        raise CommandError(f"{path} cannot be written: {told}.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CommandError(f"{path} cannot be written: permission denied.")
    return path
