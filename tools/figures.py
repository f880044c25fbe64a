"""Figures on the shape of the code: names, sizes, database code, and what each everyday action runs.

They inform; nothing fails because of them. ``--json FILE`` saves them, ``--compare FILE`` shows saved figures
next to the current ones.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from statistics import median
from typing import NamedTuple

from tools.database_code import depends_on_vendor, sql_literals
from tools.module_names import repeated_in_family, repeated_names
from tools.scenarios import trace_scenarios
from tools.sizes import count_statements, functions, header_lines
from tools.sources import PACKAGE, Source, read_sources
from tools.tracing import CallTrace

DATABASE_FOLDER = "db"
"""The one place for SQL."""
ALGORITHM_FOLDERS = {"text", "algorithms"}
"""Algorithms on texts. An action may use as many of their files as it needs."""
SHORT = 60
"""Lines below which a file is short."""
ACTIONS = {
    "save": "a save, from post_save to the commit",
    "drain": "one drained text, from the worker to the signals",
    "queue": "a page of the review queue",
    "merge": "a merge, from the button to the journal",
    "undo": "an undo",
}


class Figure(NamedTuple):
    """One row of the table. ``goal`` is empty if the figure has none."""

    key: str
    label: str
    value: float
    goal: str = ""
    unit: str = ""


def name_figures(sources: Sequence[Source]) -> list[Figure]:
    """Count the names that several modules or folders share."""
    paths = [source.path for source in sources]
    repeated, in_family = repeated_names(paths), repeated_in_family(paths)
    modules = {name: [path for path in same if path.suffix] for name, same in repeated.items()}
    modules = {name: same for name, same in modules.items() if len(same) > 1}
    return [
        Figure("names.repeated", "module and folder names used more than once", len(repeated)),
        Figure("names.repeated_paths", "  modules and folders concerned", _total(repeated.values())),
        Figure("names.repeated_modules_only", "  names, modules alone", len(modules)),
        Figure("names.repeated_modules_only_paths", "  modules concerned", _total(modules.values())),
        Figure("names.in_family", "names used more than once in one top-level folder", len(in_family), "0"),
        Figure("names.in_family_paths", "  modules and folders concerned", _total(in_family.values())),
    ]


def _total(groups: Iterable[Sequence[Path]]) -> int:
    return sum(map(len, groups))


def database_figures(sources: Sequence[Source]) -> list[Figure]:
    """Count SQL literals outside the database folder, and modules that depend on the vendor."""
    outside = [source for source in sources if source.path.parts[0] != DATABASE_FOLDER]
    literals = [len(sql_literals(source.tree)) for source in outside]
    vendors = sum(depends_on_vendor(source.tree) for source in sources)
    return [
        Figure("sql.literals", f"SQL literals outside {DATABASE_FOLDER}/", sum(literals), "0"),
        Figure("sql.modules", "  modules that hold them", sum(map(bool, literals)), "0"),
        Figure("vendor.modules", "modules that depend on the database vendor", vendors, "<= 4"),
    ]


def comparison_figures(sources: Sequence[Source]) -> list[Figure]:
    """Count the modules that decide which candidates of a text are judged."""
    ways = sum(
        source.path.parts[0] not in ALGORITHM_FOLDERS and screens_candidates(source.tree)
        for source in sources
    )
    return [Figure("comparison.ways", "ways of comparing: modules that screen candidates", ways, "1")]


def screens_candidates(tree: ast.AST) -> bool:
    """Return whether a module calls the method of an algorithm that decides which candidates are judged."""
    return any(
        isinstance(node, ast.Attribute) and node.attr in ("should_judge", "should_judge_many")
        for node in ast.walk(tree)
    )


def size_figures(sources: Sequence[Source]) -> list[Figure]:
    """Count files, lines and statements, and the lines of functions."""
    lines = [len(source.lines) for source in sources]
    headers = sum(map(header_lines, sources))
    statements = sum(count_statements(source.tree) for source in sources)
    lengths = [function.lines for source in sources for function in functions(source.tree)]
    return [
        Figure("files.total", "files", len(sources)),
        Figure("files.short", f"files under {SHORT} lines", sum(count < SHORT for count in lines), "< 60"),
        Figure("lines.total", "lines", sum(lines)),
        Figure("lines.header_share", "lines in file headers", 100 * headers / sum(lines), "< 10 %", " %"),
        Figure("statements.total", "statements without docstrings", statements),
        Figure("lines.longest_module", "lines of the longest module", max(lines)),
        Figure("lines.median_function", "lines of a function, median", median(lengths)),
        Figure("lines.longest_function", "lines of the longest function", max(lengths)),
    ]


def action_figures(traces: Mapping[str, CallTrace]) -> list[Figure]:
    """Count the files, calls and lines of each traced action."""
    goals = {"drain.files_outside": "<= 25", "merge.files": "<= 30"}
    figures = []
    for action, trace in traces.items():
        rows = [
            (f"{action}.files", f"{ACTIONS[action]}: files", len(trace.files)),
            (f"{action}.files_outside", "  files outside text and algorithms", _outside(trace)),
            (f"{action}.calls", "  calls from file to file", trace.calls),
            (f"{action}.depth", "  depth of the call stack", trace.depth),
            (f"{action}.lines", "  different lines run", trace.lines),
        ]
        figures += [Figure(key, label, value, goals.get(key, "")) for key, label, value in rows]
    return figures


def _outside(trace: CallTrace) -> int:
    return len(trace.files_outside(ALGORITHM_FOLDERS))


def table(figures: Iterable[Figure], earlier: Mapping[str, float] | None = None) -> str:
    """Format one figure a line; with a column of earlier values if there are any."""
    lines = [_line("", "earlier" if earlier is not None else None, "today", "goal")]
    for figure in figures:
        before = None if earlier is None else _number(earlier.get(figure.key), figure.unit)
        lines.append(_line(figure.label, before, _number(figure.value, figure.unit), figure.goal))
    return "\n".join(lines)


def _line(label: str, before: str | None, today: str, goal: str) -> str:
    column = "" if before is None else f"{before:>10}"
    return f"{label:<58}{column}{today:>10}   {goal}".rstrip()


def _number(value: float | None, unit: str) -> str:
    if value is None:
        return "-"
    return f"{value:.1f}{unit}" if unit or value % 1 else f"{value:.0f}"


def main(arguments: Sequence[str] | None = None) -> None:
    parser = argparse.ArgumentParser(prog="python -m tools.figures", description=__doc__)
    parser.add_argument("--json", type=Path, metavar="FILE", help="save the figures")
    parser.add_argument("--compare", type=Path, metavar="FILE", help="show figures that --json saved")
    parser.add_argument("--static", action="store_true", help="leave out the actions, which run the example")
    options = parser.parse_args(arguments)
    earlier = json.loads(options.compare.read_text()) if options.compare else None
    sources = read_sources(PACKAGE)
    figures = name_figures(sources) + database_figures(sources)
    figures += comparison_figures(sources) + size_figures(sources)
    if not options.static:
        figures += action_figures(trace_scenarios())
    print(table(figures, earlier))
    if options.json:
        values = {figure.key: round(figure.value, 2) for figure in figures}
        options.json.write_text(json.dumps(values, indent=2) + "\n")


if __name__ == "__main__":
    main()
