"""Fills the measured tables of docs/algorithms from reports of the bench: ``python -m benchmarks.pages --help``."""

from __future__ import annotations

import argparse
import json
import re
import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from django_neardup.evaluation.rcdl2007_results import ARTICLE_FIGURES

PAGES = Path(__file__).resolve().parent.parent / "docs" / "algorithms"
PLACE = re.compile(r"^(<!-- measured: (\S+) -->\n)(.*?)^(<!-- /measured -->)$", re.MULTILINE | re.DOTALL)
ALL_SETS = "(all)"
COLUMNS = (
    "mean F1",
    "adverts F1",
    "recall to 10 %",
    "10-30 %",
    "false grouped",
    "collection F1",
    "candidates found",
    "keys a text",
    "ms a text",
    "ms a pair",
)
COMPARED = ("article R", "P", "F1", "here R", "P", "F1")
EPILOG = """\
A report is what `python -m django_neardup.evaluation --format json` writes.  Of several reports the first that has a
table gives it: the comparison article's table comes from one of --union, which gives no other; the others from those
of --algorithm all, with labelled pairs.
What no report tells is left as it stands.

exit status: 0 done, 1 a page got no figures (its name is printed), 2 a report cannot be read
"""

Row = dict[str, Any]
Tables = Mapping[str, Sequence[Row]]


class ReportError(Exception):
    """A file is no report of the bench."""


def read(paths: Iterable[Path]) -> dict[str, Any]:
    """The reports as one: the header of the first, and of each table the first there is.  ReportError."""
    made: dict[str, Any] = {}
    for path in paths:
        try:
            found = json.loads(path.read_text(encoding="utf-8"))
        except (OSError, ValueError) as error:
            raise ReportError(f"{path}: {error}") from error
        if not isinstance(found, dict) or "header" not in found:
            raise ReportError(f"{path}: not a report of the bench")
        if found.get("union"):
            found.pop("collections", None)
        made |= {name: table for name, table in found.items() if table and name not in made}
    return made


def figures(name: str, tables: Tables) -> list[str] | None:
    """The cells of one algorithm, in the order of `COLUMNS`; None where no table knows it."""
    if not tables.get("summary"):
        return None
    summary = next(_of(name, tables["summary"]), {})
    pool = next(_of(name, tables.get("pool", ())), {})
    pairs = list(_of(name, tables.get("pairs", ())))
    collections = list(_of(name, tables.get("collections", ())))
    if not (summary or pool or pairs or collections):
        return None
    false = sum(row["false"] for row in pairs)
    return [
        shown(summary.get("macro F1")),
        shown(summary.get("adverts F1")),
        shown(mean(row["0-0.1"] for row in pairs)),
        shown(mean(row["0.1-0.3"] for row in pairs)),
        shown(sum(row["wrong"] for row in pairs) / false if false else None, 4),
        shown(mean(row["f1"] for row in collections)),
        shown(first(pool.get("mean recall"), mean(row["candidate recall"] for row in collections))),
        shown(first(pool.get("keys a text"), summary.get("keys a text")), 1),
        shown(summary.get("ms a text"), 2),
        shown(summary.get("ms a pair"), 2),
    ]


def own_table(name: str, tables: Tables) -> str | None:
    """The table of one algorithm's page."""
    found = figures(name, tables)
    return None if found is None else table([COLUMNS, found])


def index_table(tables: Tables) -> str | None:
    """All rows of pairs mode, the best first by their mean F1, then those that only a collection knows."""
    rows = sorted(tables.get("summary", ()), key=lambda row: -(row["macro F1"] or 0))
    names = dict.fromkeys(row["algorithm"] for row in [*rows, *tables.get("collections", ())])
    lines = [[code(name), *found] for name in names if (found := figures(name, tables))]
    return table([("algorithm", *COLUMNS), *lines]) if lines else None


def comparison_table(tables: Tables) -> str | None:
    """The article's rows in its order, then the others, the best first; all sets together."""
    found = {row["algorithm"]: row for row in tables.get("union", ()) if row["set"] == ALL_SETS}
    others = sorted(found.keys() - ARTICLE_FIGURES, key=lambda name: -(found[name]["f1"] or 0))
    lines = [
        [
            code(name),
            *_cells(ARTICLE_FIGURES.get(name, (None,) * 3), 2),
            *_cells(_reached(found.get(name, {})), 3),
        ]
        for name in (*ARTICLE_FIGURES, *others)
    ]
    return table([("algorithm", *COMPARED), *lines]) if found else None


def _of(name: str, rows: Iterable[Row]) -> Iterator[Row]:
    return (row for row in rows if row["algorithm"] == name)


def _reached(row: Row) -> tuple[float | None, ...]:
    return row.get("recall"), row.get("precision"), row.get("f1")


def _cells(values: Iterable[float | None], digits: int) -> list[str]:
    return [shown(value, digits) for value in values]


def code(name: str) -> str:
    """A row's name as in the text: algorithms in code type, peers and floors as they are."""
    return name if name.startswith("(") or " " in name else f"`{name}`"


def first(*values: float | None) -> float | None:
    """The first that is there."""
    return next((value for value in values if value is not None), None)


def mean(values: Iterable[float | None]) -> float | None:
    """Of the values that are there; None if none is."""
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


def shown(value: float | None, digits: int = 3) -> str:
    """A figure with so many digits after the point."""
    return "-" if value is None else f"{value:.{digits}f}"


def table(lines: Sequence[Sequence[str]]) -> str:
    """Markdown, the first line as its head."""
    made = [f"| {' | '.join(line)} |" for line in lines]
    return "\n".join([made[0], "|" + "---|" * len(lines[0]), *made[1:]]) + "\n"


def filled(text: str, tables: Tables) -> tuple[str, list[str]]:
    """A page with its measured places filled, and the names of those that no report knows."""
    unknown = []

    def replaced(place: re.Match[str]) -> str:
        name = place[2]
        special = {"index": index_table, "comparison": comparison_table}.get(name)
        made = special(tables) if special else own_table(name, tables)
        if made is None:
            unknown.append(name)
            return place[0]
        return place[1] + made + place[4]

    return PLACE.sub(replaced, text), unknown


def parser() -> argparse.ArgumentParser:
    """The options of the command."""
    made = argparse.ArgumentParser(
        prog="python -m benchmarks.pages",
        description="Fill the measured tables of the algorithms' pages from reports of the bench.",
        epilog=EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    made.add_argument(
        "reports", metavar="REPORT.json", type=Path, nargs="+", help="JSON reports of the bench"
    )
    made.add_argument(
        "--pages", metavar="DIR", type=Path, default=PAGES, help="the pages (default: docs/algorithms)"
    )
    return made


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command; its exit status."""
    options = parser().parse_args(arguments)
    try:
        tables = read(options.reports)
    except ReportError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    without = []
    for path in sorted(options.pages.glob("*.md")):
        before = path.read_text(encoding="utf-8")
        after, unknown = filled(before, tables)
        if after != before:
            path.write_text(after, encoding="utf-8")
        without += unknown
    print(f"no figures: {', '.join(without)}" if without else "every table is filled")
    return 1 if without else 0


if __name__ == "__main__":
    sys.exit(main())
