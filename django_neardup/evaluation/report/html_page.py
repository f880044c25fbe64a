"""The report as one self-contained HTML file, without scripts and external resources."""

from __future__ import annotations

import json
from typing import Any

from ...reports.template_engine import render_template
from ..results import TableRow
from .content import BenchReport
from .drawing import OWN_ALGORITHM
from .plots import render_plots
from .tables import TABLE_TITLES, build_tables

MAX_OPEN_ROWS = 60
"""Tables with more rows are collapsed."""


def as_html(report: BenchReport) -> str:
    """Return the page. Raise MatplotlibMissing if matplotlib is not installed."""
    header = report.header()
    schemes = header.pop("schemes")
    context = {
        "language": "en",
        "title": "Near-duplicates: the bench",
        "header": [(name, _format_header_value(value)) for name, value in header.items() if value],
        "schemes": "\n".join(json.dumps(scheme, ensure_ascii=False) for scheme in schemes),
        "plots": render_plots(report),
        "tables": [_build_table(TABLE_TITLES[name], rows) for name, rows in build_tables(report).items()],
    }
    return render_template("bench.html", context)


def _format_header_value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_format_value(item)}" for name, item in value.items() if item is not None)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _build_table(title: str, rows: list[TableRow]) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row)
    columns = [(name, any(isinstance(row.get(name), str) for row in rows)) for name in names]
    return {
        "title": title,
        "is_long": len(rows) > MAX_OPEN_ROWS,
        "columns": columns,
        "rows": [
            {
                "is_own": row.get("algorithm") == OWN_ALGORITHM,
                "cells": [(_format_value(row.get(name)), is_text) for name, is_text in columns],
            }
            for row in rows
        ],
    }


def _format_value(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
