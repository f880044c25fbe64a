"""Command line: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from tqdm import tqdm

from tests.services import FailedServiceError, MissingServiceError

from .figures import Sizes, described
from .report import Measured, as_json, load, processors, table
from .rows import rows
from .site import start

EPILOG = """\
exit status: 0 every "must" is met, 1 one is missed, 2 a wrong option or a server that does not start

examples:
  python -m benchmarks
  python -m benchmarks --rows save,statements --rounds 15
  python -m benchmarks --output docs/benchmarks.json
"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    listed = "".join(f"  {name}: {described(each)}\n" for name, each in rows().items())
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure what the app costs, on private servers that are started and removed again.",
        epilog=f"rows:\n{listed}\n{EPILOG}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add, sizes = made.add_argument, Sizes()
    add("--rows", metavar="A,B", default=",".join(rows()), help="rows by name (default: all)")
    add("--rounds", type=positive, default=sizes.rounds, help="rounds of a figure (default: %(default)s)")
    add("--saves", type=positive, default=sizes.saves, help="saves of a round (default: %(default)s)")
    add("--output", metavar="FILE", type=Path, help="also write the figures there, as JSON")
    add("--no-progress", action="store_true", help="no progress bars (none are shown off a terminal)")
    return made


def positive(text: str) -> int:
    """A whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("it must be 1 or more")
    return number


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    made = parser()
    options = made.parse_args(arguments)
    chosen = [name.strip() for name in options.rows.split(",") if name.strip()]
    unknown = sorted(set(chosen) - set(rows()))
    if unknown or not chosen:
        made.error(f"unknown rows: {', '.join(unknown) or 'none given'} (known: {', '.join(rows())})")
    if load() > processors():
        print(f"The machine is busy (load {load():.1f}): the figures will be too high.", file=sys.stderr)
    try:
        measured = measure(chosen, Sizes(options.rounds, options.saves), quiet=options.no_progress)
    except (MissingServiceError, FailedServiceError) as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    print(table(measured))
    if options.output:
        text = json.dumps(as_json(measured), indent=2, ensure_ascii=False)
        options.output.write_text(text + "\n", encoding="utf-8")
    return 1 if any(figure.met is False for _, figure in measured) else 0


def measure(chosen: Sequence[str], sizes: Sizes, quiet: bool) -> list[Measured]:
    """The figures of those rows."""

    silent = quiet or not sys.stderr.isatty()

    def bar(title: str, steps: int) -> Any:
        return tqdm(total=steps, desc=title, unit=" rounds", leave=False, disable=silent)

    start()
    return [(name, figure) for name in chosen for figure in rows()[name](sizes, bar)]


if __name__ == "__main__":
    sys.exit(main())
