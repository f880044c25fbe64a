"""Bounds for the bench's figures: a file of runs, each with minimum (or maximum) figures to reach.

    {"runs": [{"title": "...", "mode": "pairs" | "collection" | "pool", "algorithms": "neardup", "sets": ["*"],
               "excluded": [], "sample": 0,
               "floors": {"neardup": {"ads_a": {"f1": 0.97}}},
               "ceilings": {"neardup": {"(all)": {"keys a text": 28}}}}]}

Figures are named as in the report's tables. Figures of ``pairs`` and ``collections`` stand under the name of a
set. Figures of the summary and of ``pool`` stand under the set ``(all)``. The recall of a set in a pool
stands under the set's name, as ``recall``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from ..text.heads import FIRST_LINE
from .algorithm_specs import parse_specs
from .bench import BenchRequest, evaluate
from .corpora import data_digest, find_set_names, load_corpus
from .report import BenchReport
from .report.tables import collection_row, pair_row, pool_row, pool_set_rows, summary_row

BENCH_MODES = ("pairs", "collection", "pool")
ALL_SETS = "(all)"
FLOOR_METRICS = {
    "pairs": ("precision", "recall", "f1", "core f1", "offered", "macro F1", "adverts F1"),
    "collection": ("candidate recall", "offered", "precision", "recall", "f1"),
    "pool": ("recall", "mean recall"),
}
CEILING_METRICS = {"pairs": ("false grouped", "false offered"), "pool": ("keys a text", "150-250 words")}
FALSE_SHARE_MARGIN = 0.005
"""Margin, as a share of the false pairs, that ``--renew`` adds to their ceilings."""
Figures = dict[tuple[str, str, str], float | None]
Bounds = dict[str, dict[str, dict[str, float]]]


class GateError(ValueError):
    """A file of bounds cannot be used. The message says why."""


@dataclass(frozen=True, slots=True)
class MissedBound:
    """A figure on the wrong side of its bound. ``value`` is None if there is no such figure."""

    run_title: str
    algorithm: str
    corpus: str
    metric: str
    value: float | None
    bound: float
    is_ceiling: bool

    def __str__(self) -> str:
        shown = "no figure" if self.value is None else f"{self.value:.4f}"
        side = "at most" if self.is_ceiling else "at least"
        name = f"{self.run_title}: {self.algorithm}, {self.corpus}, {self.metric}"
        return f"{name}: {shown}, {side} {self.bound:g} is asked for"


def load_runs(path: Path) -> list[dict[str, Any]]:
    """Return the runs of a file.

    Raise GateError if there are none, or if one cannot be run or compared.
    """
    runs: list[dict[str, Any]] = _read_gate_file(path)["runs"]
    return runs


def _read_gate_file(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        runs = content["runs"]
    except (ValueError, KeyError, TypeError) as error:
        raise GateError(f"{path.name} is not a file of floors: {error}") from error
    if not isinstance(runs, list) or not runs:
        raise GateError(f"{path.name}: 'runs' is a list of runs, one at least")
    for number, run in enumerate(runs, 1):
        if problem := _run_problem(run):
            raise GateError(f"{path.name}, run {number}: {problem}")
    return content


def _run_problem(run: Any) -> str:
    """Return the first requirement that a run violates. Return an empty string if it is valid."""
    if not isinstance(run, dict):
        return "a run is an object"
    return next(
        (requirement for requirement, is_fulfilled in RUN_REQUIREMENTS.items() if not is_fulfilled(run)), ""
    )


def _are_bounds(value: Any, depth: int = 3) -> bool:
    if not depth:
        return isinstance(value, (int, float)) and not isinstance(value, bool)
    return isinstance(value, dict) and all(_are_bounds(nested, depth - 1) for nested in value.values())


RUN_REQUIREMENTS: dict[str, Callable[[dict[str, Any]], bool]] = {
    f"'mode' is one of {', '.join(BENCH_MODES)}": lambda run: run.get("mode") in BENCH_MODES,
    "'algorithms' is a string": lambda run: isinstance(run.get("algorithms"), str),
    "'sample' and 'seed' are whole numbers": lambda run: all(
        isinstance(run.get(name, 0), int) for name in ("sample", "seed")
    ),
    f"'head' is {FIRST_LINE} or left out": lambda run: run.get("head") in (None, FIRST_LINE),
    "'sets' and 'excluded' are lists of names": lambda run: all(
        isinstance(run.get(name, []), list) for name in ("sets", "excluded")
    ),
    "'floors' and 'ceilings' hold numbers by algorithm, set and metric": lambda run: all(
        _are_bounds(run.get(name, {})) for name in ("floors", "ceilings")
    ),
}
"""Requirements for every run, by their messages."""


def execute_run(run: dict[str, Any], folder: Path, request: BenchRequest) -> BenchReport:
    """Run one run on the texts of a folder and return the report."""
    names = find_set_names(folder, run.get("sets", ["*"]), run.get("excluded", ()))
    corpora = [load_corpus(folder, name) for name in names]
    mode = run["mode"]
    run_request = BenchRequest(
        specs=parse_specs(run["algorithms"]),
        pairs_mode=mode == "pairs",
        collection_mode=mode == "collection",
        pool_mode=mode == "pool",
        language=request.language,
        head=run.get("head"),
        sample_size=run.get("sample", 0),
        seed=run.get("seed", 1),
        processes=request.processes,
        # No bound applies to the curve.
        windows=(),
    )
    return evaluate(corpora, run_request, data_digest(folder, names))


def collect_figures(report: BenchReport) -> Figures:
    """Return all figures of a report by algorithm, set and metric."""
    figures: Figures = {}
    for row in _report_rows(report):
        name, corpus = row.pop("algorithm"), row.pop("set", ALL_SETS)
        figures.update(
            {(name, corpus, metric): value for metric, value in row.items() if not isinstance(value, str)}
        )
    return figures


def _report_rows(report: BenchReport) -> Iterator[dict[str, Any]]:
    yield from (summary_row(row) for row in report.row_summaries())
    yield from (pair_row(result) for result in report.pairs if result.kind == "algorithm")
    yield from (collection_row(result) for result in report.collections)
    for result in report.pool:
        yield pool_row(result)
        yield from pool_set_rows(result)


def bounds_of(run: dict[str, Any]) -> list[tuple[str, str, str, float, bool]]:
    """Return all bounds of a run: algorithm, set, metric, bound, and whether the bound is a ceiling."""
    return [
        (name, corpus, metric, bound, is_ceiling)
        for is_ceiling, bounds in ((False, run.get("floors", {})), (True, run.get("ceilings", {})))
        for name, sets in bounds.items()
        for corpus, metrics in sets.items()
        for metric, bound in metrics.items()
    ]


def find_missed_bounds(run: dict[str, Any], measured: Figures) -> list[MissedBound]:
    """Return the bounds of a run that its figures miss."""
    missed = []
    for name, corpus, metric, bound, is_ceiling in bounds_of(run):
        value = measured.get((name, corpus, metric))
        if value is None or (value > bound if is_ceiling else value < bound):
            missed.append(
                MissedBound(run.get("title", run["mode"]), name, corpus, metric, value, bound, is_ceiling)
            )
    return missed


def algorithms_without_bounds(run: dict[str, Any]) -> list[str]:
    """Return the algorithms that a run measures without any bound."""
    bounded = {name for name, *_ in bounds_of(run)}
    measured = [spec for spec in parse_specs(run["algorithms"]) if not spec.build().bench_only]
    return [spec.title for spec in measured if spec.title not in bounded]


def check_gate(path: Path, folder: Path, request: BenchRequest, print_line: Callable[[str], None]) -> int:
    """Execute all runs of the file and print every missed bound.

    Return 0 if all bounds are kept, otherwise 1. Raise GateError if the file has no bounds.
    """
    runs, failed = load_runs(path), list[str]()
    if not any(map(bounds_of, runs)):
        raise GateError(f"{path.name} asks for nothing")
    for run in runs:
        report = execute_run(run, folder, request)
        missed, total = find_missed_bounds(run, collect_figures(report)), len(bounds_of(run))
        failed += [str(failure) for failure in missed]
        failed += [
            f"{run.get('title', run['mode'])}: {name} has no bounds: --renew"
            for name in algorithms_without_bounds(run)
        ]
        seconds = sum(report.seconds.values())
        print_line(
            f"{run.get('title', run['mode'])}: {total - len(missed)} of {total} bounds kept, {seconds:.0f} s"
        )
    for failure in failed:
        print_line(f"MISSED {failure}")
    return 1 if failed else 0


def renew_bounds(
    path: Path, folder: Path, request: BenchRequest, margin: float, print_line: Callable[[str], None]
) -> None:
    """Execute all runs of the file, and write their figures into it as bounds, less a margin.

    Ceilings get a larger margin. Figures that missed their bounds become bounds too: review the changes of
    the file before you commit them.
    """
    content = _read_gate_file(path)
    for run in content["runs"]:
        report = execute_run(run, folder, request)
        figures = collect_figures(report)
        print_line(f"{run.get('title', run['mode'])}: {sum(report.seconds.values()):.0f} s")
        run["floors"] = _compute_bounds(figures, FLOOR_METRICS[run["mode"]], partial(_floor, margin))
        run["ceilings"] = _compute_bounds(
            figures, CEILING_METRICS.get(run["mode"], ()), partial(_ceiling, run["mode"], margin)
        )
        # Written after every run: an interruption loses only one.
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _floor(margin: float, value: float) -> float | None:
    """Return a floor. Return None if every figure would keep it."""
    return max(round(value - margin, 3), 0.0) or None


def _ceiling(mode: str, margin: float, value: float) -> float | None:
    """Return a ceiling. Return None if every figure would keep it."""
    if mode == "pairs":
        # Shares of false pairs get a small margin: in a small set a share stands for few pairs.
        return ceiling if (ceiling := round(value + FALSE_SHARE_MARGIN, 4)) < 1 else None
    return round(value * (1 + margin), 1)


def _compute_bounds(
    measured: Figures, metrics: Sequence[str], compute_bound: Callable[[float], float | None]
) -> Bounds:
    """Return the bounds of the metrics. Bounds that every figure would keep are left out."""
    bounds: Bounds = {}
    for (name, corpus, metric), value in sorted(measured.items()):
        # Rows in parentheses are the floor and the ceiling of the bench, not algorithms.
        if metric not in metrics or value is None or name.startswith("("):
            continue
        if (bound := compute_bound(value)) is not None:
            bounds.setdefault(name, {}).setdefault(corpus, {})[metric] = bound
    return bounds
