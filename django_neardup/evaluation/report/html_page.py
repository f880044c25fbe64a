"""The report as one self-contained HTML file, without scripts and external resources."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from ..results import TableRow
from .content import BenchReport
from .plots import render_plots
from .tables import TABLE_TITLES, build_tables

PAGE_STYLE = """\
:root { color-scheme: light; }
body { margin: 0; background: #f6f7f9; color: #1f2430; font: 15px/1.5 system-ui, sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 24px 16px 64px; }
h1 { font-size: 26px; margin: 0 0 4px; }
h2 { font-size: 19px; margin: 36px 0 8px; }
p { margin: 4px 0 12px; max-width: 75ch; color: #4b5563; }
nav a { margin-right: 14px; white-space: nowrap; }
a { color: #1d4ed8; }
dl { display: grid; grid-template-columns: max-content 1fr; gap: 2px 16px; font-size: 13px; margin: 12px 0; }
dt { color: #4b5563; } dd { margin: 0; overflow-wrap: anywhere; }
figure { margin: 0; background: #fff; border: 1px solid #e3e6ea; border-radius: 6px; padding: 8px; }
figure svg { width: 100%; height: auto; display: block; }
.scroll { overflow: auto; max-height: 80vh; background: #fff; border: 1px solid #e3e6ea; border-radius: 6px; }
table { border-collapse: collapse; font-size: 13px; font-variant-numeric: tabular-nums; }
th, td { padding: 3px 10px; text-align: right; white-space: nowrap; }
th { position: sticky; top: 0; background: #eef0f3; font-weight: 600; }
td.w, th.w { text-align: left; }
tr:nth-child(even) td { background: #fafbfc; }
tr.ours td { background: #fff1e8; font-weight: 600; }
details { margin: 8px 0; } summary { cursor: pointer; color: #1d4ed8; }
pre { overflow: auto; font-size: 12px; background: #fff; border: 1px solid #e3e6ea; padding: 8px; }
"""
MAX_OPEN_ROWS = 60
"""Tables with more rows are collapsed."""


def as_html(report: BenchReport) -> str:
    """Return the page. Raise MatplotlibMissing if matplotlib is not installed."""
    plots, tables = render_plots(report), build_tables(report)
    links = [f'<a href="#{_anchor(title)}">{escape(title)}</a>' for title, _, _ in plots]
    links += [f'<a href="#{_anchor(TABLE_TITLES[name])}">{escape(TABLE_TITLES[name])}</a>' for name in tables]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Near-duplicates: the bench</title><style>{PAGE_STYLE}</style></head><body><main>",
        "<h1>Near-duplicates: the bench</h1>",
        _render_header(report),
        f"<nav>{' '.join(links)}</nav>",
        *(
            f'<h2 id="{_anchor(title)}">{escape(title)}</h2><p>{escape(explanation)}</p><figure>{svg}</figure>'
            for title, explanation, svg in plots
        ),
        *(_render_section(TABLE_TITLES[name], rows) for name, rows in tables.items()),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _anchor(title: str) -> str:
    return "".join(character if character.isalnum() else "-" for character in title.lower())


def _render_header(report: BenchReport) -> str:
    header = report.header()
    schemes = header.pop("schemes")
    definitions = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(_format_header_value(value))}</dd>"
        for name, value in header.items()
        if value
    )
    lines = escape("\n".join(json.dumps(scheme, ensure_ascii=False) for scheme in schemes))
    return f"<dl>{definitions}</dl><details><summary>Parameters of the algorithms</summary><pre>{lines}</pre></details>"


def _format_header_value(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_format_value(item)}" for name, item in value.items() if item is not None)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _render_section(title: str, rows: list[TableRow]) -> str:
    table = f'<div class="scroll">{_render_table(rows)}</div>'
    if len(rows) > MAX_OPEN_ROWS:
        table = f"<details><summary>{len(rows)} rows</summary>{table}</details>"
    return f'<h2 id="{_anchor(title)}">{escape(title)}</h2>{table}'


def _render_table(rows: list[TableRow]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    text_columns = {name for name in names if any(isinstance(row.get(name), str) for row in rows)}
    head = "".join(f"<th{_alignment_class(name in text_columns)}>{escape(name)}</th>" for name in names)
    body = "".join(_render_row(row, names, text_columns) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _render_row(row: TableRow, names: list[str], text_columns: set[str]) -> str:
    cells = "".join(
        f"<td{_alignment_class(name in text_columns)}>{escape(_format_value(row.get(name)))}</td>"
        for name in names
    )
    css_class = ' class="ours"' if row.get("algorithm") == "neardup" else ""
    return f"<tr{css_class}>{cells}</tr>"


def _alignment_class(is_text: bool) -> str:
    return ' class="w"' if is_text else ""


def _format_value(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
