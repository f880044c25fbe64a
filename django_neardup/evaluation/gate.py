"""Floors under the bench's figures: a file of runs, each with the least (or greatest) figures it is to reach.

    {"runs": [{"title": "...", "mode": "pairs" | "collection" | "pool", "algorithms": "neardup", "sets": ["*"],
               "excluded": [], "sample": 0,
               "floors": {"neardup": {"ads_a": {"f1": 0.97}}},
               "ceilings": {"neardup": {"(all)": {"keys a text": 28}}}}]}

Figures are those of the report's tables: of `pairs` or `collections` by set; of the summary, and of `pool`, under the
set ``(all)``; the recall of a set in a pool under the set's name, as ``recall``.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from .bench import Request, evaluate
from .corpora import corpus_names, data_digest, load_corpus
from .report import Report
from .report.tables import collection_row, pair_row, pool_row, pool_set_rows, summary_row
from .specs import parse_specs

MODES = ("pairs", "collection", "pool")
SUMMARY = "(all)"
METRICS = {
    "pairs": ("precision", "recall", "f1", "core f1", "offered", "macro F1", "adverts F1"),
    "collection": ("candidate recall", "offered", "precision", "recall", "f1"),
    "pool": ("recall", "mean recall"),
}
CEILINGS = {"pairs": ("false grouped", "false offered"), "pool": ("keys a text", "150-250 words")}
MORE_FALSE = 0.005
Figures = dict[tuple[str, str, str], float | None]
Bounds = dict[str, dict[str, dict[str, float]]]


class GateError(ValueError):
    """A file of floors cannot be used; the message says why."""


@dataclass(frozen=True, slots=True)
class Missed:
    """A figure on the wrong side of its bound; `value` None: there is no such figure."""

    run: str
    algorithm: str
    corpus: str
    metric: str
    value: float | None
    bound: float
    most: bool

    def __str__(self) -> str:
        shown = "no figure" if self.value is None else f"{self.value:.4f}"
        side = "at most" if self.most else "at least"
        what = f"{self.run}: {self.algorithm}, {self.corpus}, {self.metric}"
        return f"{what}: {shown}, {side} {self.bound:g} is asked for"


def load_runs(path: Path) -> list[dict[str, Any]]:
    """The runs of a file.  GateError if it holds none, or one that cannot be run or compared."""
    runs: list[dict[str, Any]] = _read(path)["runs"]
    return runs


def _read(path: Path) -> dict[str, Any]:
    try:
        content: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        runs = content["runs"]
    except (ValueError, KeyError, TypeError) as error:
        raise GateError(f"{path.name} is not a file of floors: {error}") from error
    if not isinstance(runs, list) or not runs:
        raise GateError(f"{path.name}: 'runs' is a list of runs, one at least")
    for number, run in enumerate(runs, 1):
        if wrong := _what_is_wrong(run):
            raise GateError(f"{path.name}, run {number}: {wrong}")
    return content


def _what_is_wrong(run: Any) -> str:
    """What a run should be and is not, empty where nothing."""
    if not isinstance(run, dict):
        return "a run is an object"
    return next((said for said, holds in RUN.items() if not holds(run)), "")


def _are_bounds(found: Any, depth: int = 3) -> bool:
    if not depth:
        return isinstance(found, (int, float)) and not isinstance(found, bool)
    return isinstance(found, dict) and all(_are_bounds(each, depth - 1) for each in found.values())


RUN: dict[str, Callable[[dict[str, Any]], bool]] = {
    f"'mode' is one of {', '.join(MODES)}": lambda run: run.get("mode") in MODES,
    "'algorithms' is a string": lambda run: isinstance(run.get("algorithms"), str),
    "'sample' and 'seed' are whole numbers": lambda run: all(
        isinstance(run.get(name, 0), int) for name in ("sample", "seed")
    ),
    "'sets' and 'excluded' are lists of names": lambda run: all(
        isinstance(run.get(name, []), list) for name in ("sets", "excluded")
    ),
    "'floors' and 'ceilings' hold numbers by algorithm, set and metric": lambda run: all(
        _are_bounds(run.get(name, {})) for name in ("floors", "ceilings")
    ),
}
"""What holds of every run."""


def execute(run: dict[str, Any], folder: Path, request: Request) -> Report:
    """One run, on the texts of a folder."""
    names = corpus_names(folder, run.get("sets", ["*"]), run.get("excluded", ()))
    corpora = [load_corpus(folder, name) for name in names]
    mode = run["mode"]
    asked = Request(
        specs=parse_specs(run["algorithms"]),
        pairs=mode == "pairs",
        collection=mode == "collection",
        pool=mode == "pool",
        language=request.language,
        sample=run.get("sample", 0),
        seed=run.get("seed", 1),
        processes=request.processes,
        windows=(),
    )
    return evaluate(corpora, asked, data_digest(folder, names))


def figures(report: Report) -> Figures:
    """All figures of a report by algorithm, set and metric."""
    made: Figures = {}
    for row in _rows(report):
        name, corpus = row.pop("algorithm"), row.pop("set", SUMMARY)
        made.update(
            {(name, corpus, metric): value for metric, value in row.items() if not isinstance(value, str)}
        )
    return made


def _rows(report: Report) -> Iterator[dict[str, Any]]:
    yield from (summary_row(row) for row in report.summaries())
    yield from (pair_row(result) for result in report.pairs if result.kind == "algorithm")
    yield from (collection_row(result) for result in report.collections)
    for result in report.pool:
        yield pool_row(result)
        yield from pool_set_rows(result)


def bounds_of(run: dict[str, Any]) -> list[tuple[str, str, str, float, bool]]:
    """Algorithm, set, metric, bound, and whether it is the most that the figure may be, of all bounds of a run."""
    return [
        (name, corpus, metric, bound, most)
        for most, bounds in ((False, run.get("floors", {})), (True, run.get("ceilings", {})))
        for name, sets in bounds.items()
        for corpus, metrics in sets.items()
        for metric, bound in metrics.items()
    ]


def missed(run: dict[str, Any], known: Figures) -> list[Missed]:
    """The bounds of a run that its figures do not keep."""
    made = []
    for name, corpus, metric, bound, most in bounds_of(run):
        value = known.get((name, corpus, metric))
        if value is None or (value > bound if most else value < bound):
            made.append(Missed(run.get("title", run["mode"]), name, corpus, metric, value, bound, most))
    return made


def unbounded(run: dict[str, Any]) -> list[str]:
    """The algorithms that a run measures, and of which it asks nothing."""
    bound = {name for name, *_ in bounds_of(run)}
    measured = [spec for spec in parse_specs(run["algorithms"]) if not spec.build().batch]
    return [spec.title for spec in measured if spec.title not in bound]


def check(path: Path, folder: Path, request: Request, say: Callable[[str], None]) -> int:
    """Run all of the file; 0 if every bound is kept, 1 if one is not, each of those named."""
    runs, failed = load_runs(path), list[str]()
    if not any(map(bounds_of, runs)):
        raise GateError(f"{path.name} asks for nothing")
    for run in runs:
        report = execute(run, folder, request)
        lost, asked = missed(run, figures(report)), len(bounds_of(run))
        failed += [str(each) for each in lost]
        failed += [
            f"{run.get('title', run['mode'])}: {name} has no bounds: --renew" for name in unbounded(run)
        ]
        took = sum(report.seconds.values())
        say(f"{run.get('title', run['mode'])}: {asked - len(lost)} of {asked} bounds kept, {took:.0f} s")
    for each in failed:
        say(f"MISSED {each}")
    return 1 if failed else 0


def renew(path: Path, folder: Path, request: Request, margin: float, say: Callable[[str], None]) -> None:
    """Run all of the file, and write the figures into it as its bounds, less a margin (more, of what is to be small).

    What was missed before is not seen any more: look at the difference before it is kept.
    """
    content = _read(path)
    for run in content["runs"]:
        report = execute(run, folder, request)
        known = figures(report)
        say(f"{run.get('title', run['mode'])}: {sum(report.seconds.values()):.0f} s")
        run["floors"] = _bounds(known, METRICS[run["mode"]], partial(_least, margin))
        run["ceilings"] = _bounds(known, CEILINGS.get(run["mode"], ()), partial(_most, run["mode"], margin))
        path.write_text(json.dumps(content, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


def _least(margin: float, value: float) -> float | None:
    """A floor; None where every figure keeps it."""
    return max(round(value - margin, 3), 0.0) or None


def _most(mode: str, margin: float, value: float) -> float | None:
    """A ceiling: of false pairs hardly more than there are, for in a small set a share of them is few; None where
    every figure keeps it."""
    if mode == "pairs":
        return most if (most := round(value + MORE_FALSE, 4)) < 1 else None
    return round(value * (1 + margin), 1)


def _bounds(known: Figures, metrics: Sequence[str], bound: Callable[[float], float | None]) -> Bounds:
    """Bounds of those metrics; none where it would ask for nothing."""
    made: Bounds = {}
    for (name, corpus, metric), value in sorted(known.items()):
        if metric not in metrics or value is None or name.startswith("("):
            continue
        if (asked := bound(value)) is not None:
            made.setdefault(name, {}).setdefault(corpus, {})[metric] = asked
    return made
