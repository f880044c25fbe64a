"""The mode ``--rejudge`` of ``neardup_index``: its options, its progress and its end."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..adapters import Adapter
from ..pipeline.content_objects import content_type_of
from ..pipeline.open_items import BACKLOG_ENTRIES, refresh_if_due, refresh_open_items
from ..pipeline.rejudgement import rejudge
from ..pipeline.stale_pairs import stale_pairs
from .index_run import INTERRUPTED
from .interrupts import interrupted_between_steps
from .number_format import format_number
from .progress_bars import progress_bar
from .rejudgement_report import RejudgementReport

OTHER_MODES = ("reconcile", "rebuild", "restart", "no_drain")
"""Options that mark or sign posts."""


def refuse_other_modes(options: dict[str, Any]) -> None:
    """Raise CommandError if the command is also asked to mark or sign posts, or to share the work."""
    conflicts = [f"--{name.replace('_', '-')}" for name in OTHER_MODES if options[name]]
    if options["workers"] > 1:
        conflicts.append("--workers")
    if conflicts:
        raise CommandError(
            _("Do not combine --rejudge with %(options)s.") % {"options": ", ".join(conflicts)}
        )


def ignore_line(line: str) -> None:
    """Print nothing. It takes the place of ``stdout.write`` at verbosity 0."""


class RejudgementRun:
    """One run through the stale pairs.

    ``adapters``: pairs of their posts. None means all pairs. ``print_line`` prints one line.
    """

    def __init__(
        self,
        using: str,
        adapters: Sequence[Adapter] | None,
        quiet: bool,
        print_line: Callable[[str], object],
    ) -> None:
        content_types = None
        if adapters is not None:
            content_types = [content_type_of(adapter.model, using).pk for adapter in adapters]
        self._pairs, self._using = stale_pairs(using, content_types), using
        self._total = self._pairs.count()
        self._is_quiet, self._print_line = quiet, print_line
        self._report = RejudgementReport()

    def print_stale_count(self) -> None:
        """Print how many pairs would be judged again."""
        line = ngettext(
            "%(count)s pair would be judged again.", "%(count)s pairs would be judged again.", self._total
        )
        self._print_line(line % {"count": format_number(self._total)})

    def run(self) -> None:
        """Judge the pairs again and print what has changed.

        Raise CommandError with the exit status 130 after Ctrl-C. What was committed until then stays.
        """
        try:
            self._judge_all()
        except KeyboardInterrupt:
            self._print_report()
            raise CommandError(self._progress_message(), returncode=INTERRUPTED) from None
        self._print_report()

    def _judge_all(self) -> None:
        with (
            progress_bar(_("judging again"), self._total, self._is_quiet, unit=_("pairs")) as bar,
            interrupted_between_steps() as check_interrupt,
        ):
            for count, rejudged_pairs in rejudge(self._pairs, self._using):
                self._report.add(rejudged_pairs, count)
                bar.update(count)
                check_interrupt()
                refresh_if_due(self._using)
            while refresh_open_items(self._using, BACKLOG_ENTRIES):
                check_interrupt()

    def _print_report(self) -> None:
        for line in self._report.lines():
            self._print_line(line)

    def _progress_message(self) -> str:
        message = ngettext(
            "Interrupted: %(done)s of %(total)s pair was judged again. Run the same command to continue.",
            "Interrupted: %(done)s of %(total)s pairs were judged again. Run the same command to continue.",
            self._total,
        )
        return message % {
            "done": format_number(self._report.judged_count),
            "total": format_number(self._total),
        }
