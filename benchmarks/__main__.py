"""Command line: ``python -m benchmarks --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from benchmarks.figures import FULL, QUICK, Sizes
from benchmarks.page import write_page
from benchmarks.report import as_json, load, merged, processors, read, table, write
from benchmarks.rows import rows
from benchmarks.running import Outcome, run
from benchmarks.site import start
from benchmarks.texts import described

EPILOG = """\
The full form of all rows takes hours and some 10 GB; --quick runs each of them on a few texts, to see that it works.
With --json the file is written anew after every row: what is measured stays if a run is broken off.  What --quick
brings is written to new files alone: its figures mean nothing.
Posts are made of real sentences: of the folder of labelled texts that NEARDUP_DATA names, else of tests/data.

exit status: 0 measured (also where a peer or a server is not installed: the reason is printed), 1 a row broke down, or
with --strict a "must" is missed or not measured, 2 a wrong option

examples:
  python -m benchmarks --list
  python -m benchmarks --quick
  python -m benchmarks --rows 1,2,3 --json figures.json
  NEARDUP_BASELINE=v1.0 python -m benchmarks --rows million
  python -m benchmarks --rows 12,17 --json docs/benchmarks.json --merge --markdown docs/benchmarks.md
"""


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks",
        description="Measure what the app costs, beside its peers, on private servers that are removed again.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add("--rows", metavar="A,B", default="", help="rows by number or name (default: all)")
    add("--list", action="store_true", help="list the rows and measure nothing")
    add("--quick", action="store_true", help="a few texts and one round: the figures mean nothing")
    add("--rounds", type=positive, help=f"rounds that a median is taken of (default: {FULL.rounds})")
    add("--posts", type=positive, help=f"posts of the largest site (default: {FULL.growth[-1]:,})")
    add("--json", metavar="FILE", type=Path, help="also write the figures there, as JSON")
    add("--merge", action="store_true", help="keep the rows of --json that this run does not measure")
    add(
        "--markdown", metavar="FILE", type=Path, help="also write a page with plots, of all that --json holds"
    )
    add("--strict", action="store_true", help='exit with 1 where a "must" is missed or not measured')
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
    if options.list:
        print("\n".join(f"{number:>8}  {each.title}" for number, each in rows().items()))
        return 0
    chosen = (
        [name.strip() for name in options.rows.split(",") if name.strip()] if options.rows else list(rows())
    )
    unknown = sorted(set(chosen) - set(rows()))
    if unknown or not chosen:
        made.error(f"unknown rows: {', '.join(unknown) or 'none given'} (known: {', '.join(rows())})")
    if wrong := contradiction(options):
        made.error(wrong)
    if not options.quick:
        sys.stderr.writelines(cautions())
    start()
    known = read(options.json) if options.merge else {}
    outcome = run(
        [rows()[name] for name in chosen],
        sizes(options),
        options.no_progress,
        lambda so_far: keep(options, known, so_far),
    )
    report(options, outcome, known)
    return 1 if outcome.broken or (options.strict and (outcome.missed or outcome.left)) else 0


def contradiction(options: argparse.Namespace) -> str:
    """What does not go together among the options, in words; empty where all does."""
    if options.merge and not options.json:
        return "--merge needs --json"
    if options.quick and options.merge:
        return "--quick does not go with --merge: its figures mean nothing, and would stand beside real ones"
    there = [path for path in (options.json, options.markdown) if path and path.exists()]
    if options.quick and there:
        return f"--quick does not write over {there[0]}: its figures mean nothing; name a new file"
    return ""


def cautions() -> Iterator[str]:
    """Lines that say what makes the figures of this machine worse than they are."""
    if load() > processors():
        yield f"The machine is busy (load {load():.1f}): the figures will be worse than they are.\n"
    if find_spec("dawg") is None:
        yield 'The dictionary is the one in Python: new words take longer than after pip install ".[fast]".\n'


def sizes(options: argparse.Namespace) -> Sizes:
    """How much the options ask for."""
    asked = QUICK if options.quick else FULL
    if options.rounds:
        asked = asked._replace(rounds=options.rounds)
    if options.posts:
        asked = asked._replace(growth=(options.posts // 100, options.posts // 10, options.posts))
    return asked


def gathered(known: dict[str, Any], outcome: Outcome) -> dict[str, Any]:
    """All figures there are by now, with those that were `known` before."""
    return merged(known, as_json(outcome.figures, described()))


def keep(options: argparse.Namespace, known: dict[str, Any], outcome: Outcome) -> None:
    """Write --json, if it is asked for."""
    if options.json:
        write(options.json, gathered(known, outcome))


def report(options: argparse.Namespace, outcome: Outcome, known: dict[str, Any]) -> None:
    """Print the figures, and write the page that is asked for."""
    if options.markdown:
        write_page(options.markdown, gathered(known, outcome))
    print(table(outcome.figures))
    for number, reason in outcome.left:
        print(f"row {number} not measured: {reason}", file=sys.stderr)


if __name__ == "__main__":
    sys.exit(main())
