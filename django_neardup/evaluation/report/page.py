"""The report as one HTML file that needs nothing else: no script, no style or picture from elsewhere."""

from __future__ import annotations

import json
from html import escape
from typing import Any

from ..results import Row
from .content import Report
from .plots import plots
from .tables import TITLES, tables

STYLE = """\
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
LONG = 60


def as_html(report: Report) -> str:
    """The page.  PlotsMissing if matplotlib is not installed."""
    drawn, found = plots(report), tables(report)
    names = [f'<a href="#{_anchor(title)}">{escape(title)}</a>' for title, _, _ in drawn]
    names += [f'<a href="#{_anchor(TITLES[name])}">{escape(TITLES[name])}</a>' for name in found]
    parts = [
        "<!DOCTYPE html>",
        '<html lang="en"><head><meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>Near-duplicates: the bench</title><style>{STYLE}</style></head><body><main>",
        "<h1>Near-duplicates: the bench</h1>",
        _head(report),
        f"<nav>{' '.join(names)}</nav>",
        *(
            f'<h2 id="{_anchor(title)}">{escape(title)}</h2><p>{escape(told)}</p><figure>{svg}</figure>'
            for title, told, svg in drawn
        ),
        *(_section(TITLES[name], rows) for name, rows in found.items()),
        "</main></body></html>\n",
    ]
    return "\n".join(parts)


def _anchor(title: str) -> str:
    return "".join(each if each.isalnum() else "-" for each in title.lower())


def _head(report: Report) -> str:
    header = report.header()
    schemes = header.pop("schemes")
    told = "".join(
        f"<dt>{escape(name)}</dt><dd>{escape(_told(value))}</dd>" for name, value in header.items() if value
    )
    listed = escape("\n".join(json.dumps(scheme, ensure_ascii=False) for scheme in schemes))
    return f"<dl>{told}</dl><details><summary>Parameters of the algorithms</summary><pre>{listed}</pre></details>"


def _told(value: Any) -> str:
    if isinstance(value, dict):
        return ", ".join(f"{name} {_shown(each)}" for name, each in value.items() if each is not None)
    return ", ".join(map(str, value)) if isinstance(value, list) else str(value)


def _section(title: str, rows: list[Row]) -> str:
    table = f'<div class="scroll">{_table(rows)}</div>'
    if len(rows) > LONG:
        table = f"<details><summary>{len(rows)} rows</summary>{table}</details>"
    return f'<h2 id="{_anchor(title)}">{escape(title)}</h2>{table}'


def _table(rows: list[Row]) -> str:
    names = list(dict.fromkeys(name for row in rows for name in row))
    words = {name for name in names if any(isinstance(row.get(name), str) for row in rows)}
    head = "".join(f"<th{_class(name in words)}>{escape(name)}</th>" for name in names)
    body = "".join(_line(row, names, words) for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _line(row: Row, names: list[str], words: set[str]) -> str:
    cells = "".join(f"<td{_class(name in words)}>{escape(_shown(row.get(name)))}</td>" for name in names)
    ours = ' class="ours"' if row.get("algorithm") == "neardup" else ""
    return f"<tr{ours}>{cells}</tr>"


def _class(word: bool) -> str:
    return ' class="w"' if word else ""


def _shown(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:.3f}" if isinstance(value, float) else str(value)
