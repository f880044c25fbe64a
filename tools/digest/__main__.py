"""Command line: ``python -m tools.digest --help``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

from tools.digest.changes import changes
from tools.digest.labelled import labelled_sections
from tools.digest.records import (
    GROUPS,
    Section,
    group_digest,
    read,
    section_digest,
    total_digest,
    write,
)
from tools.digest.throwaway import scenario_sections

SCENARIOS = ("example", "collection")
SECRET = "digest"
PAIRS = 500
SHOWN = 10
EPILOG = """\
Run it before and after a refactoring, with the same options and the same texts. Equal digests prove that documents,
verdicts, pairs and clusters are equal. "verdicts" is what people see; "keys" depends on the hash secret by nature.
If the digests differ, write both versions with --json and compare them with --diff.

exit status: 0 done (with --diff: all records are equal), 1 records differ, 2 a wrong option

examples:
  python -m tools.digest --data labelled --json before.gz
  python -m tools.digest --diff before.gz after.gz
"""


def parser() -> argparse.ArgumentParser:
    """Return the options of the command."""
    made = argparse.ArgumentParser(
        prog="python -m tools.digest",
        description="Print digests of all that the app says of the example project and of labelled texts.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    add = made.add_argument
    add("--data", metavar="DIR", type=Path, help="a folder of labelled texts, beside the project's own")
    add("--secret", type=secret, default=SECRET, help="the hash secret (default: %(default)s)")
    add(
        "--pairs",
        metavar="N",
        type=positive,
        default=PAIRS,
        help="judge at most N pairs of each set, evenly spread (default: %(default)s)",
    )
    add(
        "--json",
        metavar="FILE",
        type=Path,
        help="also write all records there, one JSON array a line (packed if it ends in .gz)",
    )
    add("--diff", metavar=("A", "B"), nargs=2, type=Path, help="compare two files of --json, measure nothing")
    add(
        "--most",
        metavar="N",
        type=positive,
        default=SHOWN,
        help="with --diff: show at most N records of each section (default: %(default)s)",
    )
    return made


def positive(text: str) -> int:
    """Return a whole number above 0."""
    number = int(text)
    if number < 1:
        raise argparse.ArgumentTypeError("it must be 1 or more")
    return number


def secret(text: str) -> str:
    """Return a secret that is not empty: without one each run would draw its own."""
    if not text:
        raise argparse.ArgumentTypeError("it must not be empty")
    return text


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command and return its exit status."""
    made = parser()
    options = made.parse_args(arguments)
    if options.diff:
        before, after = options.diff
        return print_changes(before, after, options.most)
    if options.data and not options.data.is_dir():
        made.error(f"--data {options.data}: there is no such folder")
    sections = [section for scenario in SCENARIOS for section in scenario_sections(scenario, options.secret)]
    sections += labelled_sections(options.data, options.secret, options.pairs)
    for line in report(sections):
        print(line)
    if options.json:
        write(options.json, sections)
    return 0


def report(sections: Sequence[Section]) -> Iterator[str]:
    """Yield a line for every section, then for every group, then for the whole."""
    for group in GROUPS:
        for section in sections:
            if section.group == group:
                title = f"{group}: {section.name}"
                yield f"{title:<38} {len(section.records):>7}  {section_digest(section)[:32]}"
    for group in GROUPS:
        yield f"{group:<47} {group_digest(sections, group)}"
    yield f"{'digest':<47} {total_digest(sections)}"


def print_changes(before: Path, after: Path, most: int) -> int:
    """Print the records that differ. Return 1 if there are any, else 0."""
    lines = changes(read(before), read(after), most)
    print("\n".join(lines) if lines else "All records are equal.")
    return 1 if lines else 0


if __name__ == "__main__":
    sys.exit(main())
