"""The mode ``--boilerplate`` of ``neardup_statistics``: find the boilerplate of a profile, and put it to use."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from django.core.exceptions import ImproperlyConfigured
from django.core.management.base import CommandError
from django.db import DEFAULT_DB_ALIAS
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..conf import Profile
from ..pipeline.boilerplate_builder import FoundPassage, find_boilerplate
from ..pipeline.boilerplate_store import newest_boilerplate, update_boilerplate
from ..pipeline.stale_pairs import stale_pairs
from ..reports.segments import replace_control_characters
from .number_format import format_number
from .progress_bars import progress_wrapper

MAX_SHOWN_PASSAGES = 20
MAX_LINE = 100
"""Characters of a passage on a line."""


class BoilerplateRun:
    """One search for the boilerplate of a profile. ``print_line`` prints one line."""

    def __init__(
        self, profile: Profile, using: str, quiet: bool, print_line: Callable[[str], object]
    ) -> None:
        self._profile, self._using, self._is_quiet, self._print_line = profile, using, quiet, print_line

    def run(self, *, dry_run: bool) -> None:
        """Find the boilerplate, print it, and let the active scheme name it unless it is a dry run.

        Raise CommandError if the key index cannot tell its frequent keys.
        """
        progress = progress_wrapper(_("looking for boilerplate"), self._is_quiet, _("batches"))
        try:
            runs, passages = find_boilerplate(self._profile, self._using, progress)
        except ImproperlyConfigured as error:
            raise CommandError(str(error)) from error
        except NotImplementedError as error:
            raise CommandError(
                _("This key index cannot count its keys: %(error)s.") % {"error": error}
            ) from error
        self._print_passages(passages)
        if dry_run:
            has_changed = sorted(runs) != list(newest_boilerplate(self._profile.alias, self._using).found)
            self._print_line(
                _("The boilerplate has changed. Nothing was saved.")
                if has_changed
                else _("The boilerplate has not changed. Nothing was saved.")
            )
            return
        row, has_changed = update_boilerplate(self._profile.alias, self._using, runs)
        if row is not None and has_changed:
            line = _("Now in use: boilerplate %(number)s with %(runs)s word sequences.")
            self._print_line(line % {"number": row.number, "runs": format_number(row.runs)})
        else:
            self._print_line(_("The boilerplate has not changed."))
        self._print_stale_pairs()

    def _print_passages(self, passages: Sequence[FoundPassage]) -> None:
        found = ngettext(
            "Profile %(profile)s: %(count)s passage is boilerplate.",
            "Profile %(profile)s: %(count)s passages are boilerplate.",
            len(passages),
        )
        self._print_line(found % {"profile": self._profile.alias, "count": format_number(len(passages))})
        for passage in passages[:MAX_SHOWN_PASSAGES]:
            self._print_line(f"  {_describe(passage)}")
        if len(passages) > MAX_SHOWN_PASSAGES:
            self._print_line("  …")

    def _print_stale_pairs(self) -> None:
        stale = stale_pairs(self._using, profile=self._profile.alias).count()
        if not stale:
            return
        command = "python manage.py neardup_index --rejudge"
        if self._using != DEFAULT_DB_ALIAS:
            command += f" --database {self._using}"
        line = ngettext(
            "%(count)s pair was judged with another snapshot. Next: %(command)s",
            "%(count)s pairs were judged with another snapshot. Next: %(command)s",
            stale,
        )
        self._print_line(line % {"count": format_number(stale), "command": command})


def _describe(passage: FoundPassage) -> str:
    """Return the size, the holders and the words of a passage on one line."""
    owner = _("author %(author)s") % {"author": passage.author} if passage.author else _("many authors")
    words = ngettext("%(count)s word", "%(count)s words", passage.words) % {"count": passage.words}
    posts = ngettext("%(count)s post", "%(count)s posts", passage.posts) % {"count": passage.posts}
    text = passage.text if len(passage.text) <= MAX_LINE else passage.text[: MAX_LINE - 1] + "…"
    return f"{words}, {posts}, {replace_control_characters(owner)}: “{text}”"
