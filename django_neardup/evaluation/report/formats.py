"""The report as a table for the terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from ..results import Row
from .content import Report
from .page import as_html
from .tables import TITLES, tables, verdict_row


def as_json(report: Report) -> str:
    """Header and tables; the verdicts of pairs mode counted by truth."""
    content: Row = {"header": report.header(), "pairs": [], "collections": [], **tables(report)}
    content["pairs"] = [
        {**row, "verdicts": verdict_row(result)}
        for row, result in zip(content["pairs"], report.pairs, strict=True)
    ]
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def as_csv(report: Report) -> str:
    """Header as lines that begin with #, then the tables, each after a line with its name."""
    out = io.StringIO()
    for name, value in report.header().items():
        out.write(f"# {name}: {json.dumps(value, ensure_ascii=False)}\n")
    for name, rows in tables(report).items():
        out.write(f"# table: {name}\n")
        writer = csv.DictWriter(out, columns(rows), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _plain(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def as_table(report: Report) -> str:
    """For reading in a terminal."""
    header = report.header()
    versions = ", ".join(f"{name} {number}" for name, number in header["versions"].items() if number)
    peers = ", ".join(f"{name} {number}" for name, number in header["peers"].items())
    lines = [f"Python {header['python']}, {versions}", *([f"peers: {peers}"] if peers else [])]
    lines += [f"data {report.data}"] if report.data else []
    lines += ["scheme " + json.dumps(scheme, ensure_ascii=False) for scheme in report.schemes]
    lines.append(f"language {report.language}; pairs: {header['sample']}; seed {report.seed}")
    lines += [f"canonising, {mode}: {_shown(cost.each)} ms a text" for mode, cost in report.canonise.items()]
    lines += [f"note: {note}" for note in report.notes]
    for name, rows in tables(report).items():
        lines += ["", TITLES[name], "", *_table(rows)]
    return "\n".join(lines) + "\n"


FORMATS: dict[str, Callable[[Report], str]] = {
    "table": as_table,
    "json": as_json,
    "csv": as_csv,
    "html": as_html,
}


def columns(rows: Sequence[Row]) -> list[str]:
    """Names of the columns, also of those that some rows lack."""
    return list(dict.fromkeys(name for row in rows for name in row))


def _table(rows: Sequence[Row]) -> list[str]:
    names = columns(rows)
    cells = [names, *([_shown(row.get(name)) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    words = [any(isinstance(row.get(name), str) for row in rows) for name in names]
    return [
        "  ".join(
            cell.ljust(width) if word else cell.rjust(width)
            for cell, width, word in zip(line, widths, words, strict=True)
        ).rstrip()
        for line in cells
    ]


def _shown(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _plain(value: Any) -> Any:
    if value is None:
        return ""
    return round(value, 6) if isinstance(value, float) else value
