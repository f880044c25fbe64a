"""The command ``neardup_preview``: the groups of any table as an HTML page, before anything is installed."""

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

from ...preview import (
    PostSelection,
    PreviewError,
    PreviewResult,
    as_html,
    build_preview,
    build_selection,
)
from ...preview.head_proposal import HeadProposal
from ...preview.html_page import MAX_GROUPS
from ...preview.selection import DEFAULT_SAMPLE_SIZE
from ..arguments import add_database_option, add_progress_option, parse_positive
from ..command_base import CommandWithExamples
from ..number_format import format_count, format_number
from ..progress_bars import is_quiet, progress_bar

DEFAULT_FILE = "neardup-preview.html"


class Command(CommandWithExamples):
    help = (
        "Find near-duplicates among the last posts of a table and write them as one HTML page. It only reads, and "
        "needs no migration and no adapter: django_neardup in INSTALLED_APPS is enough. The page quotes the posts, so "
        "keep it to yourself. "
        "Exit status 1: the model or a field does not exist, there are no posts, or the file cannot be written."
    )
    # The checks demand adapters and tables, which a site that tries the app does not have yet.
    requires_system_checks: list[str] | tuple[str, ...] = ()
    examples = (
        "neardup_preview --model board.Ad --fields title,text",
        "neardup_preview --model board.Ad --fields title,text --where published=true --sample 20000",
        "neardup_preview --model news.Article --fields body --order created --output articles.html",
        "neardup_preview --model board.Ad --all --language ru --site https://example.com",
    )

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("--model", required=True, metavar="app.Model", help="the model of the posts")
        parser.add_argument(
            "--fields", default="", metavar="NAMES",
            help="the text fields, separated by commas (default: those of the adapter)",
        )  # fmt: skip
        parser.add_argument(
            "--sample",
            type=parse_positive,
            default=DEFAULT_SAMPLE_SIZE,
            metavar="N",
            help=f"compare the last N posts (default: {DEFAULT_SAMPLE_SIZE})",
        )
        parser.add_argument("--all", action="store_true", help="compare all posts; all are kept in memory")
        parser.add_argument(
            "--order",
            metavar="FIELD",
            help="sort posts by this field (default: the adapter's order, get_latest_by, or the primary key)",
        )
        parser.add_argument(
            "--where", action="append", default=[], metavar="NAME=VALUE",
            help="compare only these posts, by a lookup of filter(); can be repeated",
        )  # fmt: skip
        parser.add_argument(
            "--output",
            default=DEFAULT_FILE,
            metavar="FILE",
            help=f"write the page to this file (default: {DEFAULT_FILE})",
        )
        parser.add_argument(
            "--groups",
            type=parse_positive,
            default=MAX_GROUPS,
            metavar="N",
            help=f"show at most N groups (default: {MAX_GROUPS})",
        )
        parser.add_argument(
            "--site",
            default="",
            metavar="URL",
            help="address of your site, for links to the posts",
        )
        parser.add_argument(
            "--language", metavar="CODE", help="language of the page (default: LANGUAGE_CODE)"
        )
        parser.add_argument(
            "--text-language",
            metavar="CODE",
            help="language of the posts (default: the adapter's, or that of NEARDUP)",
        )
        add_progress_option(parser)
        add_database_option(parser)

    def handle(self, *args: Any, **options: Any) -> None:
        language = _page_language(options["language"])
        # Checked before minutes of work.
        path = _check_writable(options["output"])
        try:
            selection = _build_selection(options)
            result = self._build_preview(selection, options)
        except (PreviewError, ImproperlyConfigured) as error:
            raise CommandError(str(error)) from error
        except DatabaseError as error:
            raise CommandError(f"The posts cannot be read: {str(error).strip()}") from error
        # Texts with lone surrogates cannot be encoded: ``errors`` below replaces them.
        page = as_html(result, language=language, site=options["site"], max_groups=options["groups"])
        try:
            path.write_text(page, encoding="utf-8", errors="replace")
        except OSError as error:
            raise CommandError(f"{path} cannot be written: {error.strerror}.") from error
        if options["verbosity"]:
            self.stdout.write(_format_summary(result))
            if result.head_proposal is not None:
                self.stdout.write(_format_head_proposal(result.head_proposal))
            self.stdout.write(f"Page: {path.resolve()}")

    def _build_preview(self, selection: PostSelection, options: dict[str, Any]) -> PreviewResult:
        """Build the preview, with a progress bar for each phase."""
        total = selection.queryset().count()
        bars = _PhaseBars(selection, min(total, selection.sample_size or total), is_quiet(options))
        try:
            return build_preview(selection, bars)
        finally:
            bars.close()


class _PhaseBars:
    """A progress bar for the current phase."""

    def __init__(self, selection: PostSelection, posts: int, quiet: bool) -> None:
        self._label, self._posts, self._quiet = selection.adapter.model._meta.label, posts, quiet
        self._phase, self._bar = "", progress_bar(self._label, 0, quiet=True)

    def __call__(self, phase: str, posts: int) -> None:
        if phase != self._phase:
            self.close()
            self._phase, self._bar = phase, progress_bar(f"{self._label}: {phase}", self._posts, self._quiet)
        self._bar.update(posts)

    def close(self) -> None:
        self._bar.close()


def _build_selection(options: dict[str, Any]) -> PostSelection:
    return build_selection(
        options["model"],
        [name.strip() for name in options["fields"].split(",")],
        sample=0 if options["all"] else options["sample"],
        order=options["order"],
        where=options["where"],
        language=options["text_language"],
        using=options["database"],
    )


def _format_summary(result: PreviewResult) -> str:
    return (
        f"Compared {format_count(result.read_count, 'post')} of {format_number(result.total_count)}: "
        f"{format_count(len(result.groups), 'group')} with {format_count(result.grouped_count, 'post')}, "
        f"{result.seconds:.1f} s."
    )


def _format_head_proposal(proposal: HeadProposal) -> str:
    return (
        f"{proposal.titled_share:.0%} of the first lines look like titles. The page explains how to declare them as "
        f"heads. Then {format_number(proposal.changed_count)} of the grouped posts would no longer be duplicates."
    )


def _page_language(code: str | None) -> str:
    """Return a language with translations. If the site's language has none, return English."""
    try:
        return get_supported_language_variant(code or settings.LANGUAGE_CODE)
    except LookupError:
        if code:
            raise CommandError(f"The language {code!r} is not in LANGUAGES.") from None
        return "en"


def _check_writable(name: str) -> Path:
    """Return the path of the page. Raise CommandError if it cannot be written."""
    path = Path(name)
    if path.is_dir() or not path.parent.is_dir():
        reason = "it is a directory" if path.is_dir() else f"the directory {path.parent} does not exist"
        raise CommandError(f"{path} cannot be written: {reason}.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise CommandError(f"{path} cannot be written: permission denied.")
    return path
