"""The report as a table for the terminal, as JSON and as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Sequence
from typing import Any

from ..results import TableRow
from .content import BenchReport
from .html_page import as_html
from .tables import TABLE_TITLES, build_tables, verdict_row


def as_json(report: BenchReport) -> str:
    """Return header and tables as JSON, with counts of verdicts by label for pairs mode."""
    content: TableRow = {"header": report.header(), "pairs": [], "collections": [], **build_tables(report)}
    content["pairs"] = [
        {**row, "verdicts": verdict_row(result)}
        for row, result in zip(content["pairs"], report.pairs, strict=True)
    ]
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


def as_csv(report: BenchReport) -> str:
    """Return the header as lines that begin with #, then the tables, each after a line with its name."""
    out = io.StringIO()
    for name, value in report.header().items():
        out.write(f"# {name}: {json.dumps(value, ensure_ascii=False)}\n")
    for name, rows in build_tables(report).items():
        out.write(f"# table: {name}\n")
        writer = csv.DictWriter(out, column_names(rows), lineterminator="\n")
        writer.writeheader()
        writer.writerows({key: _format_csv_value(value) for key, value in row.items()} for row in rows)
    return out.getvalue()


def as_table(report: BenchReport) -> str:
    """Return the report as text for a terminal."""
    header = report.header()
    versions = ", ".join(f"{name} {version}" for name, version in header["versions"].items() if version)
    peers = ", ".join(f"{name} {version}" for name, version in header["peers"].items())
    lines = [f"Python {header['python']}, {versions}", *([f"peers: {peers}"] if peers else [])]
    lines += [f"data {report.digest}"] if report.digest else []
    lines += ["scheme " + json.dumps(scheme, ensure_ascii=False) for scheme in report.schemes]
    lines.append(f"language {report.language}; pairs: {header['sample']}; seed {report.seed}")
    lines += [
        f"canonising, {mode}: {_format_value(cost.mean_milliseconds)} ms a text"
        for mode, cost in report.canonicalization_costs.items()
    ]
    lines += [f"note: {note}" for note in report.notes]
    for name, rows in build_tables(report).items():
        lines += ["", TABLE_TITLES[name], "", *format_table(rows)]
    return "\n".join(lines) + "\n"


FORMATS: dict[str, Callable[[BenchReport], str]] = {
    "table": as_table,
    "json": as_json,
    "csv": as_csv,
    "html": as_html,
}


def column_names(rows: Sequence[TableRow]) -> list[str]:
    """Return the names of all columns, including columns that only some rows have."""
    return list(dict.fromkeys(name for row in rows for name in row))


def format_table(rows: Sequence[TableRow]) -> list[str]:
    """Return the lines of a table: the names of the columns, then the rows."""
    names = column_names(rows)
    cells = [names, *([_format_value(row.get(name)) for name in names] for row in rows)]
    widths = [max(len(line[column]) for line in cells) for column in range(len(names))]
    text_columns = [any(isinstance(row.get(name), str) for row in rows) for name in names]
    return [
        "  ".join(
            cell.ljust(width) if is_text else cell.rjust(width)
            for cell, width, is_text in zip(line, widths, text_columns, strict=True)
        ).rstrip()
        for line in cells
    ]


def _format_value(value: Any) -> str:
    if value is None:
        return "-"
    return f"{value:.3f}" if isinstance(value, float) else str(value)


def _format_csv_value(value: Any) -> Any:
    if value is None:
        return ""
    return round(value, 6) if isinstance(value, float) else value
