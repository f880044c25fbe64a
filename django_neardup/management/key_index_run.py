"""The modes ``--rebuild-index`` and ``--repair-index`` of ``neardup_index``: the key index, without any post."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.core.management.base import CommandError
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ..db.interrupts import close_if_interrupted
from ..index.index_class import get_index
from ..models import Fingerprint
from .index_run import INTERRUPTED
from .number_format import format_number
from .progress_bars import progress_bar

OTHER_MODES = ("reconcile", "rejudge", "rebuild", "restart", "no_drain", "dry_run", "models")


def run_on_key_index(
    using: str, options: dict[str, Any], quiet: bool, print_line: Callable[[str], object]
) -> None:
    """Rebuild or repair the key index, and print the result. Raise CommandError if that fails."""
    name = "--rebuild-index" if options["rebuild_index"] else "--repair-index"
    if (options["rebuild_index"] and options["repair_index"]) or any(options[mode] for mode in OTHER_MODES):
        raise CommandError(_("Do not combine %(option)s with other options.") % {"option": name})
    index = get_index(using)
    total = Fingerprint.objects.using(using).count()
    try:
        with progress_bar(_("key index"), total, quiet) as bar:
            if options["rebuild_index"]:
                index.rebuild(bar.update)
            else:
                number = index.repair(bar.update)
    except NotImplementedError as error:
        raise CommandError(f"{name}: {error}.") from None
    except KeyboardInterrupt as interruption:
        close_if_interrupted(interruption, using)
        raise CommandError(_("Stopped. Run the same command to continue."), returncode=INTERRUPTED) from None
    if options["rebuild_index"]:
        print_line(_("The key index was rebuilt and is now in use."))
    else:
        line = ngettext(
            "%(count)s post differed in the key index and was sent again.",
            "%(count)s posts differed in the key index and were sent again.",
            number,
        )
        print_line(line % {"count": format_number(number)})
