"""Fills docs/scaling.md from the figures: what 10^6 to 10^8 posts take, calculated from what was measured."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

from benchmarks.figures import Figure, row_of
from benchmarks.table_sizes import OWN

PLACE = re.compile(r"^(<!-- measured: (\w+) -->\n)(.*?)^(<!-- /measured -->)$", re.MULTILINE | re.DOTALL)
POSTS = (10**6, 10**7, 10**8)
GIGABYTE = 10**9
KEYS_ROW, INDEX_ROW, GROWTH_ROW, OPENSEARCH_ROW = "8", "20", "growth", "opensearch"
SIDE_BY_SIDE = re.compile(r"(?P<engine>\w+): (?P<what>.+) at (?P<posts>[\d,]+)$")

Columns = Mapping[str, Mapping[str, float]]


def fill(page: Path, figures: Iterable[Figure]) -> None:
    """Write the tables into the page; a place for which nothing is measured stays as it is."""
    known = list(figures)
    tables = {name: make(known) for name, make in TABLES.items()}

    def filled(place: re.Match[str]) -> str:
        table = tables.get(place[2], "")
        return f"{place[1]}{table}{place[4]}" if table else place[0]

    page.write_text(PLACE.sub(filled, page.read_text(encoding="utf-8")), encoding="utf-8")


def bytes_table(figures: Sequence[Figure]) -> str:
    """Bytes of a post in each of the app's tables, and gigabytes of so many posts."""
    databases = {
        **_by_database(figures, GROWTH_ROW, "B a post"),
        **_by_database(figures, KEYS_ROW, "B a post"),
    }
    rows = []
    for name, tables in databases.items():
        ours = {table: size for table, size in tables.items() if table != OWN}
        total = sum(ours.values())
        rows.append([name, *(f"{size:,.0f}" for size in ours.values()), f"{total:,.0f}", *_grown(total)])
    heads = [table for table in next(iter(databases.values()), {}) if table != OWN]
    return _table(["", *heads, "all, bytes a post", *_heads()], rows)


def keys_table(figures: Sequence[Figure]) -> str:
    """Bytes of a post in the key table alone, and gigabytes of so many; "database: tables" are more than that one."""
    found = [
        figure
        for figure in figures
        if row_of(figure.row) == KEYS_ROW and figure.unit == "bytes" and ": " not in figure.name
    ]
    rows = [[figure.name, f"{figure.value:,.0f}", *_grown(figure.value)] for figure in found]
    return _table(["", "bytes a post", *_heads()], rows)


def time_table(figures: Sequence[Figure]) -> str:
    """Hours to index so many posts at the measured rate."""
    databases = _by_database(figures, INDEX_ROW, "posts/s")
    rows = [
        [f"{name}, {how}", f"{rate:,.0f}", *(_time(posts / rate / 3600) for posts in POSTS)]
        for name, rates in databases.items()
        for how, rate in rates.items()
    ]
    return _table(["", "posts a second", *_heads()], rows)


def opensearch_table(figures: Sequence[Figure]) -> str:
    """What the same site costs in PostgreSQL and in OpenSearch, by the number of posts."""
    columns: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
    whats: dict[str, None] = {}
    for figure in figures:
        found = SIDE_BY_SIDE.match(figure.name) if row_of(figure.row) == OPENSEARCH_ROW else None
        if found:
            what = f"{found['what']}, {figure.unit}"
            whats[what] = None
            columns[found["engine"], found["posts"]][what] = f"{figure.value:,.4g}"
    heads = [f"{engine}, {posts} posts" for engine, posts in columns]
    rows = [[what, *(column.get(what, "") for column in columns.values())] for what in whats]
    return _table(["", *heads], rows)


TABLES: dict[str, Callable[[Sequence[Figure]], str]] = {
    "bytes": bytes_table,
    "keys": keys_table,
    "time": time_table,
    "opensearch": opensearch_table,
}


def _by_database(figures: Sequence[Figure], row: str, unit: str) -> Columns:
    """Figures of a row and a unit that are named "database: what"."""
    found: defaultdict[str, dict[str, float]] = defaultdict(dict)
    for figure in figures:
        name, colon, what = figure.name.partition(": ")
        if colon and row_of(figure.row) == row and figure.unit == unit:
            found[name][what] = figure.value
    return found


def _heads() -> list[str]:
    return [f"{posts:,} posts" for posts in POSTS]


def _grown(size: float) -> list[str]:
    return [f"{size * posts / GIGABYTE:,.1f} GB" for posts in POSTS]


def _time(hours: float) -> str:
    return f"{hours:.1f} h" if hours < 48 else f"{hours / 24:.0f} days"


def _table(heads: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Markdown; nothing where there is no row."""
    under = ["---", *("--:" for _ in heads[1:])]
    return "".join(f"| {' | '.join(line)} |\n" for line in (heads, under, *rows)) if rows else ""
